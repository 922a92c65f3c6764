import { beforeAll, describe, expect, it } from '@jest/globals';
import { verifyAuditedAnswer } from '@svc/client';
import { ToolCatalog, toolDefinition, type ToolName } from '@svc/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { request } from 'node:http';
import { ADMIN_KEY, type CardRoute } from './card-fixture.js';
import { type Answer, payInvoice, post } from './paid-call.js';
import { until } from './processes.js';

const PRICE = 1_000;
/** Proofs that take long enough for a look at a balance. */
const AHEAD = 8;
type Json = Record<string, unknown>;

let card: CardRoute;
let key: string;

async function accountKey(amountMicroUsd: number): Promise<string> {
  const admin = (path: string, body: Json) =>
    post(`${card.route.address}${path}`, body, { 'x-svc-key': ADMIN_KEY, 'idempotency-key': path });
  const { json: account } = await admin('/v1/admin/accounts', {});
  const path = `/v1/admin/accounts/${String(account.accountId)}`;
  await admin(`${path}/credit`, { amountMicroUsd, reason: 'test' });
  return (await admin(`${path}/keys`, { label: 'tools' })).json.key as string;
}

const get = async (path: string, headers: Record<string, string> = {}) =>
  (
    await fetch(`${card.route.address}${path}`, { headers: { accept: 'application/json', ...headers } })
  ).json() as Promise<Json>;
const balance = async () => (await get('/v1/account', { 'x-svc-key': key })).balanceMicroUsd as number;
const pathOf = (tool: ToolName) => `${card.route.address}/v1/tools/${tool}`;
const byKey = (tool: ToolName, input: Json, more: Record<string, string> = {}) =>
  post(pathOf(tool), input, { 'x-svc-key': key, ...more });

async function l402For(tool: ToolName, input: Json): Promise<Record<string, string>> {
  const asked = await post(pathOf(tool), input);
  expect([asked.status, asked.json.code]).toEqual([402, 'PAYMENT_REQUIRED']);
  const macaroon = /macaroon="([^"]+)"/.exec(asked.headers.get('www-authenticate')!)![1];
  const preimage = await payInvoice(card.route.address, asked.json.invoice as string);
  return { authorization: `L402 ${macaroon}:${preimage}` };
}

async function verdictOf(answer: Json, request?: Json) {
  const { proofId } = answer.auditProof as { proofId: string };
  const { proof } = await get(`/v1/stark/proofs/${proofId}`);
  const { keys } = await get('/.well-known/svc-proof-keys.json');
  return verifyAuditedAnswer({
    answer,
    proof: Buffer.from(proof as string, 'base64'),
    keys: keys as never,
    ...(request && { request }),
  });
}

const INPUTS: Partial<Record<ToolName, Json>> = {
  zk_prove_spatial: { coordinates: [52.5, 13.4], parcelId: 'plot 7' },
  generate_goldilocks_stark_proof: { publicInputs: ['42'], privateWitness: ['7'] },
  create_purchase_link: { tier: 'developer_sdk' },
  get_product_catalog: {},
};

