import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ModulateRequest } from './acoustic.contract.js';
import { CreditPackRequest } from './credits.contract.js';
import { OperationId } from './payments.contract.js';
import { ProveRequest } from './prover.contract.js';
import { BODY_BYTES_MAX_DEFAULT } from './route.js';
import { ROUTES } from './routes.js';
import { SnnRequest } from './snn.contract.js';
import { x402Routes } from './x402.contract.js';

/** The endpoint table and the gateway index of the specification. */
const PUBLISHED = `
GET /health
POST /v1/zk/prove
POST /v1/snn/solve
POST /v1/acoustic/modulate
POST /v1/mesh/rendezvous
GET /v1/x402/challenge
POST /v1/x402/verify
POST /v1/x402/execute
GET /v1/x402/telemetry
POST /api/agent/verify-bullion
POST /api/agent/card-valuation
POST /partnerCoiVerify
POST /prepay-credits
GET /prepay-success
GET /openapi.json
GET /mcp.json
POST /v1/acoustic/verify-pairing
POST /v1/acoustic/challenge
POST /v1/speckle/extract-puf
POST /v1/speckle/verify-slab
POST /v1/escrow/create-intent
POST /v1/stark/prove-goldilocks
POST /v1/stark/prove-m31
POST /v1/stark/verify-proof
POST /v1/stark/pq-verify
POST /v1/snn/solve-graph
POST /v1/fep/active-inference
POST /departments/:deptId
GET /sam/verify-key/:licenseKey
GET /leads`
  .trim()
  .split('\n');

const nameOf = (route: { method: string; path: string }) => `${route.method} ${route.path}`;

describe('the route registry', () => {
  test.each(PUBLISHED)('holds %s', published => {
    expect(ROUTES.map(nameOf)).toContain(published);
  });

  test('names each operation and each method of a path once', () => {
    const ids = ROUTES.map(route => route.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ROUTES.map(nameOf)).size).toBe(ROUTES.length);
    for (const id of ids) expect(OperationId.safeParse(id)).toMatchObject({ success: true });
  });

  test.each(ROUTES.map(route => [nameOf(route), route] as const))(
    'describes every path parameter of %s',
    (_, route) => {
      const inPath = [...route.path.matchAll(/:(\w+)/g)].map(match => match[1]);
      expect(Object.keys(route.params?.shape ?? {})).toEqual(inPath);
    },
  );

  test('has each route that costs something in the table of bounds, with who may call it and its bytes', () => {
    const told = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
    const rows = [...told.matchAll(/^\| `((?:GET|POST|PUT) \S+)` \| (\w+) \| ([\d,]+) \|/gm)];
    const documented = new Map(
      rows.map(([, name, who, bytes]) => [name, `${who} ${bytes.replaceAll(',', '')}`]),
    );
    for (const route of ROUTES) {
      const { access, bodyBytesMax = BODY_BYTES_MAX_DEFAULT } = route;
      const costs = access === 'paid' || access === 'quota' || bodyBytesMax > BODY_BYTES_MAX_DEFAULT;
      if (costs || documented.has(nameOf(route)))
        expect([nameOf(route), documented.get(nameOf(route))]).toEqual([
          nameOf(route),
          `${access} ${bodyBytesMax}`,
        ]);
      documented.delete(nameOf(route));
    }
    expect([...documented.keys()]).toEqual([]);
  });

  test('gives a body to no GET and a reply to all but the challenge', () => {
    for (const route of ROUTES) {
      if (route.method === 'GET') expect(route.body).toBeUndefined();
      if (route.operationId !== 'x402.challenge') expect(Object.keys(route.replies)).not.toHaveLength(0);
    }
  });

  test('takes the examples that it publishes', () => {
    for (const { body } of ROUTES) {
      const example = body?.schema.meta()?.example;
      if (example !== undefined) expect(body!.schema.safeParse(example)).toMatchObject({ success: true });
    }
  });
});

describe('the defaults of the specification', () => {
  test('a proof has degree 65536 and blowup 8', () => {
    expect(ProveRequest.parse({ traceData: '0x00' })).toMatchObject({ degree: 65_536, friBlowup: 8 });
  });
  test('a network has a million neurons and 100 iterations', () => {
    expect(SnnRequest.parse({})).toMatchObject({ neuronCount: 1_000_000, iterations: 100 });
  });
  test('a packet has the carrier 18600', () => {
    expect(ModulateRequest.parse({ payloadHex: '0x00' })).toMatchObject({ carrierHz: 18_600 });
  });
  test('a checkout has pack_10', () => {
    expect(CreditPackRequest.parse({})).toEqual({ packId: 'pack_10' });
  });
  test('a misspelled filter of a list of leads, accounts or records is refused by its name', () => {
    const lists = ROUTES.filter(({ path, query }) => query && /^\/(leads|v1\/admin|v1\/account)/.test(path));
    expect(lists.length).toBeGreaterThanOrEqual(7);
    for (const { query } of lists) {
      const { error } = query!.safeParse({ stauts: 'new' });
      expect(error?.issues).toEqual([expect.objectContaining({ keys: ['stauts'] })]);
    }
  });

  test('a challenge is for m2m_license_contract', () => {
    expect(x402Routes.challenge.query.parse({})).toEqual({ tool: 'm2m_license_contract' });
  });
});

describe('the bounds of requests', () => {
  test.each([
    ['odd hexadecimal digits', ProveRequest, { traceData: '0x123' }],
    ['an unknown field', ProveRequest, { traceData: 'a', nope: 1 }],
    ['a degree that is no power of two', ProveRequest, { traceData: 'a', degree: 1_000 }],
    ['a degree above 2^20', ProveRequest, { traceData: 'a', degree: 2 ** 21 }],
    ['a blowup that is not listed', ProveRequest, { traceData: 'a', friBlowup: 3 }],
    ['a carrier below the band', ModulateRequest, { payloadHex: '00', carrierHz: 18_599 }],
    ['a carrier above the band', ModulateRequest, { payloadHex: '00', carrierHz: 19_501 }],
    ['half a byte of a packet', ModulateRequest, { payloadHex: '0x0' }],
    ['a packet of no hexadecimal digits', ModulateRequest, { payloadHex: '0xzz' }],
    ['a pack that is not sold', CreditPackRequest, { packId: 'pack_11' }],
  ])('refuse %s', (_, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });
});
