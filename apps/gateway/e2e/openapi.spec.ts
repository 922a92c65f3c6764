import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import {
  bullionRoutes,
  cardsRoutes,
  certificatesRoutes,
  coiBatchesRoutes,
  type Route,
  ROUTES,
  starkRoutes,
  TOOL_NAMES,
  toolInputSchema,
  toolsRoutes,
  TOOLS,
} from '@svc/contracts';
import { MemoryBus } from '@svc/platform';
import { findPrice, PRICE_LIST } from '@svc/protocols';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { validate as discoveryFaults } from 'mppx/discovery';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn } from './gateway-under-test.js';

interface Operation {
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
  responses: Record<
    string,
    { description: string; headers?: object; content?: Record<string, { schema: unknown }> }
  >;
  [extension: `x-${string}`]: unknown;
}
interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<
      string,
      { properties: Record<string, unknown>; required?: string[]; anyOf?: Record<string, unknown>[] }
    >;
    securitySchemes: Record<string, { type: string; in?: string; name?: string }>;
  };
}

let gateway: RunningGateway;
let document: Document;
const operations = () => Object.values(document.paths).flatMap(item => Object.values(item));
const operationOf = (route: Route) =>
  document.paths[route.path.replace(/:(\w+)/g, '{$1}')][route.method.toLowerCase()];

