import { beforeAll, describe, expect, it } from '@jest/globals';
import { verifyAuditedAnswer, verifyExecutionProof, verifyLicenceAnswer } from '@svc/client';
import { TOOLS, type ToolName } from '@svc/contracts';
import { paymentsService } from '@svc/payments';
import { proverService } from '@svc/prover';
import { Client } from 'pg';
import { closeInOrder } from '../src/closing-order.js';
import type { CardRoute } from './card-fixture.js';
import { type Answer, payInvoice, post } from './paid-call.js';
import { until } from './processes.js';

type Json = Record<string, unknown>;
/** What `verifyLicenceAnswer` takes of keys and proofs, as the routes give them. */
type Fetched = Parameters<typeof verifyLicenceAnswer>[0];

const RECEIPT_VERIFIER = new URL('../../../tools/clients/verify-receipt.mjs', import.meta.url);
type VerifyReceipt = (receipt: string, keys: Json, call: object) => Json;

let card: CardRoute;
let address: string;

const get = async (path: string, headers: Record<string, string> = {}) =>
  (
    await fetch(`${address}${path}`, { headers: { accept: 'application/json', ...headers } })
  ).json() as Promise<Json>;

/** A Lightning payment for a tool. */
async function paymentFor(tool: ToolName): Promise<{ authorization: string }> {
  const challenge = await fetch(`${address}/v1/x402/challenge?tool=${tool}`);
  const { invoice } = (await challenge.json()) as { invoice: string };
  const macaroon = /macaroon="([^"]+)"/.exec(challenge.headers.get('www-authenticate')!)![1];
  return { authorization: `L402 ${macaroon}:${await payInvoice(address, invoice)}` };
}

/** A ticket of a tool. */
async function ticketFor(tool: ToolName): Promise<string> {
  const paid = await post(`${address}/v1/x402/verify`, {}, await paymentFor(tool));
  expect([paid.status, paid.json.tool]).toEqual([200, tool]);
  return paid.json.ticket as string;
}

const execute = async (tool: ToolName, input: Json): Promise<Answer> =>
  post(`${address}/v1/x402/execute`, input, { 'x-execution-ticket': await ticketFor(tool) });
async function connect(connectionString: string): Promise<InstanceType<typeof Client>> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}
const keysOf = async (name: string) => (await get(`/.well-known/svc-${name}-keys.json`)).keys as never;
const proofOf = (proofId: unknown) => get(`/v1/stark/proofs/${String(proofId)}`) as Promise<never>;
const batchOf = async (answer: Json): Promise<Uint8Array> => {
  const { proof } = (await proofOf((answer.auditProof as Json).proofId)) as { proof: string };
  return Buffer.from(proof, 'base64');
};
const auditVerdict = async (answer: Json, request?: Json) =>
  verifyAuditedAnswer({
    answer,
    proof: await batchOf(answer),
    keys: await keysOf('proof'),
    ...(request && { request }),
  });

