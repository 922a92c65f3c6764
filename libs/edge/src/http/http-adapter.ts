import { FastifyAdapter } from '@nestjs/platform-fastify';
import { BODY_BYTES_MAX_DEFAULT, type Route, ROUTES } from '@svc/contracts';
import { type BusClient, problem, type ServiceEnvironment } from '@svc/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { demandKeys } from '../account/key-demand.js';
import type { BurstLimits } from '../rate-limit/burst-limits.js';
import { addressOf, type BelievedAddresses, isOrchestrators, noteCaller } from '../rate-limit/caller.js';
import { AllowedMethods } from './allowed-methods.js';
import { BYTES_TYPE, refuseOtherTypes, TEXT_TYPES } from './body-type.js';
import { boundConnections, closeQueuedAnswers } from './connection-bounds.js';
import { answerConnectionFault } from './connection-fault.js';
import { allowOrigins } from './cors.js';
import { type GatewayProblemFilter, shownUrl } from './gateway-problem.filter.js';
import { headerLines } from './header-lines.js';
import { type BodyForm, readBodies } from './json-body.js';
import { InFlight } from './in-flight.js';
import { boundLongBodies } from './long-bodies.js';
import {
  ARRIVAL_CHECK_MS,
  DRAIN_MARGIN_MS,
  DRAIN_TIMEOUT_MS,
  HEADER_BYTES_MAX,
  KEEP_ALIVE_TIMEOUT_MS,
  PATH_PARAM_CHARS_MAX,
  REQUEST_ARRIVAL_TIMEOUT_MS,
  URL_CHARS_MAX,
} from './limits.js';
import { isAtOperatorListener, isServedTo } from './operator-listener.js';
import { bringsCredential } from '../payment/presented-credential.js';
import type { RateLimitSettings } from '../rate-limit/rate-limit-config.js';
import { RefusalLines } from '../rate-limit/refusal-lines.js';
import { isRefusal, RefusalPauses } from '../rate-limit/refusal-pauses.js';
import { inScope, openScope, requestIdOf } from './request-scope.js';

const API_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** Pages (the reference, the index) load their own scripts and styles and nothing else. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** No page of ours asks a browser for any of these. */
const PERMISSIONS_POLICY = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'hid', 'magnetometer'],
  ...['microphone', 'midi', 'payment', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
]
  .map(feature => `${feature}=()`)
  .join(', ');

/** What an HTTP address is made of. */
export interface HttpAddress {
  readonly filter: GatewayProblemFilter;
  readonly logger: ServiceEnvironment['logger'];
  readonly bursts: BurstLimits;
  /** Keys are asked for on it. */
  readonly bus: Pick<BusClient, 'call'>;
  readonly rateLimits: RateLimitSettings;
  readonly drainTimeoutMs?: number;
  /** Whether the public listener lacks what is for operators alone. */
  readonly operatorsApart?: boolean;
}

/** Fastify of an address: limits, request scope, security headers, problems and the access log. */
export async function createHttpAdapter({
  filter,
  logger,
  bursts,
  bus,
  rateLimits,
  drainTimeoutMs = DRAIN_TIMEOUT_MS,
  operatorsApart = false,
}: HttpAddress): Promise<FastifyAdapter> {
  const adapter = fastifyOf({ filter, bursts, rateLimits, drainTimeoutMs });
  adapter.setOnRequestHook((request, reply, done) => openScope(request, reply, done));
  const instance = adapter.getInstance() as unknown as FastifyInstance;
  // The length of all fields bounds them; beyond a count Node would drop them without a word.
  instance.server.maxHeadersCount = 0;
  closeQueuedAnswers(instance.server);
  if (rateLimits.factor > 0) boundConnections(instance.server, rateLimits.trustedProxies);
  finishBeforeClose(instance, drainTimeoutMs);
  limitBodies(instance);
  refuseOtherTypes(instance);
  readBodies(instance, {
    textTypes: TEXT_TYPES,
    bytesTypes: [BYTES_TYPE],
    formOf: bodyForms(),
    meter: (request, size) => bursts.takeBody(request, size),
    turn: (request, bytes) => bursts.waitTurn(request, bytes),
    subjectOf: request => bursts.subjectOf(request),
    isDigested: request => bringsCredential(request.raw),
  });
  boundLongBodies(instance);
  const securityHeaders = headersOfHelmet();
  instance.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders);
    noteCaller(request, rateLimits);
    // It is answered before the others are counted.
    if (request.method !== 'OPTIONS') return done();
    void bursts.takeRequest(request, reply).then(() => done(), done);
  });
  await allowOrigins(instance);
  instance.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'OPTIONS') await bursts.takeRequest(request, reply);
  });
  ignoreExpectations(instance);
  refuseUnclearHeaders(instance);
  refuseOtherHosts(instance, rateLimits);
  refuseUnrouted(instance, operatorsApart);
  demandKeys(instance, bus);
  new RefusalPauses(logger, rateLimits, rateLimits.pause).register(instance);
  finishAnswers(instance, bursts);
  logAnswers(instance, logger);
  return adapter;
}

