import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { API_VERSION, ProblemDetails, ROUTE_TAGS, ROUTES } from '@svc/contracts';
import { SERVICE_DESCRIPTION, SERVICE_NAME } from '../gateway-index/gateway-index.js';
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

/**
 * The OpenAPI 3.1 document of an application: Nest's scan says what is mounted, the registry says
 * what each route takes and gives.
 * @throws RouteMismatchError when a mounted route has no contract or a contract no route
 */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const scanned = SwaggerModule.createDocument(app, baseDocument(), {
    // The registry describes parameters and bodies; the scan only says which routes there are.
    standardSchemaConverter: () => ({ schema: {} }),
    autoTagControllers: false,
  });
  assertSameRoutes(scanned);
  const components = new SchemaComponents();
  // Requests first: where a schema serves both and reads differently, the request has the plain name.
  for (const { body } of ROUTES) if (body) components.request(body.schema);
  const problem = components.reply(ProblemDetails);
  const paths: Record<string, Operation> = {};
  for (const route of ROUTES) {
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
      docs: { apiReference: '/docs', homepage: '/', llms: '/llms.txt' },
      payments: { x402: '/.well-known/x402', rails: '/health' },
    },
  } as unknown as OpenAPIObject;
}

function assertSameRoutes(scanned: OpenAPIObject): void {
  const mounted = new Set<string>();
  for (const [path, item] of Object.entries(scanned.paths)) {
    if (path.startsWith(SANDBOX_PATHS)) continue;
    for (const operation of Object.values(item) as { operationId?: string }[]) {
      if (operation.operationId) mounted.add(operation.operationId);
    }
  }
  const registered = new Set(ROUTES.map(route => route.operationId));
  const unregistered = [...mounted].filter(id => !registered.has(id));
  const unmounted = [...registered].filter(id => !mounted.has(id));
  if (unregistered.length + unmounted.length > 0) throw new RouteMismatchError(unregistered, unmounted);
}

const KEY_DESCRIPTION =
  'The key of an account: pays from the requests of its plan, where the price is at most 0.001 USD, else from its credit';

function baseDocument() {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.1')
    .setTitle(SERVICE_NAME)
    .setVersion(API_VERSION)
    .setDescription(
      `${SERVICE_DESCRIPTION}\n\nErrors are RFC 9457 problems with a stable \`code\` and a \`traceId\`. A priced route answers 402 with everything needed to pay; what was not delivered is not charged.`,
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
  for (const [tag, description] of Object.entries(ROUTE_TAGS)) builder.addTag(tag, description);
  return builder.build();
}