/** Tools that are bought by ticket, each a saga, with the prover as it is. */
export function describeToolSagas(cardOf: () => CardRoute): void {
  describe('tool sagas', () => {
    beforeAll(() => {
      card = cardOf();
      ({ address } = card.route);
    });

    it.each([
      ['/v1/x402/execute?tool=get_product_catalog', {}, 1_000],
      ['/v1/tools/m2m_license_contract', { licenseeAgentId: 'agent-7' }, 5_000],
    ])(
      '%s binds request and answer in a signed receipt, always the same, and none where it was taken back',
      async (target, input: Json, amountMicroUsd) => {
        const { verifyReceipt } = (await import(RECEIPT_VERIFIER.href)) as { verifyReceipt: VerifyReceipt };
        const keys = await get('/.well-known/did.json');
        const tool = /tool=(\w+)|\/(m2m_\w+)/.exec(target)!.slice(1).find(Boolean) as ToolName;
        const headers = await paymentFor(tool);
        const bought = await post(`${address}${target}`, input, headers);
        expect([bought.status, bought.json.status]).toEqual([200, 'COMPLETED']);
        const receipt = bought.headers.get('svc-receipt')!;
        const call = {
          ...{ origin: 'http://localhost:3000', method: 'POST', target },
          ...{ body: Buffer.from(JSON.stringify(input)), answer: Buffer.from(bought.text) },
        };
        const usage = { operationId: `tool.${tool}`, calls: 1, amountMicroUsd };
        expect(verifyReceipt(receipt, keys, call)).toMatchObject({ usage, rail: 'l402' });
        const changed = Buffer.from(bought.text.replace('COMPLETED', 'completed'));
        expect(() => verifyReceipt(receipt, keys, { ...call, answer: changed })).toThrow();
        const again = await post(`${address}${target}`, input, headers);
        expect([again.text, again.headers.get('svc-receipt')]).toEqual([bought.text, receipt]);
        if (tool !== 'm2m_license_contract') return;
        const failing = await post(
          `${address}${target}`,
          { ...input, simulateFault: true },
          await paymentFor(tool),
        );
        expect([failing.json.status, failing.headers.get('svc-receipt')]).toEqual(['COMPENSATED', null]);
      },
    );

    describe('a licence that was bought over HTTP', () => {
      it('holds, every part of it, by what is published alone', async () => {
        const input = {
          licenseeAgentId: 'agent-7',
          licensingTier: 'm2m_enterprise_mesh',
          capability: 'mesh',
        };
        const { status, json: answer } = await execute('m2m_license_contract', input);
        expect([status, answer.status]).toEqual([200, 'COMPLETED']);
        expect(TOOLS.m2m_license_contract.output.safeParse(answer).success).toBe(true);
        const evidence: Fetched = {
          answer,
          request: { ...input },
          licenceKeys: await keysOf('license'),
          proofKeys: await keysOf('proof'),
          walKeys: await keysOf('wal'),
          executionProof: await proofOf(answer.starkExecutionProof),
          batchProof: await batchOf(answer),
        };
        const verdict = await verifyLicenceAnswer(evidence);
        expect(verdict.checks.filter(({ valid }) => !valid)).toEqual([]);
        expect(verdict.valid).toBe(true);
        const known = await get(`/sam/verify-key/${String(answer.m2mLicenseToken)}`);
        expect(known).toMatchObject({
          valid: true,
          code: 'VALID',
          tier: 'm2m_enterprise_mesh',
          features: ['mesh'],
        });
      });

      it('does not hold where a byte of its contract, its answer or its proof is another', async () => {
        const { json: answer } = await execute('m2m_license_contract', { licenseeAgentId: 'agent-7' });
        const proof = (await proofOf(answer.starkExecutionProof)) as Json;
        const claim = (statement: Json, more: Json = {}) =>
          verifyExecutionProof({ ...proof, ...more, statement, starkRoot: answer.starkRoot } as never);
        const contract = answer.contract as Json;
        expect(claim(contract)).toMatchObject({ valid: true });
        expect(claim({ ...contract, streamIndex: 1 })).toMatchObject({ valid: false });
        expect(claim({ ...contract, amountMicroUsd: 4_999 })).toMatchObject({ valid: false });
        const bytes = Buffer.from(proof.proof as string, 'base64');
        bytes[bytes.length >> 1] ^= 1;
        expect(claim(contract, { proof: bytes })).toMatchObject({ valid: false });
        expect(await auditVerdict(answer)).toMatchObject({ valid: true });
        expect(await auditVerdict({ ...answer, executionTimeMs: -1 })).toMatchObject({
          reason: 'result-mismatch',
        });
      });

      it('that was taken back after it was proved left a proof that says so', async () => {
        const input = { licenseeAgentId: 'agent-7', simulateFault: true, faultStep: 4 };
        const { json: answer } = await execute('m2m_license_contract', input);
        expect(answer).toMatchObject({ status: 'COMPENSATED', m2mLicenseToken: '', settlementTreasury: '' });
        const events = answer.walEvents as { kind: string; step?: string; payload: Json }[];
        const proved = events.find(({ kind, step }) => kind === 'STEP_COMMIT' && step === 'prove')!;
        const proof = (await proofOf(proved.payload.proofId)) as Json;
        expect(typeof proof.revokedAt).toBe('string');
        const claim = { ...proof, statement: answer.contract } as never as Parameters<
          typeof verifyExecutionProof
        >[0];
        expect(verifyExecutionProof(claim)).toMatchObject({ valid: false, reason: 'revoked' });
      });
    });

    describe('a tool that was bought over HTTP', () => {
      const spatial = { coordinates: [52.5, 13.4], parcelId: 'plot 7' };

      it('proves a box, and its evidence holds for the request without what is private', async () => {
        const { status, json: answer } = await execute('zk_prove_spatial', spatial);
        expect([status, answer.status]).toEqual([200, 'COMPLETED']);
        expect(TOOLS.zk_prove_spatial.output.safeParse(answer).success).toBe(true);
        expect(answer.starkRoot).toBe(answer.starkRootCommitment);
        expect(await auditVerdict(answer, spatial)).toMatchObject({ valid: true });
        expect(await auditVerdict(answer, { ...spatial, parcelId: 'plot 8' })).toMatchObject({
          valid: false,
        });
        expect(await auditVerdict({ ...answer, verified: false })).toMatchObject({ valid: false });
        // Whoever is shown the answer without what opens the commitment finds the same.
        const { opening: _secret, ...shown } = answer;
        expect(await auditVerdict(shown)).toMatchObject({ valid: true });
        expect(await proofOf(answer.proofId)).toMatchObject({ airId: 'spatial-box/v1' });
      });

      it('commits to inputs, and its evidence holds', async () => {
        const input = { publicInputs: ['42'], privateWitness: ['7'], contextDomain: 'svc.example' };
        const { status, json: answer } = await execute('generate_goldilocks_stark_proof', input);
        expect([status, answer.status]).toEqual([200, 'COMPLETED']);
        expect(TOOLS.generate_goldilocks_stark_proof.output.safeParse(answer).success).toBe(true);
        expect(await auditVerdict(answer, input)).toMatchObject({ valid: true });
        expect(await auditVerdict(answer, { ...input, privateWitness: ['8'] })).toMatchObject({
          valid: true,
        });
        expect(await auditVerdict(answer, { ...input, publicInputs: ['43'] })).toMatchObject({
          valid: false,
        });
        expect(await auditVerdict({ ...answer, executionTimeMs: 0.001 })).toMatchObject({ valid: false });
      });

      it('sells a link that can be opened', async () => {
        const { status, json: answer } = await execute('create_purchase_link', {});
        expect([status, answer.status]).toEqual([200, 'COMPLETED']);
        expect(TOOLS.create_purchase_link.output.safeParse(answer).success).toBe(true);
        expect((await fetch(answer.checkoutUrl as string)).status).toBe(200);
        expect(answer.starkRoot).toBe((answer.auditProof as Json).root);
        expect(await auditVerdict(answer, {})).toMatchObject({ valid: true });
        expect(await auditVerdict(answer, { tier: 'enterprise_sam' })).toMatchObject({ valid: false });
      });

      it('says what is sold', async () => {
        const { status, json: answer } = await execute('get_product_catalog', {});
        expect([status, answer.status]).toEqual([200, 'COMPLETED']);
        expect((answer.catalog as unknown[]).length).toBeGreaterThan(10);
        expect(await auditVerdict(answer, {})).toMatchObject({ valid: true });
      });

      it('costs nothing for a bad input', async () => {
        const ticket = { 'x-execution-ticket': await ticketFor('zk_prove_spatial') };
        const bad = await post(`${address}/v1/x402/execute`, { coordinates: 'x' }, ticket);
        expect(bad.status).toBe(400);
        expect((await post(`${address}/v1/x402/execute`, spatial, ticket)).status).toBe(200);
      });
    });

    describe('an end of the process', () => {
      it('gives running sagas up before it could take them for failed, and the next start completes them', async () => {
        const ticket = { 'x-execution-ticket': await ticketFor('generate_goldilocks_stark_proof') };
        const held = await connect(card.route.databaseUrlOf('prover'));
        const watch = await connect(card.route.databaseUrl);
        const unended = async () =>
          (
            await watch.query(
              `SELECT saga_id, lease_until > now() AS held FROM payments.saga WHERE ended_at IS NULL`,
            )
          ).rows;
        // The proof is made, and cannot be kept: the call is under way for as long as this transaction.
        await held.query('BEGIN');
        await held.query('LOCK TABLE prover.proof IN ACCESS EXCLUSIVE MODE');
        const running = post(`${address}/v1/x402/execute`, { publicInputs: ['1'] }, ticket).catch(
          () => undefined,
        );
        await until(
          async () => (await unended()).length === 1,
          () => 'the saga to run',
        );
        const closing = closeInOrder([paymentsService, proverService], Object.values(card.route.running()));
        await until(
          async () => (await unended()).every(saga => saga.held === false),
          () => 'the saga to be given up',
        );
        await held.query('COMMIT');
        await closing;
        const [{ saga_id: sagaId }] = await unended();
        await Promise.all([card.route.startPayments(), card.route.startProver()]);
        await running;
        let saga: Json = {};
        await until(
          async () => {
            saga = await get(`/v1/x402/sagas/${String(sagaId)}`, ticket);
            return saga.status === 'COMPLETED';
          },
          () => `the end of the saga: ${JSON.stringify(saga)}`,
        );
        const { walEvents, result } = saga as { walEvents: { kind: string; fence: number }[]; result: Json };
        expect(walEvents.filter(({ kind }) => kind === 'STEP_FAIL')).toEqual([]);
        expect(walEvents.at(-1)!.fence).toBeGreaterThan(1);
        const { inputSalt: _opensTheDigestOfTheLog, ...answer } = result;
        expect(await auditVerdict(answer)).toMatchObject({ valid: true });
        await Promise.all([held.end(), watch.end()]);
      });
    });
  });
}