/** The security headers of every answer, which are the same: made once, for they are eight functions for each request. */
function headersOfHelmet(): Record<string, string> {
  const headers: Record<string, string> = {};
  const set = helmet({
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    xFrameOptions: { action: 'deny' },
    // Of use only to browsers that are gone.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xPoweredBy: false,
  });
  const answer = { setHeader: (name: string, value: string) => (headers[name] = value) };
  set({} as IncomingMessage, answer as unknown as ServerResponse, () => undefined);
  return headers;
}

const ABSOLUTE_FORM = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is;
const SCHEMES = ['http', 'https'];
/** Schemes of the request targets that are for no HTTP address. */
const foreignSchemes = new WeakMap<IncomingMessage, string>();

/**
 * Path and query of a request's target, which are all that is routed, shown and logged. Of a target in absolute form
 * (`GET http://svc.example/health`) the authority replaces the `Host` that came beside it, as RFC 9112 §3.2.2 demands: whatever looks
 * at the host of a request sees the one that was asked for.
 */
function pathOfTarget(request: IncomingMessage): string {
  const { url = '/' } = request;
  // `OPTIONS *` would pass by all hooks: the router knows paths alone.
  if (url === '*') return '/*';
  const absolute = ABSOLUTE_FORM.exec(url);
  if (!absolute) return url;
  const [, scheme, authority, rest] = absolute;
  request.headers.host = authority;
  if (!SCHEMES.includes(scheme.toLowerCase())) foreignSchemes.set(request, scheme);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Fastify with the limits of connections and headers; what it refuses itself is counted and answered as anything else is. */
function fastifyOf({
  filter,
  bursts,
  rateLimits,
  drainTimeoutMs,
}: Pick<HttpAddress, 'filter' | 'bursts' | 'rateLimits'> & { drainTimeoutMs: number }): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: BODY_BYTES_MAX_DEFAULT,
    genReqId: requestIdOf,
    requestIdHeader: false,
    requestTimeout: REQUEST_ARRIVAL_TIMEOUT_MS,
    // The preClose hook may take as long as the drain.
    pluginTimeout: drainTimeoutMs + DRAIN_MARGIN_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      ...{ maxHeaderSize: HEADER_BYTES_MAX, connectionsCheckingInterval: ARRIVAL_CHECK_MS },
      // A request without one is refused by `refuseUnclearHeaders`, which says so.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: PATH_PARAM_CHARS_MAX },
    rewriteUrl: (request: IncomingMessage) => pathOfTarget(request),
    // What has been taken is finished first, by the preClose hook.
    forceCloseConnections: true,
    clientErrorHandler: answerConnectionFault,
    // No hook has run: it is counted here.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      noteCaller(request, rateLimits);
      const answer = (fault: Error) => openScope(request, reply, () => filter.answer(fault, request, reply));
      void bursts.takeRequest(request, reply).then(() => answer(error), answer);
    },
  });
}