beforeAll(async () => {
  gateway = await startGatewayOn(new MemoryBus());
  document = (await (await fetch(`${gateway.address}/openapi.json`)).json()) as Document;
});
afterAll(() => gateway.close());

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1 of the API version', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document) as never)).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info.version).toBe('2026.4.2');
  });

  test('the validator refuses a document with a fault', async () => {
    const broken = structuredClone(document) as { info: { version?: string } };
    delete broken.info.version;
    expect(await new Validator().validate(broken as never)).toMatchObject({ valid: false });
  });

  test('every schema is JSON Schema 2020-12 and every reference leads somewhere', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'doc', ...document } as object);
    for (const name of Object.keys(document.components.schemas)) {
      expect(typeof ajv.compile({ $ref: `doc#/components/schemas/${name}` })).toBe('function');
    }
    for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
      expect(Object.keys(document.components.schemas).map(name => `#/components/schemas/${name}`)).toContain(
        reference,
      );
    }
  });

  test('says when to come again, and which limit it was, of the refusals that say so and of no others', () => {
    for (const { responses } of operations())
      for (const [status, { headers = {}, content = {} }] of Object.entries(responses)) {
        // What a route answers itself is no refusal, and a 409 names who holds a payment on some routes.
        if (!content['application/problem+json'] || status === '409' || status === '402') continue;
        const names = Object.keys(headers);
        expect([status, names.includes('Retry-After')]).toEqual([
          status,
          status === '503' || status === '429',
        ]);
        expect([status, names.includes('RateLimit-Policy')]).toEqual([status, status === '429']);
      }
  });

  test('says that the path of MCP refuses in JSON-RPC', () => {
    const { responses } = operationOf(toolsRoutes.mcp);
    const types = (status: number) => Object.keys(responses[status].content!);
    expect([types(400), types(429)]).toEqual([['application/json'], ['application/json']]);
  });

  test('has every route of the registry once', () => {
    const ids = operations().map(operation => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tools = TOOL_NAMES.map(tool => `tool.${tool}`);
    expect([...ids].sort()).toEqual([...ROUTES.map(route => route.operationId), ...tools].sort());
  });

  test.each(TOOL_NAMES)('has a path of its own for %s, with its inputs, outputs and price', tool => {
    const { post } = document.paths[`/v1/tools/${tool}`];
    const schemaOf = (content?: Record<string, { schema: unknown }>) =>
      content!['application/json'].schema as { properties: object; required?: string[] };
    const [taken, given] = [schemaOf(post.requestBody!.content), schemaOf(post.responses['200'].content)];
    const { properties, required } = toolInputSchema(tool);
    expect(Object.keys(taken.properties)).toEqual(Object.keys(properties));
    expect(taken.required ?? []).toEqual(required ?? []);
    expect(Object.keys(given.properties)).toEqual(
      expect.arrayContaining([...Object.keys(TOOLS[tool].output.shape), 'auditProof']),
    );
    // The catalogue's challenges have no Lightning method of MPP.
    const { priceUsd } = findPrice(`tool.${tool}`)!;
    expect(post['x-payment-info']).toMatchObject({
      priceUsd,
      offers: [{ method: 'stripe' }, { method: 'evm' }],
    });
  });

  test('has every route in service: none answers 501', () => {
    for (const { responses } of operations()) expect(responses).not.toHaveProperty('501');
  });

  test('says of every route that the address and the headers have a limit', () => {
    for (const { responses } of operations()) {
      expect(responses['414'].description).toBe('`URI_TOO_LONG`');
      expect(responses['431'].description).toBe('`HEADERS_TOO_LARGE`');
    }
  });

  test('says where an overload is answered, and when to ask again', () => {
    const { prove, proveGoldilocks, proveM31, jobEvents, cancelJob } = starkRoutes;
    for (const route of [prove, proveGoldilocks, proveM31, jobEvents]) {
      const { description, headers } = operationOf(route).responses['503'];
      expect(description).toContain('`OVERLOADED`');
      expect(headers).toHaveProperty('Retry-After');
    }
    for (const route of [prove, proveGoldilocks, proveM31]) {
      expect(operationOf(route).responses['409']).toMatchObject({
        description: '`PAYMENT_IN_FLIGHT`',
        headers: { 'Retry-After': expect.anything() },
      });
    }
    expect(operationOf(cancelJob).responses['409']).not.toHaveProperty('headers');
  });

  test.each(
    [
      [bullionRoutes.verify, ['UNPROCESSABLE', 'OVERLOADED', 'PAYMENT_REQUIRED', 'RATE_LIMITED']],
      [bullionRoutes.enrol, ['UNPROCESSABLE', 'CONFLICT', 'OVERLOADED', 'FORBIDDEN']],
      [cardsRoutes.valuation, ['UNPROCESSABLE', 'OVERLOADED', 'PAYMENT_REQUIRED', 'RATE_LIMITED']],
      [cardsRoutes.importSales, ['UNPROCESSABLE', 'OVERLOADED', 'BODY_TOO_LARGE', 'FORBIDDEN']],
      [cardsRoutes.resolveQuarantine, ['UNPROCESSABLE', 'CONFLICT', 'NOT_FOUND', 'FORBIDDEN']],
      [certificatesRoutes.verify, ['UNPROCESSABLE', 'OVERLOADED', 'PAYMENT_REQUIRED', 'BODY_TOO_LARGE']],
      [certificatesRoutes.putRequirementSet, ['UNPROCESSABLE', 'CONFLICT', 'UNKNOWN_CREDENTIAL']],
      [certificatesRoutes.override, ['UNPROCESSABLE', 'FORBIDDEN', 'NOT_FOUND', 'UNKNOWN_CREDENTIAL']],
    ].map(([route, codes]) => [(route as Route).operationId, route, codes] as [string, Route, string[]]),
  )('says of %s every problem that the department answers it with', (_, route, codes) => {
    const described = Object.values(operationOf(route).responses)
      .map(({ description }) => description)
      .join();
    expect(codes.filter(code => !described.includes(`\`${code}\``))).toEqual([]);
  });

  test('names the security schemes', () => {
    expect(document.components.securitySchemes).toMatchObject({
      x402_spt: { type: 'apiKey', in: 'header', name: 'Payment-Credential' },
      svcKey: { type: 'apiKey', in: 'header', name: 'X-SVC-KEY' },
      svcKeyBearer: { type: 'http', scheme: 'bearer' },
      l402: { type: 'http', scheme: 'L402' },
      payment: { type: 'http', scheme: 'Payment' },
    });
  });

  test('a route lists every scheme that it reads, and a paid one the header that makes retries one purchase', () => {
    const keys = [{ svcKey: [] }, { svcKeyBearer: [] }];
    const schemes = [{ l402: [] }, { payment: [] }, { x402: [] }, { x402_spt: [] }, ...keys];
    const byAccess = {
      free: [],
      quota: [{}, ...schemes],
      paid: schemes,
      ...{ key: keys, admin: keys },
    };
    for (const route of ROUTES) {
      const { security, parameters = [] } = operationOf(route);
      expect(security).toEqual(byAccess[route.access]);
      if (route.access === 'paid') expect(parameters.map(({ name }) => name)).toContain('Idempotency-Key');
      for (const scheme of (security ?? []).flatMap(Object.keys)) {
        expect(Object.keys(document.components.securitySchemes)).toContain(scheme);
      }
    }
  });

  test('every route but the probes says that bursts are refused, and how to read the limit', () => {
    for (const route of ROUTES) {
      const { responses } = operationOf(route);
      const isProbe = ['gateway.livez', 'gateway.readyz'].includes(route.operationId);
      expect('429' in responses).toBe(!isProbe);
      if (!isProbe) expect(Object.keys(responses['429'].headers ?? {})).toContain('RateLimit');
    }
  });

  test.each(
    ROUTES.filter(({ method, body, access }) => method !== 'GET' && !body && access === 'free').map(
      route => [route.operationId, route] as const,
    ),
  )('%s, which takes no body, says how it answers one that it cannot read', async (_, route) => {
    const answers = [
      ['application/json', '[1,'],
      ['application/json', '[1e999]'],
      ['text/plain', 'x'],
    ] as const;
    for (const [type, body] of answers) {
      const url = gateway.address + route.path.replace(/:\w+/g, 'x');
      const { status } = await fetch(url, { method: route.method, headers: { 'content-type': type }, body });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(Object.keys(operationOf(route).responses)).toContain(String(status));
    }
  });

  test('degree and friBlowup are integers with their allowed values and defaults', () => {
    const { properties, required } = document.components.schemas.ProveRequest;
    expect(properties.degree).toMatchObject({
      type: 'integer',
      default: 65_536,
      enum: expect.arrayContaining([8, 1_048_576]) as never,
    });
    expect(properties.friBlowup).toMatchObject({ type: 'integer', default: 8, enum: [2, 4, 8, 16, 32] });
    expect(required).toEqual(['traceData']);
  });

  test('lists neuronCount as required although it has a default', () => {
    expect(document.components.schemas.SnnRequest).toMatchObject({
      required: ['neuronCount'],
      properties: { neuronCount: { type: 'integer', default: 1_000_000 } },
    });
  });

  test('an answer may grow members and a request may not have unknown ones', () => {
    expect(document.components.schemas.ProveRequest).toHaveProperty('additionalProperties', false);
    expect(document.components.schemas.ProveResult).not.toHaveProperty('additionalProperties');
  });

  test('bounds every string, number and list that a request may hold', () => {
    const unbounded: string[] = [];
    for (const route of ROUTES) {
      const schema = operationOf(route).requestBody?.content['application/json']?.schema;
      if (schema) collectUnbounded(schema, route.operationId, unbounded, new Set());
      for (const { name, schema: own } of operationOf(route).parameters ?? []) {
        collectUnbounded(own, `${route.operationId} ${name}`, unbounded, new Set());
      }
    }
    expect(unbounded).toEqual([]);
  });

  test('says how many fields of a certificate may be sent, and how long their names and texts are', () => {
    const { fields } = document.components.schemas.CoiFieldsRequest.properties as Record<string, object>;
    expect(fields).toMatchObject({
      maxProperties: 400,
      propertyNames: { maxLength: 128 },
      additionalProperties: { maxLength: 4_096 },
    });
  });
});

