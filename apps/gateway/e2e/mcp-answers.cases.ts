import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  type AuditProof,
  type ExecuteResult,
  TOOL_NAMES,
  type ToolName,
  type ToolReply,
} from '@svc/contracts';
import { keyReceipt, priceOf } from '@svc/protocols';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { postMcp, rpc } from './mcp-post.js';
import type { PaymentsScript } from './payments-under-test.js';
import { DIGEST, EVIDENCE_ID, ROOT, type ToolScript } from './tools-under-test.js';
import { SAGA_ID, type X402Script } from './x402-under-test.js';

/** What a model is to be spared beyond, characters. */
const CHARS_MAX = 2_000;
const CLAIM_ID = '6b0d3c1e-5f3a-4b7e-9a57-2f1d8c1f6e10';
const KEY = { 'x-svc-key': 'svc_test_key' };
const VERSION = { 'mcp-protocol-version': '2025-11-25' };
const HASH = `0x${'ab'.repeat(32)}`;
const PROOF_ID = `prf_${'A'.repeat(22)}`;

interface Shared {
  readonly address: string;
  readonly tools: ToolScript;
  readonly payments: PaymentsScript;
  readonly x402: X402Script;
}

const list = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, i) => item(i));

const AUDIT: AuditProof = {
  ...{ version: 1, proves: 'rules', doesNotProve: 'x'.repeat(160), rulesetId: 'arena/v1', rules: [] },
  ...{ requestDigest: HASH, resultDigest: HASH, leafCount: 1, root: HASH, airId: 'rules/v1' },
  leaves: [{ index: 0, salt: `0x${'0'.repeat(32)}`, path: list(4, () => HASH) }],
  ...{ proofId: PROOF_ID, keyId: 'k', signature: 'A'.repeat(4_412), expiresAt: '2027-04-02T00:00:00Z' },
};
const CHALLENGE = {
  ...{ challengeId: `arena_${'A'.repeat(22)}`, family: 'sat', level: 10, instruction: 'Satisfy '.repeat(20) },
  problem: { variables: 104, clauses: list(437, i => [i + 1, -1 - i, i + 2]) },
  ...{ seedCommitment: HASH, limitMs: 720_000 },
  ...{ issuedAt: '2026-04-02T00:00:00.000Z', expiresAt: '2026-04-02T00:12:00.000Z' },
};
const GRADING = {
  ...{
    challengeId: CHALLENGE.challengeId,
    agentId: 'agent-7',
    family: 'sat',
    level: 10,
    cognitiveScore: 100,
  },
  ...{
    valid: true,
    reason: 'Every clause holds',
    achieved: 437,
    optimum: 437,
    correctness: 1,
    optimality: 1,
  },
  ...{
    time: 0.9,
    formula: '⌊50 × correctness + 30 × optimality + 20 × time⌋',
    elapsedMs: 9_000,
    limitMs: 720_000,
  },
  ...{ answerDigest: HASH, problemDigest: HASH, seed: HASH, seedCommitment: HASH, rulesetId: 'arena/v1' },
  ...{ gradedAt: '2026-04-02T00:00:00.000Z', auditProof: AUDIT },
};
const PROVED = {
  ...{ starkRoot: HASH, proofId: PROOF_ID, airId: 'binding/v2', contextDomain: 'd'.repeat(256) },
  publicInputs: { contextDomain: 'd'.repeat(256), publicInputs: list(1_024, i => `0x${i}`) },
  opening: { salt: `0x${'ab'.repeat(24)}` },
};
const paymentReceipt = keyReceipt(CLAIM_ID, priceOf('tool.zk_prove_spatial'), '2026-04-02T00:00:00.000Z')
  .headers['Payment-Receipt'];