/** Sets the policies of an answer, and counts what it sends. */
function finishAnswers(instance: FastifyInstance, bursts: BurstLimits): void {
  instance.addHook('onSend', (_request, reply, payload, done) => {
    // The policy of what the browser has already holds for it: it would be replaced by that of an answer without a page.
    if (reply.statusCode === 304) return done(null, payload);
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html');
    reply.header('content-security-policy', isPage ? PAGE_POLICY : API_POLICY);
    if (isPage) reply.header('permissions-policy', PERMISSIONS_POLICY);
    done(null, payload);
  });
  instance.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || payload instanceof Uint8Array ? payload.length : 0;
    // What a HEAD is answered has been made all the same.
    bursts.noteSent(request, Math.max(bytes, Number(reply.getHeader('content-length') ?? 0)));
    done(null, payload);
  });
}

/**
 * A close waits for the requests in flight, and for no connection that never finishes one. A request
 * whose client hung up is in flight until its handler is done: what it was paid for is recorded then.
 */
function finishBeforeClose(instance: FastifyInstance, drainTimeoutMs: number): void {
  const inFlight = new InFlight();
  const hungUp = new WeakSet<FastifyRequest>();
  /** Requests whose handler is done; of a stream the rest is nobody's to record. */
  const answered = new WeakSet<FastifyRequest>();
  instance.addHook('onRequest', (request, reply, done) => {
    inFlight.begin(request);
    reply.raw.once('close', () => {
      if (reply.raw.writableEnded || !request.raw.complete || answered.has(request)) inFlight.end(request);
      else hungUp.add(request);
    });
    done();
  });
  instance.addHook('onSend', (request, _reply, payload, done) => {
    answered.add(request);
    if (hungUp.has(request)) inFlight.end(request);
    done(null, payload);
  });
  instance.addHook('preClose', () => inFlight.idle(drainTimeoutMs));
}

/** How the route of a request takes its JSON. */
function bodyForms(): (request: FastifyRequest) => BodyForm {
  const forms = new Map<string, BodyForm>();
  for (const { method, path, body } of ROUTES) {
    if (body?.raw) forms.set(`${method} ${path}`, 'raw');
    if (body?.packed) forms.set(`${method} ${path}`, 'packed');
  }
  return ({ method, routeOptions }) => forms.get(`${method} ${routeOptions.url}`) ?? 'parsed';
}

/** Gives every route the body limit that its contract publishes. */
function limitBodies(instance: FastifyInstance): void {
  const limits = new Map(ROUTES.map(route => [`${route.method} ${route.path}`, route.bodyBytesMax]));
  instance.addHook('onRoute', options => {
    const limit = limits.get(`${String(options.method)} ${options.url}`);
    if (limit !== undefined) options.bodyLimit = limit;
  });
}

/** Headers that say one thing (RFC 9110 §5.3, RFC 9112 §3.2): what stands before the gateway may have read the other line. */
const SINGLE_LINES = ['host', 'content-type'];

/** `host [":" port]` of RFC 3986 §3.2.2; empty for a target without an authority. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

const refused = (path: string, message: string, bound: unknown, got: unknown) =>
  problem('VALIDATION_FAILED', `${path}: ${message}`, { errors: [{ path, message, bound, got }] });

/** Refuses a header that may be read in two ways, and a request without the `Host` that RFC 9112 §3.2 demands. */
function refuseUnclearHeaders(instance: FastifyInstance): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    const { headers, httpVersion, rawHeaders } = request.raw;
    for (const name of SINGLE_LINES) {
      const { length } = headerLines(rawHeaders, name);
      if (length > 1) return done(refused(name, 'given more than once', 1, length));
    }
    const { host } = headers;
    if (host === undefined && httpVersion === '1.1') return done(refused('host', 'is missing', 1, 0));
    return done();
  });
}

/** Serves a request whatever it expects but `100-continue`, as RFC 9110 §10.1.1 allows: Node.js would answer 417 without a word. */
function ignoreExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * Refuses what was meant for another host or scheme than ours: its answer would tell that host as our address. Ours are not named: who
 * asks every address of the Internet would learn which of them serves what stands behind a proxy.
 */