/** Tools that are called over HTTP, with the prover as it is. */
export function describeToolCalls(cardOf: () => CardRoute): void {
  describe('tool calls', () => {
    beforeAll(async () => {
      card = cardOf();
      key = await accountKey(1_000_000);
    });

    describe('a tool over HTTP', () => {
      it.each(Object.entries(INPUTS) as [ToolName, Json][])(
        '%s is paid for by a key, gives what its published schema says, and its evidence holds',
        async (tool, input) => {
          const before = await balance();
          const { status, json: answer, headers } = await byKey(tool, input);
          expect(status).toBe(200);
          expect(headers.get('payment-receipt')).toBeTruthy();
          expect(await balance()).toBe(before - PRICE);
          const { tools } = ToolCatalog.parse(await get('/mcp.json'));
          const { outputSchema } = tools.find(({ name }) => name === tool)!;
          const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(outputSchema);
          expect([isValid(answer), isValid.errors]).toEqual([true, null]);
          expect(await verdictOf(answer, { ...toolDefinition(tool).input.parse(input) })).toMatchObject({
            valid: true,
          });
          expect((await verdictOf({ ...answer, more: 1 })).valid).toBe(false);
          if ('paymentReceipt' in answer) expect(answer.paymentReceipt).toBe(headers.get('payment-receipt'));
        },
      );

      it('m2m_license_contract is sold as a saga, at its own price', async () => {
        const before = await balance();
        const input = { licenseeAgentId: 'agent-7' };
        const { status, json: answer } = await byKey('m2m_license_contract', input);
        expect([status, answer.status]).toEqual([200, 'COMPLETED']);
        expect(await balance()).toBe(before - 5 * PRICE);
        expect(await verdictOf(answer)).toMatchObject({ valid: true });
        const paid = await post(
          pathOf('m2m_license_contract'),
          input,
          await l402For('m2m_license_contract', input),
        );
        expect([paid.status, paid.json.status]).toEqual([200, 'COMPLETED']);
      });

      it('the same payment gets the same answer again, and buys nothing else', async () => {
        const input = INPUTS.zk_prove_spatial!;
        const credential = await l402For('zk_prove_spatial', input);
        const first = await post(pathOf('zk_prove_spatial'), input, credential);
        const again = await post(pathOf('zk_prove_spatial'), input, credential);
        expect([first.status, again.status, again.text === first.text]).toEqual([200, 200, true]);
        const other = await post(pathOf('zk_prove_spatial'), { coordinates: [1, 2] }, credential);
        expect([other.status, other.json.code]).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE']);
        const elsewhere = await post(pathOf('get_product_catalog'), {}, credential);
        expect(elsewhere.status).toBe(402);
      });

      it('under one Idempotency-Key a link is made once, and paid for once', async () => {
        const before = await balance();
        // Another link than of the test before: the same key with the same inputs repeats a purchase.
        const input = { tier: 'enterprise_sam' };
        const more = { 'idempotency-key': 'one link' };
        const [first, second] = await Promise.all([
          byKey('create_purchase_link', input, more),
          byKey('create_purchase_link', input, more),
        ]);
        const done = [first, second].find(({ status }) => status === 200)!;
        const again = await byKey('create_purchase_link', input, more);
        expect(again.text).toBe(done.text);
        expect(await balance()).toBe(before - PRICE);
        expect((await fetch(done.json.checkoutUrl as string)).status).toBe(200);
      });

      it('refuses what no tool can work on, and takes nothing', async () => {
        const before = await balance();
        const refused: [Answer, number, string][] = [
          [await byKey('zk_prove_spatial', { coordinates: [95, 8] }), 422, 'UNPROCESSABLE'],
          [await byKey('zk_prove_spatial', { coordinates: ['x'] }), 400, 'VALIDATION_FAILED'],
          [await byKey('generate_goldilocks_stark_proof', { publicInputs: ['x'] }), 400, 'VALIDATION_FAILED'],
        ];
        for (const [{ status, json }, expected, code] of refused)
          expect([status, json.code]).toEqual([expected, code]);
        expect(await balance()).toBe(before);
      });

      it('that is given up by a hang-up is not charged, and the same purchase can be made again', async () => {
        const start = await balance();
        const inputs = (first: number) => ({
          publicInputs: Array.from({ length: 1_024 }, (_, index) => String(first + index)),
        });
        // Those ahead keep the lane of small proofs, so that what is given up has not come to its turn.
        const ahead = Array.from({ length: AHEAD }, (_, i) =>
          byKey('generate_goldilocks_stark_proof', inputs(i + 1)),
        );
        const before = start - AHEAD * PRICE;
        await until(
          async () => (await balance()) === before,
          () => 'the claims of those ahead',
        );
        const input = inputs(0);
        const headers = {
          'content-type': 'application/json',
          'x-svc-key': key,
          'idempotency-key': 'given up',
        };
        const outgoing = request(pathOf('generate_goldilocks_stark_proof'), { method: 'POST', headers });
        outgoing.on('error', () => undefined);
        outgoing.end(JSON.stringify(input));
        await until(
          async () => (await balance()) < before,
          () => 'the claim',
        );
        outgoing.destroy();
        await until(
          async () => (await balance()) === before,
          () => 'the credit that comes back',
        );
        for (const { status } of await Promise.all(ahead)) expect(status).toBe(200);
        const again = await byKey('generate_goldilocks_stark_proof', input, {
          'idempotency-key': 'given up',
        });
        expect([again.status, again.json.verified]).toEqual([200, true]);
        expect(await balance()).toBe(before - PRICE);
      });

      it('says who is paid, as the card processor knows it', async () => {
        const { monetization } = ToolCatalog.parse(await get('/mcp.json'));
        const { json: link } = await byKey('create_purchase_link', {});
        expect(monetization).toMatchObject({
          ...{ protocol: 'mpp', destination: link.processorAccount, destinationName: 'Sandbox' },
        });
        expect(monetization.networkId).not.toBe('');
      });
    });
  });
}
