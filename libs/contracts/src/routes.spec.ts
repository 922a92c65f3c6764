import { describe, expect, test } from '@jest/globals';
import { ModulateRequest } from './acoustic.contract.js';
import { CreditPackRequest } from './credits.contract.js';
import { OperationId } from './payments.contract.js';
import { ProveRequest } from './prover.contract.js';
import { ROUTES, ROUTES_NOT_YET } from './routes.js';
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

/** Routes that work; every other one answers 501. */
const LIVE = [
  'GET /',
  'GET /health',
  'GET /livez',
  'GET /readyz',
  'GET /openapi.json',
  'GET /asyncapi.json',
  'GET /docs',
  'GET /llms.txt',
  'POST /mcp',
  'GET /arena/leaders',
  'POST /v1/zk/prove',
  'POST /v1/stark/prove-goldilocks',
  'POST /v1/stark/prove-m31',
  'GET /v1/stark/jobs/:jobId',
  'GET /v1/stark/jobs/:jobId/events',
  'DELETE /v1/stark/jobs/:jobId',
  'POST /v1/stark/verify-proof',
  'POST /v1/stark/pq-verify',
  'GET /.well-known/svc-proof-keys.json',
  'GET /.well-known/svc-license-keys.json',
  'GET /sam/verify-key/:licenseKey',
  'GET /v1/stark/proofs/:proofId',
  'GET /v1/account',
  'GET /v1/account/usage',
  'GET /v1/account/ledger',
  'POST /v1/account/keys',
  'POST /v1/account/keys/:keyId/rotate',
  'DELETE /v1/account/keys/:keyId',
  'GET /departments',
  'GET /departments/:deptId',
  'POST /departments/:deptId',
  'GET /departments/:deptId/tasks/:taskId',
  'DELETE /departments/:deptId/tasks/:taskId',
  'GET /.well-known/svc-callback-keys.json',
  'GET /leads',
  'PATCH /leads/:leadId',
  'GET /v1/admin/accounts',
  'POST /v1/admin/accounts',
  'GET /v1/admin/accounts/:accountId',
  'PUT /v1/admin/accounts/:accountId/plan',
  'POST /v1/admin/accounts/:accountId/credit',
  'POST /v1/admin/accounts/:accountId/keys',
  'DELETE /v1/admin/accounts/:accountId/keys/:keyId',
  'PUT /v1/admin/accounts/:accountId/licences',
  'GET /v1/admin/spot-prices',
  'POST /v1/admin/spot-prices',
  'GET /v1/admin/audit',
  'POST /v1/admin/reconcile',
  'GET /v1/x402/challenge',
  'POST /v1/x402/verify',
  'POST /v1/x402/execute',
  'GET /v1/x402/telemetry',
  'GET /v1/x402/sagas/:sagaId',
  'GET /.well-known/svc-wal-keys.json',
  'GET /v1/admin/sagas',
  'POST /v1/admin/sagas/:sagaId/resume',
  'GET /.well-known/x402',
  'POST /prepay-credits',
  'GET /prepay-success',
  'POST /webhooks/stripe',
  'POST /v1/escrow/create-intent',
  'GET /v1/escrow/intents/:intentId',
  'POST /v1/escrow/intents/:intentId/release',
  'POST /v1/escrow/intents/:intentId/cancel',
  'POST /api/agent/verify-bullion',
  'GET /api/agent/verify-bullion',
  'GET /api/agent/bullion/products',
  'POST /api/agent/bullion/challenge',
  'POST /api/agent/bullion/enrol',
  'POST /api/agent/card-valuation',
  'GET /api/agent/card-valuation',
  'GET /api/agent/cards',
  'POST /v1/admin/card-sales',
  'GET /v1/admin/card-sales/quarantine',
  'POST /v1/admin/card-sales/quarantine/:quarantineId',
  'POST /partnerCoiVerify',
  'GET /partnerCoiVerify',
  'GET /coi/requirement-sets',
  'PUT /coi/requirement-sets/:requirementSetId',
  'GET /coi/requirement-sets/:requirementSetId',
  'GET /coi/audits/:auditId',
  'GET /coi/audits/:auditId/letter',
  'POST /coi/audits/:auditId/overrides',
  'GET /coi/expiring',
  'POST /coi/batches',
  'GET /coi/batches/:batchId',
  'DELETE /coi/batches/:batchId',
  'POST /v1/tools/:name',
  'GET /mcp.json',
  'POST /v1/snn/solve',
  'POST /v1/snn/solve-graph',
  'POST /v1/fep/active-inference',
  'POST /v1/acoustic/modulate',
  'POST /v1/acoustic/demodulate',
  'POST /v1/acoustic/challenge',
  'POST /v1/acoustic/verify-pairing',
  'POST /v1/acoustic/beacons',
  'GET /v1/acoustic/beacons',
  'DELETE /v1/acoustic/beacons/:beaconKey',
  'GET /v1/acoustic/beacons/:beaconKey/sound',
  'GET /.well-known/svc-pairing-keys.json',
  'POST /v1/speckle/extract-puf',
  'POST /v1/speckle/verify-slab',
];

const nameOf = (route: { method: string; path: string }) => `${route.method} ${route.path}`;

describe('the route registry', () => {
  test.each(PUBLISHED)('holds %s', published => {
    expect(ROUTES.map(nameOf)).toContain(published);
  });

  test('marks as available exactly the routes that work', () => {
    expect(
      ROUTES.filter(route => route.available)
        .map(nameOf)
        .sort(),
    ).toEqual([...LIVE].sort());
    expect(ROUTES_NOT_YET).toHaveLength(ROUTES.length - LIVE.length);
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
