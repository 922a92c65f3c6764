# One image for any app: docker build --build-arg APP=prover -t svc/prover .
ARG NODE_VERSION=24.11.1

FROM node:${NODE_VERSION}-bookworm-slim AS base
WORKDIR /app
ENV NODE_ENV=production

# The manifests alone, so that the layers with packages change only with them.
FROM base AS manifests
COPY . .
RUN mkdir /manifests \
  && find . -name package.json -not -path '*/node_modules/*' -exec cp --parents {} /manifests \; \
  && cp package-lock.json /manifests

FROM base AS build
ENV NODE_ENV=development
COPY --from=manifests /manifests ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node tools/build.mjs
ARG APP
RUN test -f "apps/${APP}/package.json" || { echo "APP=\"${APP}\" is no folder of apps/"; exit 1; }
# What runs: compiled packages with their manifests, the kernels, the own files of worker threads and processes.
RUN mkdir /out \
  && cp --parents package.json "apps/${APP}/package.json" libs/*/package.json libs/engines/*/package.json /out \
  && cp --parents -r "apps/${APP}/dist" libs/*/dist libs/engines/*/dist /out \
  && if [ "${APP}" = gateway ]; then cp --parents -r docs/*.md apps/console/dist /out; fi \
  && cp --parents -r libs/kernels/wasm libs/kernels/worker libs/engines/certificates/worker /out \
  && cp --parents -r libs/engines/spiking/wasm libs/engines/spiking/worker /out \
  && find /out \( -name '*.d.ts' -o -name '*.map' -o -name '*.tsbuildinfo' \) -delete \
  && ln -s "apps/${APP}/dist/main.js" /out/main.js

FROM base AS packages
ARG APP
COPY --from=manifests /manifests ./
# Dawn for five platforms, 133 MB, is of use beside a GPU alone: --build-arg WEBGPU=true keeps it.
ARG WEBGPU=false
RUN npm ci --omit=dev --no-audit --no-fund --workspace="apps/${APP}" \
  && if [ "${WEBGPU}" != true ]; then rm -rf node_modules/webgpu; fi

FROM base AS image
# As `npm start` has it: tools/bench/served-process.mjs says why.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 NODE_OPTIONS=--max-semi-space-size=8
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /out ./
USER node
# The gateway answers on PORT, every other service on HEALTH_PORT.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? process.env.HEALTH_PORT}/livez`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "main.js"]
