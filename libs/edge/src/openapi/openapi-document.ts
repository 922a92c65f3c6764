import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { API_VERSION, ProblemDetails, type Route, ROUTE_TAGS } from '@svc/contracts';
import { operationOf, type Operation } from './operation.js';
import { SchemaComponents } from './schema-components.js';

/** Routes of the sandbox, which are no part of the public surface. */
const SANDBOX_PATHS = '/dev/';

/** The mounted routes and the registry disagree. */
export class RouteMismatchError extends Error {
  constructor(
    readonly unregistered: readonly string[],
    readonly unmounted: readonly string[],
  ) {
    super(
      `routes without a contract: [${unregistered.join(', ')}]; contracts without a route: [${unmounted.join(', ')}]`,
    );
    this.name = 'RouteMismatchError';
  }
}

/** What a document is of. */
export interface DocumentedApi {
  readonly name: string;
  readonly description: string;
  /** All that the application answers, those of the sandbox apart. */
  readonly routes: readonly Route[];
  /** Described beside them: what is one route to the router, one by one. */
  readonly alsoDescribed?: readonly Route[];
  /** Pages about it, by what they are. */
  readonly docs: Readonly<Record<string, string>>;
}

/**
 * The OpenAPI 3.1 document of an application: Nest's scan says what is mounted, the registry says
 * what each route takes and gives. Both are compared now, before anybody is answered.
 * @returns what makes the document, which takes some tenths of a second of computing
 * @throws RouteMismatchError when a mounted route has no contract or a contract no route
 */
export function openApiDocument(app: INestApplication, api: DocumentedApi): () => OpenAPIObject {
  const scanned = SwaggerModule.createDocument(app, baseDocument(api), {
    // The registry describes parameters and bodies; the scan only says which routes there are.
    standardSchemaConverter: () => ({ schema: {} }),
    autoTagControllers: false,
  });
  assertSameRoutes(scanned, api.routes);
  return () => describedDocument(scanned, api);
}

function describedDocument(scanned: OpenAPIObject, api: DocumentedApi): OpenAPIObject {
  const described = [...api.routes, ...(api.alsoDescribed ?? [])];
  const components = new SchemaComponents();
  // Requests first: where a schema serves both and reads differently, the request has the plain name.
  for (const { body } of described) if (body) components.request(body.schema);
  const problem = components.reply(ProblemDetails);
  const paths: Record<string, Operation> = {};
  for (const route of described) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, components) };
  }
  return {
    ...scanned,
    paths,
    components: {
      ...scanned.components,
      schemas: components.all(),
      responses: {
        Problem: {
          description: 'RFC 9457 problem details',
          content: { 'application/problem+json': { schema: problem } },
        },
      },
    },
    'x-service-info': {
      categories: ['compute', 'cryptography', 'payments'],
      docs: api.docs,
      payments: { x402: '/.well-known/x402', rails: '/health' },
    },
  } as unknown as OpenAPIObject;
}

function assertSameRoutes(scanned: OpenAPIObject, routes: readonly Route[]): void {
  const mounted = new Set<string>();
  for (const [path, item] of Object.entries(scanned.paths)) {
    if (path.startsWith(SANDBOX_PATHS)) continue;
    for (const operation of Object.values(item) as { operationId?: string }[]) {
      if (operation.operationId) mounted.add(operation.operationId);
    }
  }
  const registered = new Set(routes.map(route => route.operationId));
  const unregistered = [...mounted].filter(id => !registered.has(id));
  const unmounted = [...registered].filter(id => !mounted.has(id));
  if (unregistered.length + unmounted.length > 0) throw new RouteMismatchError(unregistered, unmounted);
}

const KEY_DESCRIPTION =
  'The key of an account: pays from the requests of its plan, where the price is at most 0.001 USD, else from its credit';

function baseDocument({ name, description, routes }: DocumentedApi) {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.1')
    .setTitle(name)
    .setVersion(API_VERSION)
    .setDescription(
      `${description}\n\nErrors are RFC 9457 problems with a stable \`code\` and a \`traceId\`. A priced route answers 402 with everything needed to pay; what was not delivered is not charged.`,
    )
    .addServer('/')
    .addSecurity('x402_spt', {
      type: 'apiKey',
      in: 'header',
      name: 'Payment-Credential',
      description: '`SPT <token>`: a shared payment token, with the challenge echoed in X-402-Challenge',
    })
    .addSecurity('x402', {
      type: 'apiKey',
      in: 'header',
      name: 'PAYMENT-SIGNATURE',
      description: 'x402 version 2, base64 JSON; version 1 sends `X-PAYMENT`',
    })
    .addSecurity('svcKey', { type: 'apiKey', in: 'header', name: 'X-SVC-KEY', description: KEY_DESCRIPTION })
    .addSecurity('svcKeyBearer', {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_…',
      description:
        'The same key as `Authorization: Bearer svc_…`; equal keys in both headers count once, and other bearer tokens are ignored',
    })
    .addSecurity('l402', {
      type: 'http',
      scheme: 'L402',
      description: '`Authorization: L402 <macaroon>:<preimage>`: a Lightning payment',
    })
    .addSecurity('payment', {
      type: 'http',
      scheme: 'Payment',
      description: '`Authorization: Payment <credential>`: the Payment authentication scheme (MPP)',
    });
  const tags = new Set<string>(routes.map(route => route.tag));
  for (const [tag, words] of Object.entries(ROUTE_TAGS)) if (tags.has(tag)) builder.addTag(tag, words);
  return builder.build();
}