/** The largest outputs that usual inputs have; larger ones would be shortened as these are. */
const LARGEST: Record<Exclude<ToolName, 'm2m_license_contract'>, [input: object, reply: ToolReply]> = {
  zk_prove_spatial: [
    { coordinates: [1] },
    {
      ...PROVED,
      output: {
        ...{ verified: true, starkRootCommitment: HASH, primeField: '2^64 - 2^32 + 1', latencyMs: 170.171 },
        ...{ securityBits: 101, paymentReceipt },
      },
    },
  ],
  generate_goldilocks_stark_proof: [
    { publicInputs: ['1'] },
    {
      ...PROVED,
      output: {
        ...{ verified: true, fieldPrimeHex: '0xffffffff00000001', executionTimeMs: 170.171, paymentReceipt },
        ...{ starkRootCommitment: HASH, friQueryProofBytes: 217_672, securityLevelBits: 101 },
      },
    },
  ],
  verify_acoustic_proximity_token: [
    { deviceId: 'door-7', challengeNonce: 'n' },
    {
      output: {
        ...{
          pairingToken: 'p'.repeat(700),
          secdedSyndrome: 0,
          berNoiseFloorDb: -41.25,
          validUntil: 1_790_000_000,
        },
        ...{ assurance: 'recording_submitted', correctedWords: 3, doubleErrorWords: 0, snrDb: 22.125 },
      },
    },
  ],
  evaluate_spatial_parcel_fep: [
    { parcelId: 'lot-7', elevationContour: [1, 2, 3] },
    {
      output: {
        ...{
          variationalFreeEnergy: 0.003,
          homeostaticStatus: 'HOMEOSTATIC',
          adaptingUpTo: 0.68,
          samples: 9_998,
        },
        ...{ optimalTrajectory: list(10_000, i => 400 + Math.sin(i)), negLogEvidence: -0.18368861721129814 },
      },
    },
  ],
  create_purchase_link: [
    {},
    {
      output: {
        checkoutUrl: `https://checkout.example/c/pay/cs_live_${'a'.repeat(60)}#${'b'.repeat(500)}`,
        ...{ processorAccount: 'acct_v1N1aMbrJm0q4NzV', fulfillment: 'x'.repeat(200) },
      },
    },
  ],
  get_product_catalog: [
    {},
    {
      output: {
        catalog: list(64, i => ({
          ...{
            kind: 'call',
            productId: `call.${i}`,
            buyWith: 'POST /v1/zk/prove',
            description: 'x'.repeat(120),
          },
          ...{ priceUsd: '0.001', priceSats: 2, charged: 'always', available: true },
        })),
      },
    },
  ],
  webgpu_snn_attractor: [
    {},
    {
      output: {
        ...{
          activeSpikes: 58_926,
          branchingRatioSigma: 0.9467617554354828,
          neuronCount: 1e6,
          durationMs: 1e4,
        },
        ...{ warmupMs: 1_000, meanRateHz: 5.8926, sigmaInterval: [0.9193446055530828, 0.9741789053178828] },
        ...{ amplitude: 0.7415221037884373, fitError: 0.0351846684840764, oscillationHz: 20.92104822212053 },
        ...{
          timeConstantMs: 73.11572239345658,
          naiveRatio: 0.6848828646937143,
          binMs: 4,
          seed: 3_299_402_975,
        },
        ...{ backend: 'webgpu', adapter: 'a GPU with a long name', stateHash: '0xc4883aedf01e76c2' },
      },
    },
  ],
  sync_mesh_crdt: [
    {},
    {
      output: {
        ...{
          crdtStateHash: HASH,
          meshNodesDiscovered: 1_000,
          stateVector: 'A'.repeat(8_000),
          peerPresent: true,
        },
      },
    },
  ],
  arena_challenge: [
    {},
    { output: { cognitiveScore: 0, starkProofHash: '', satsAwarded: 0, challenge: CHALLENGE } },
  ],
};

const SAGA: ExecuteResult = {
  ...{
    sagaId: SAGA_ID,
    status: 'COMPLETED',
    starkRoot: HASH,
    auditProof: AUDIT,
    sagaName: 'm2m_license_contract',
  },
  ...{ contractId: `ctr_${'A'.repeat(22)}`, walHash: HASH, walCount: 14, executionTimeMs: 169 },
  ...{ m2mLicenseToken: `m2m1.${'a'.repeat(515)}`, starkExecutionProof: PROOF_ID },
  settlementTreasury: 'treasury:1447def3-4040-44ea-9a13-2e89ddca1fc9',
  walEvents: list(14, seq => ({
    ...{
      seq,
      kind: 'STEP_COMMIT',
      step: 'prove',
      at: '2026-04-02T00:00:00.000Z',
      hash: HASH,
      prevHash: HASH,
    },
    ...{ attempt: 1, fence: 1, payloadDigest: HASH, payload: {} },
  })),
  contract: { licensee: 'agent-7', tier: 'm2m_continuous_metered', grant: { exp: 1, nodesMax: 1 }, iat: 1 },
};

interface Result {
  readonly structuredContent: object;
  readonly content: readonly { readonly text?: string }[];
}

let shared: Shared;
const ask = async (message: object, headers: Record<string, string> = {}) =>
  (
    await postMcp(`${shared.address}/mcp`, message, { headers: { ...KEY, ...VERSION, ...headers } })
  ).messages.at(-1)!;
