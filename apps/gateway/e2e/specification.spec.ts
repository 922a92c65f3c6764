import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  GatewayIndex,
  paymentsContract,
  type Payee,
  ROUTES,
  HealthReport,
  ToolCatalog,
  TOOL_NAMES,
  x402Routes,
} from '@svc/contracts';
import { Handle, MemoryBus, problem, type RunningService } from '@svc/platform';
import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { rawCall } from './raw-call.js';
import {
  AGENT_PRICES,
  ENDPOINTS,
  type Fields,
  FURTHER_ENDPOINTS,
  PATH_EXAMPLES,
  PRICING,
  SPECIFIED_PACKS,
  SPECIFIED_PLANS,
  SPECIFIED_TOOLS,
  VERSIONS,
} from './specification.js';

type Json = Record<string, unknown>;
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
  readonly responses: Record<string, { headers?: object; content?: Record<string, { schema: Schema }> }>;
}

const PAYEE: Payee = {
  networkId: 'profile_1',
  destination: 'acct_1',
  destinationName: 'Treasury of the tests',
};
let payeeFault: Error | undefined;
@Controller()
class PayeeUnderTest {
  @Handle(paymentsContract.payee)
  payee(): Payee {
    if (payeeFault) throw payeeFault;
    return PAYEE;
  }
}

let gateway: RunningGateway;
let payments: RunningService;
let index: z.infer<typeof GatewayIndex>;
let catalog: z.infer<typeof ToolCatalog>;
let document: Json & { info: { version: string }; paths: Record<string, Record<string, Operation>> };
beforeAll(async () => {
  const bus = new MemoryBus();
  payments = await startServiceOn(bus, 'payments', { controllers: [PayeeUnderTest] });
  gateway = await startGatewayOn(bus);
  index = (await get('/')) as never;
  catalog = (await get('/mcp.json')) as never;
  document = (await get('/openapi.json')) as never;
});
afterAll(async () => {
  await gateway.close();
  await payments.close();
});

const get = async (path: string): Promise<Json> =>
  (await rawCall(gateway.address, path, { method: 'GET' })).json as Json;
const named = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const everyEndpoint = [...ENDPOINTS.map(named), ...FURTHER_ENDPOINTS];
const operationOf = (endpoint: string): Operation => {
  const [method, path] = endpoint.split(' ');
  return document.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
};
const resolved = (schema: Schema): Schema => {
  if (schema.$ref === undefined) return schema;
  const { schemas } = document.components as { schemas: Record<string, Schema> };
  const { $ref, ...own } = schema;
  return { ...resolved(schemas[$ref.split('/').at(-1)!]), ...own };
};

/** One field of a table. */
function fieldOf(line: string) {
  const [, name, type, required, fallback, choices] =
    /^(\w+): (.+?)(!)?(?: = (\S+))?(?: in (.+))?$/.exec(line) ?? [];
  return {
    name,
    type,
    isRequired: required === '!',
    ...(fallback === undefined ? {} : { fallback }),
    ...(choices === undefined ? {} : { choices: choices.split(' ') }),
  };
}

/** What differs between a schema and the fields of a table. */
function differences(schema: Schema, fields: Fields, io: 'taken' | 'given', more: readonly string[] = []) {
  const { properties = {}, required = [] } = resolved(schema);
  const expected = fields.map(fieldOf);
  const found: string[] = [];
  // A name may be an input of the table and an output beyond it.
  const isSpecified = (name: string) => expected.some(field => field.name === name);
  const names = Object.keys(properties).filter(name => isSpecified(name) || !more.includes(name));
  if (io === 'taken' && names.join() !== expected.map(({ name }) => name).join()) {
    found.push(`takes ${names.join(' ')}`);
  }
  for (const name of more) if (required.includes(name)) found.push(`requires ${name}`);
  for (const { name, type, isRequired, fallback, choices } of expected) {
    const own = properties[name] && resolved(properties[name]);
    if (own === undefined) {
      found.push(`has no ${name}`);
      continue;
    }
    if (!isOfType(own, type)) found.push(`${name} is ${JSON.stringify(own.type)}, not ${type}`);
    if (io === 'taken' && required.includes(name) !== isRequired) found.push(`${name}: required differs`);
    if (String(own.default) !== String(fallback)) found.push(`${name}: default ${String(own.default)}`);
    if (choices && own.enum?.join() !== choices.join()) found.push(`${name}: enum ${String(own.enum)}`);
  }
  return found;
}