describe('payment discovery', () => {
  test('the reader of MPP discovery finds no fault', () => {
    expect(discoveryFaults(document)).toEqual([]);
  });

  test('a priced route in service says its price in satoshis', () => {
    const prove = document.paths['/v1/zk/prove'].post;
    expect(prove['x-payment-info']).toMatchObject({
      offers: [
        { method: 'lightning', intent: 'charge', amount: '2', currency: 'sat' },
        { method: 'stripe', intent: 'charge', amount: '50', currency: 'usd' },
        { method: 'evm', intent: 'charge', amount: '1000', currency: 'USDC' },
      ],
      x402: { scheme: 'exact', amount: '1000' },
      protocols: ['l402', 'mpp', 'x402', 'spt', 'svc-key'],
      availability: expect.stringContaining('/health'),
      priceUsd: '0.001',
      priceSats: 2,
    });
    expect(prove.responses['402'].content).toHaveProperty(['application/problem+json']);
  });

  test('a 402 has a challenge where a payment mends it, and none where credit does', () => {
    const schemaOf = (route: Route) => {
      const { content, headers = {} } = operationOf(route).responses['402'];
      return [JSON.stringify(content), Object.keys(headers)];
    };
    const [problem, challenge] = ['/ProblemDetails"', '/PaymentChallenge"'].map(expect.stringContaining);
    expect(schemaOf(certificatesRoutes.verify)).toEqual([
      challenge,
      expect.arrayContaining(['X-402-Challenge']),
    ]);
    expect(schemaOf(coiBatchesRoutes.create)).toEqual([problem, []]);
    expect(schemaOf(coiBatchesRoutes.create)).not.toEqual([challenge, []]);
  });

  test('every price of a route is published with it', () => {
    const ofRoutes = PRICE_LIST.filter(price => !price.operationId.startsWith('tool.'));
    const published = ROUTES.filter(route => findPrice(route.operationId)).map(route => route.operationId);
    expect([...published].sort()).toEqual(ofRoutes.map(price => price.operationId).sort());
    for (const route of ROUTES) {
      const info = operationOf(route)['x-payment-info'] as { priceUsd: string } | undefined;
      expect(info?.priceUsd).toBe(findPrice(route.operationId)?.priceUsd);
    }
  });
});

/** Walks a request schema and names what has no bound. */
function collectUnbounded(schema: unknown, path: string, found: string[], seen: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return;
  const node = schema as Record<string, unknown>;
  if (typeof node.$ref === 'string') {
    if (seen.has(node.$ref)) return;
    seen.add(node.$ref);
    collectUnbounded(document.components.schemas[node.$ref.split('/').at(-1)!], path, found, seen);
    return;
  }
  const fixed = 'enum' in node || 'const' in node;
  const has = (...keywords: string[]) => keywords.some(keyword => keyword in node);
  if (node.type === 'string' && !fixed && !has('maxLength', 'pattern', 'format'))
    found.push(`${path}: string`);
  if ((node.type === 'number' || node.type === 'integer') && !fixed && path.split('.').length > 1) {
    if (!has('maximum', 'exclusiveMaximum')) found.push(`${path}: number`);
  }
  if (node.type === 'array' && !has('maxItems', 'prefixItems')) found.push(`${path}: array`);
  for (const [name, child] of Object.entries((node.properties ?? {}) as object)) {
    collectUnbounded(child, `${path}.${name}`, found, seen);
  }
  collectUnbounded(node.items, `${path}[]`, found, seen);
  for (const branch of [node.anyOf, node.oneOf, node.allOf, node.prefixItems].flat()) {
    collectUnbounded(branch, path, found, seen);
  }
}