const call = (name: ToolName, args: object, _meta?: object, headers?: Record<string, string>) =>
  ask(rpc('tools/call', { name, arguments: args, ...(_meta ? { _meta } : {}) }), headers);
const INLINE = { 'svc/evidence': 'inline' };
const inputOf = (name: ToolName) =>
  name === 'm2m_license_contract' ? { licenseeAgentId: 'agent-7' } : LARGEST[name][0];
const catalogue = (_meta?: object, headers?: Record<string, string>) =>
  call('get_product_catalog', {}, _meta, headers);

/** What a client that holds answers against the listed schemas finds wrong. */
async function faultsOf(name: ToolName, { structuredContent }: Result) {
  const { tools } = (await ask(rpc('tools/list'))).result;
  const { outputSchema } = tools.find((tool: { name: string }) => tool.name === name);
  const check = new Ajv2020({ strict: false, validateFormats: false }).compile(outputSchema);
  check(structuredContent);
  return check.errors ?? null;
}

/** Characters of what a model reads. */
const charsOf = ({ content }: Result): number =>
  content.reduce((sum, part) => sum + (part.text ?? JSON.stringify(part)).length, 0);

/** How much of the answer of a tool goes into the context of a model. */
export function describeMcpAnswers(sharedNow: () => Shared): void {
  describe('an answer', () => {
    beforeEach(() => {
      shared = sharedNow();
      const { tools, payments, x402 } = shared;
      tools.reply = ({ tool }) => LARGEST[tool as keyof typeof LARGEST][1];
      const receipt = keyReceipt(CLAIM_ID, priceOf('tool.get_product_catalog'), '2026-04-02T00:00:00.000Z');
      payments.claimMembers = { receipt };
      x402.outcome = { status: 200, result: SAGA, receipt };
    });

    test.each(TOOL_NAMES)(
      'of %s fits, has the outputs and the proof that covers them, and can be had whole',
      async name => {
        const { result } = await call(name, inputOf(name));
        const [{ text }, link, ...more] = result.content;
        expect(charsOf(result)).toBeLessThanOrEqual(CHARS_MAX);
        expect(JSON.parse(text)).toEqual(result.structuredContent);
        const isProof = name === 'zk_prove_spatial' || name === 'generate_goldilocks_stark_proof';
        const isSaga = name === 'm2m_license_contract';
        const proofId = isProof || isSaga ? PROOF_ID : EVIDENCE_ID;
        const uri = `svc://proofs/${proofId}`;
        const root = isProof || isSaga ? HASH : ROOT;
        expect(result.structuredContent).toMatchObject({
          evidence: { proofId, root, uri, ...DIGEST },
          whole: isSaga ? `svc://sagas/${SAGA_ID}` : `svc://answers/${CLAIM_ID}`,
        });
        expect([link, more]).toEqual([
          { type: 'resource_link', uri, name: 'proof', mimeType: 'application/json' },
          [],
        ]);
        expect(await faultsOf(name, result)).toBeNull();

        const whole = (await call(name, inputOf(name), INLINE)).result;
        expect(whole.structuredContent).toMatchObject(isSaga ? SAGA : { ...LARGEST[name][1].output });
        expect(whole.structuredContent.auditProof).toEqual(
          expect.objectContaining({ root: isSaga ? HASH : ROOT }),
        );
        expect(whole.content).toEqual([{ type: 'text', text: expect.any(String) }]);
        expect(JSON.parse(whole.content[0].text)).toEqual(whole.structuredContent);
        expect(await faultsOf(name, whole)).toBeNull();
      },
    );

    test('names what was left out of it, and shows the beginnings of its lists', async () => {
      const { catalog, shortened } = (await catalogue()).result.structuredContent;
      expect(shortened).toEqual([{ path: 'catalog', shown: catalog.length, of: 64 }]);
      expect(catalog).toEqual(
        (LARGEST.get_product_catalog[1].output.catalog as unknown[]).slice(0, catalog.length),
      );
      expect(catalog.length).toBeGreaterThan(3);
      const mesh = (await call('sync_mesh_crdt', {})).result.structuredContent;
      expect([mesh.stateVector, mesh.shortened]).toEqual([
        undefined,
        [{ path: 'stateVector', shown: 0, of: 8_002 }],
      ]);
    });

    test('of a grading says which proof covers that, too, and leaves nothing out', async () => {
      const award = { sats: 12, earnedSats: 12, reason: 'AWARDED' };
      const graded = { cognitiveScore: 100, starkProofHash: HASH, satsAwarded: 12, grading: GRADING, award };
      shared.tools.reply = () => ({ output: graded });
      const { result } = await call('arena_challenge', {});
      const { auditProof: _whole, ...grading } = GRADING;
      const evidence = { proofId: PROOF_ID, root: HASH, uri: `svc://proofs/${PROOF_ID}`, ...DIGEST };
      expect(result.structuredContent).toMatchObject({ ...graded, grading: { ...grading, evidence } });
      expect(result.structuredContent).not.toHaveProperty('shortened');
      expect(result.structuredContent.grading).not.toHaveProperty('auditProof');
      expect(charsOf(result)).toBeLessThanOrEqual(CHARS_MAX);
      expect(await faultsOf('arena_challenge', result)).toBeNull();
    });

    test('keeps what opens the commitment of its proof, which only it has', async () => {
      const { structuredContent } = (await call('zk_prove_spatial', { coordinates: [1] })).result;
      expect(structuredContent.opening).toEqual(PROVED.opening);
      for (const name of ['publicInputs', 'auditProof', 'starkRoot'])
        expect(structuredContent).not.toHaveProperty(name);
    });

    test('is bought alike in either view', async () => {
      const idem = { 'svc/idempotency-key': 'once' };
      await catalogue(idem);
      await catalogue({ ...idem, ...INLINE });
      const [linked, inline] = shared.payments.claimed;
      expect(inline).toEqual(linked);
      expect(
        shared.payments.delivered.map(({ response }) => Buffer.from(response.body).includes('auditProof')),
      ).toEqual([true, true]);
    });

    test('says nothing of a length that the prover does not tell now', async () => {
      shared.tools.digest = undefined;
      const { evidence } = (await catalogue()).result.structuredContent;
      expect(evidence).toEqual({ proofId: EVIDENCE_ID, root: ROOT, uri: `svc://proofs/${EVIDENCE_ID}` });
    });

    test.each<[string, Record<string, string>]>([
      ['a version that has none', { 'mcp-protocol-version': '2025-03-26' }],
      ['no version', {}],
    ])('has no link for a client that names %s', async (_, headers) => {
      const message = rpc('tools/call', { name: 'get_product_catalog', arguments: {} });
      const { messages } = await postMcp(`${shared.address}/mcp`, message, {
        headers: { ...KEY, ...headers },
      });
      expect(messages[0].result.content).toEqual([
        { type: 'text', text: expect.stringContaining('svc://proofs/') },
      ]);
    });

    test('that another pays than a key says nothing of a resource that needs one', async () => {
      shared.payments.claimMembers = {};
      expect((await catalogue()).result.structuredContent).not.toHaveProperty('whole');
    });

    test.each(['linked', '', 1, null])('is not given in the view %j, and nothing is taken', async wish => {
      const { error } = await catalogue({ 'svc/evidence': wish });
      expect(error).toMatchObject({ code: -32_602, message: 'svc/evidence: must be "inline", or left out' });
      expect(error.data.problem.errors).toMatchObject([
        { path: '_meta["svc/evidence"]', bound: 'inline', got: String(wish) },
      ]);
      expect([...shared.payments.claimed, ...shared.tools.calls]).toEqual([]);
    });
  });

  describe('a whole answer as a resource', () => {
    const uri = `svc://answers/${CLAIM_ID}`;
    const read = (address: string, headers = {}) => ask(rpc('resources/read', { uri: address }), headers);
    beforeEach(() => {
      shared = sharedNow();
      const body = Buffer.from('{"catalog":[]}');
      shared.payments.bought = { status: 200, contentType: 'application/json', body };
      shared.payments.reread.length = 0;
    });

    test('is what was stored, for the key that comes with the request', async () => {
      const { contents } = (await read(uri)).result;
      expect(contents).toEqual([{ uri, mimeType: 'application/json', text: '{"catalog":[]}' }]);
      expect(shared.payments.reread).toEqual([{ claimId: CLAIM_ID, accountKey: KEY['x-svc-key'] }]);
    });

    test('is none for another id, or where payments knows of none', async () => {
      for (const none of ['svc://answers/1', 'svc://answers/../x', 'svc://answers/'])
        expect((await read(none)).error).toMatchObject({ code: -32_002 });
      expect(shared.payments.reread).toEqual([]);
      shared.payments.bought = undefined;
      expect((await read(uri)).error).toMatchObject({ code: -32_002, data: { uri } });
    });

    test('is refused without a key', async () => {
      const { messages } = await postMcp(`${shared.address}/mcp`, rpc('resources/read', { uri }));
      expect(messages[0]).toMatchObject({
        error: { data: { problem: { code: 'UNKNOWN_CREDENTIAL', status: 401 } } },
      });
      expect(shared.payments.reread).toEqual([]);
    });
  });
}