function isOfType(schema: Schema, type: string): boolean {
  const [, array, item] = /^(array)(?: of (\w+))?$/.exec(type) ?? [];
  if (array) return schema.type === 'array' && (item === undefined || isOfType(schema.items!, item));
  const own = schema.type ?? typeof (schema.const ?? schema.enum?.[0]);
  // An integer is a number that a table may leave open.
  return own === type || (type === 'number' && own === 'integer') || (type === 'integer' && own === 'number');
}

describe('every endpoint of the specification', () => {
  test.each(everyEndpoint)('%s is a route, in the index and in the document', endpoint => {
    expect(ROUTES.map(named)).toContain(endpoint);
    expect(index.endpoints.map(named)).toContain(endpoint);
    const { operationId } = operationOf(endpoint);
    expect(index.endpoints.find(each => named(each) === endpoint)!.operationId).toBe(operationId);
  });

  test.each(everyEndpoint)('%s is reached over HTTP', async endpoint => {
    const [method, path] = endpoint.split(' ');
    const url = path.replace(/:(\w+)/g, (_, name: string) => PATH_EXAMPLES[name]);
    const body = method === 'POST' ? {} : undefined;
    const { status } = await rawCall(gateway.address, url, { method, body });
    expect([404, 405, 501]).not.toContain(status);
  });

  test('the routes, the index and the document are one list', () => {
    const routes = ROUTES.map(named).sort();
    expect(index.endpoints.map(named).sort()).toEqual(routes);
    const perTool = TOOL_NAMES.map(tool => `POST /v1/tools/${tool}`);
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map(method => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(described.sort()).toEqual([...routes, ...perTool].sort());
  });

  test.each(ENDPOINTS.filter(({ request }) => request).map(each => [named(each), each] as const))(
    '%s takes the fields of the table',
    (endpoint, { request, more }) => {
      const { schema } = operationOf(endpoint).requestBody!.content['application/json'];
      expect(differences(schema, request!, 'taken', more)).toEqual([]);
    },
  );

  test.each(ENDPOINTS.filter(({ response }) => response).map(each => [named(each), each] as const))(
    '%s gives the fields of the table',
    (endpoint, { response, status }) => {
      const { content } = operationOf(endpoint).responses[status];
      const { schema } = content!['application/json'];
      // Other forms are answers to requests that the table does not have: headers and members beyond it.
      const [published] = schema.anyOf ?? [schema];
      expect(differences(published, response!, 'given')).toEqual([]);
    },
  );

  test.each(ENDPOINTS.filter(({ query }) => query).map(each => [named(each), each.query!] as const))(
    '%s takes the query of the table',
    (endpoint, query) => {
      const { parameters = [] } = operationOf(endpoint);
      const inQuery = parameters.filter(each => each.in === 'query');
      const required = inQuery.filter(each => each.required).map(({ name }) => name);
      const properties = Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema]));
      expect(differences({ properties, required }, query, 'taken')).toEqual([]);
    },
  );

  test.each(ENDPOINTS.filter(({ asksForPayment }) => asksForPayment).map(named))(
    '%s answers 402 with the headers of a challenge where payment is missing',
    endpoint => {
      const { headers } = operationOf(endpoint).responses['402'];
      expect(Object.keys(headers!)).toEqual(expect.arrayContaining(['WWW-Authenticate', 'X-402-Challenge']));
    },
  );

  test('the challenge is always 402', () => {
    expect(Object.keys(x402Routes.challenge.replies)).toEqual([]);
    expect(operationOf('GET /v1/x402/challenge').responses).toHaveProperty('402');
    expect(operationOf('GET /v1/x402/challenge').responses).not.toHaveProperty('200');
  });

  test('the security schemes are those of the table', () => {
    const { securitySchemes } = document.components as { securitySchemes: Json };
    expect(securitySchemes).toMatchObject({
      x402_spt: { type: 'apiKey', in: 'header', name: 'Payment-Credential' },
      svcKey: { type: 'apiKey', in: 'header', name: 'X-SVC-KEY' },
      l402: { type: 'http', scheme: 'L402' },
    });
  });
});