function refuseOtherHosts(instance: FastifyInstance, { publicUrls }: BelievedAddresses): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    const scheme = foreignSchemes.get(request.raw);
    if (scheme !== undefined) {
      const got = scheme.slice(0, 80);
      const errors = [{ path: 'scheme', message: 'is not served here', bound: SCHEMES, got }];
      return done(problem('MISDIRECTED_REQUEST', 'This scheme is not served here', { errors }));
    }
    const { host = '' } = request.headers;
    const isServed = !publicUrls?.areKnown || publicUrls.of(host) !== undefined;
    const got = host.slice(0, 80);
    if (isServed || isOrchestrators(request) || isAtOperatorListener(request))
      return done(
        HOST.test(host) ? undefined : refused('host', 'is no host with a port', 'host[:port]', got),
      );
    const errors = [{ path: 'host', message: 'is not served here', bound: 'a host of PUBLIC_URL', got }];
    return done(problem('MISDIRECTED_REQUEST', 'This host is not served here', { errors }));
  });
}

/**
 * 404, 405 with `Allow`, and 414, all before a key is looked at or a body is read. A route that is not served on the listener
 * of a request is none.
 */
function refuseUnrouted(instance: FastifyInstance, operatorsApart: boolean): void {
  const allowed = new AllowedMethods();
  const streams = new Set(ROUTES.filter(isStream).map(({ path }) => path));
  /** Nobody reads a stream by it, and opening one is an effect. */
  const isHeadOfStream = (method: string, url = '') => method === 'HEAD' && streams.has(url);
  instance.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat())
      if (one !== 'OPTIONS' && !isHeadOfStream(one, url)) allowed.add(one, url);
  });
  instance.addHook('onRequest', (request, reply, done) => {
    if (request.url.length > URL_CHARS_MAX) {
      return done(
        problem('URI_TOO_LONG', `The address exceeds ${URL_CHARS_MAX} characters`, {
          errors: [{ path: 'path', message: 'too long', bound: URL_CHARS_MAX, got: request.url.length }],
        }),
      );
    }
    const { method, routeOptions } = request;
    const isHere = (method: string, pattern: string) => isServedTo(request, operatorsApart, method, pattern);
    const isRouted = !request.is404 && isHere(method, routeOptions.url ?? '');
    if (isRouted && !isHeadOfStream(method, routeOptions.url)) return done();
    const path = request.url.split('?', 1)[0];
    const shown = shownUrl(path).slice(0, 200);
    const methods = allowed.of(path, isHere);
    if (methods.length === 0) return done(problem('NOT_FOUND', `Nothing is served at ${shown}`));
    reply.header('allow', methods.join(', '));
    return done(
      problem('METHOD_NOT_ALLOWED', `${shown} does not accept ${method}`, {
        errors: [{ path: 'method', message: 'not accepted', bound: methods, got: method }],
      }),
    );
  });
}

const isStream = ({ replies }: Route): boolean =>
  Object.values(replies).some(({ mediaType }) => mediaType === 'text/event-stream');

/** One line an answer, but for refusals of an address beyond a bound: those are counted. */
function logAnswers(instance: FastifyInstance, logger: ServiceEnvironment['logger']): void {
  const refusals = new RefusalLines(logger, 'answers');
  instance.addHook('onClose', async () => refusals.close());
  instance.addHook('onResponse', (request, reply, done) => {
    const write = () => inScope(request, () => logRequest(logger, request, reply));
    if (isRefusal(reply.statusCode)) refusals.add(addressOf(request), write);
    else write();
    done();
  });
  // It has no answer, and nothing failed on our side.
  instance.addHook('onRequestAbort', async request => {
    inScope(request, () => logger.info(routeOf(request), 'the client hung up'));
  });
}

/** The route's pattern stands in for the path, which may hold a key or an id. */
const routeOf = (request: FastifyRequest) => ({
  method: request.method,
  route: request.is404 ? 'unknown' : request.routeOptions.url,
  requestId: request.id,
});

/** The line of an answer. */
function logRequest(
  logger: ServiceEnvironment['logger'],
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const line = {
    ...routeOf(request),
    status: reply.statusCode,
    latencyMs: Math.round(reply.elapsedTime * 1_000) / 1_000,
    ...(isAtOperatorListener(request) ? { listener: 'operators' } : {}),
  };
  if (line.status >= 500) logger.warn(line, 'request');
  else logger.info(line, 'request');
}