describe('the tool catalogue', () => {
  test('has the members of the specification and no others, in the form of its contract', () => {
    expect(Object.keys(catalog)).toEqual([
      ...['name', 'version', 'description', 'protocolVersion', 'monetization', 'tools'],
    ]);
    expect(ToolCatalog.parse(catalog)).toEqual(catalog);
    expect([catalog.version, catalog.protocolVersion]).toEqual([VERSIONS.toolCatalog, VERSIONS.protocol]);
  });

  test('says who is paid, and what for', () => {
    expect(catalog.monetization).toEqual({ protocol: 'mpp', ...PAYEE, pricing: PRICING });
  });

  test('has the ten tools in their order', () => {
    expect(catalog.tools.map(({ name }) => name)).toEqual(Object.keys(SPECIFIED_TOOLS));
  });

  test.each(Object.entries(SPECIFIED_TOOLS))('has %s as it is specified', (name, specified) => {
    const tool = catalog.tools.find(each => each.name === name)!;
    const { latencyMs, costUsd, inputSchema, outputSchema } = tool;
    expect(Object.keys(tool).filter(member => member !== 'latencyMs')).toEqual([
      ...['name', 'description', 'costUsd', 'inputSchema', 'outputSchema'],
    ]);
    expect([costUsd, latencyMs]).toEqual([specified.costUsd, specified.latencyMs]);
    expect([inputSchema.type, outputSchema.type]).toEqual(['object', 'object']);
    const { more } = specified;
    expect(differences(inputSchema as Schema, specified.inputs, 'taken', more)).toEqual([]);
    expect(differences(outputSchema as Schema, specified.outputs, 'given', more)).toEqual([]);
    const own = Object.keys((outputSchema as Schema).properties!).filter(field => !more?.includes(field));
    expect(own).toEqual(specified.outputs.map(line => fieldOf(line).name));
    // Whole in itself: a client resolves nothing.
    expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
  });

  test.each(Object.entries(SPECIFIED_TOOLS))(
    'says of %s what the specification states, and beside each figure where the measured one is',
    (name, { phrases = [] }) => {
      const { description, outputSchema, latencyMs } = catalog.tools.find(each => each.name === name)!;
      for (const phrase of phrases) expect(description).toContain(phrase);
      if (latencyMs !== undefined) expect(description).toContain(`Stated latency: ${latencyMs} ms;`);
      expect((description.match(/Stated/g) ?? []).length).toBe(
        (description.match(/; measured: /g) ?? []).length,
      );
      for (const [, member] of description.matchAll(/(\w+) of each answer/g))
        expect((outputSchema as Schema).properties![member]).toMatchObject({
          description: expect.stringMatching(/^Measured in this call/),
        });
      for (const [, member] of description.matchAll(/(\w+) of GET \/health/g))
        expect(Object.keys(HealthReport.shape)).toContain(member);
    },
  );

  test('is there, with nobody named as paid, while the card processor is away', async () => {
    const other = await startGatewayOn(new MemoryBus());
    try {
      payeeFault = problem('SERVICE_UNAVAILABLE', 'away');
      const { status, json } = await rawCall(other.address, '/mcp.json', { method: 'GET' });
      const { networkId, destination, destinationName } = json.monetization as Payee;
      expect([status, networkId, destination, destinationName]).toEqual([200, '', '', '']);
    } finally {
      payeeFault = undefined;
      await other.close();
    }
  });
});

describe('prices, plans and versions', () => {
  test('every tool costs on every surface what the table says', () => {
    for (const [tool, { costUsd }] of Object.entries(SPECIFIED_TOOLS)) {
      const operation = document.paths[`/v1/tools/${tool}`].post as unknown as Json;
      expect(operation['x-payment-info']).toMatchObject({ priceUsd: costUsd });
    }
  });

  test.each(Object.entries(AGENT_PRICES))('%s costs what the table says', (path, [usd, sats]) => {
    const endpoint = index.endpoints.find(each => each.method === 'POST' && each.path === path)!;
    expect([endpoint.priceUsd, endpoint.priceSats]).toEqual([usd, sats]);
  });

  test('the plans and the packs are those of the tables', () => {
    const plans = index.plans.map(plan => [plan.planId, plan.priceUsdPerMonth, plan.requestsPerMonth]);
    expect(plans).toEqual(SPECIFIED_PLANS);
    const packs = index.creditPacks.map(({ packId, priceUsd, audits }) => [packId, priceUsd, audits]);
    expect(packs).toEqual(SPECIFIED_PACKS);
  });

  test('every surface says its version', async () => {
    expect([index.version, index.apiVersion]).toEqual([VERSIONS.gatewayIndex, VERSIONS.api]);
    expect(document.info.version).toBe(VERSIONS.api);
    expect(await get('/health')).toMatchObject({ version: VERSIONS.api });
  });

  test('every link of the index leads somewhere', async () => {
    expect(Object.keys(index.links)).toEqual(expect.arrayContaining(['openapi', 'health', 'mcp', 'tools']));
    for (const link of Object.values(index.links)) {
      const { status } = await rawCall(gateway.address, link, { method: 'GET' });
      expect([link, status === 404]).toEqual([link, false]);
    }
  });
});
