import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { privateKeyToAccount } from 'viem/accounts';
import { type AllRails, REFUND_KEY } from './all-rails-fixture.js';
import { ADMIN_KEY } from './card-fixture.js';
import { type Answer, paidL402, post } from './paid-call.js';
import { until } from './processes.js';
import { chainActor, fundedWallet, signedPayment } from './x402-wallet.js';

const PATH = '/v1/zk/prove';
const PRICE = 1_000;
const CENT = 10_000;
const MILLION = 1_000_000n;

let rails: AllRails;
const at = (path: string) => rails.route.address + path;

/** A call that was paid for, its claim and how to ask for its answer again. */
interface Bought {
  readonly claimId: string;
  readonly creditKey: string | null;
  again(): Promise<Answer>;
}

async function bought(credential: Record<string, string>): Promise<Bought> {
  const body = { traceData: randomUUID(), degree: 8 };
  const again = () => post(at(PATH), body, credential);
  const { status, headers } = await again();
  expect(status).toBe(200);
  const [{ claim_id: claimId }] = await rails.database.query(
    `SELECT claim_id FROM payment_claim WHERE state = 'delivered' ORDER BY claimed_at DESC LIMIT 1`,
  );
  return { claimId, creditKey: headers.get('x-svc-key'), again };
}

const refund = (asked: object, key: string = randomUUID()): Promise<Answer> =>
  post(
    at('/v1/admin/refunds'),
    { to: 'origin', reason: 'a complaint', ...asked },
    { 'x-svc-key': ADMIN_KEY, 'idempotency-key': key },
  );
const get = async (path: string, key = ADMIN_KEY) =>
  (await (await fetch(at(path), { headers: { 'x-svc-key': key } })).json()) as Record<string, unknown>;
const ended = async (refundId: unknown): Promise<Record<string, unknown>> => {
  let found: Record<string, unknown> = {};
  await until(
    async () => {
      // Its next question is due now.
      await rails.database.query(`UPDATE refund SET due_at = now() WHERE state IN ('sent', 'unknown')`);
      found = await get(`/v1/admin/refunds/${String(refundId)}`);
      return found.state === 'done' || found.state === 'refused';
    },
    () => `a refund to end; it is ${JSON.stringify(found)}`,
  );
  return found;
};

function describeByCard(): void {
  describe('by card', () => {
    const stripe = () =>
      new Stripe(rails.emulator.secretKey, {
        ...{ host: '127.0.0.1', port: rails.emulator.port, protocol: 'http', telemetry: false },
      });
    const byCard = async (paymentMethod?: string) => {
      const { headers } = await post(at(PATH), undefined);
      return bought({
        'payment-credential': `SPT ${await rails.mintToken(paymentMethod)}`,
        'x-402-challenge': headers.get('x-402-challenge')!,
      });
    };
    const refundsAt = async (claimId: string) => {
      const [{ pi }] = await rails.database.query(
        `SELECT settlement_reference AS pi FROM payment_claim WHERE claim_id = $1`,
        [claimId],
      );
      return { pi, made: (await stripe().refunds.list({ payment_intent: pi, limit: 100 })).data };
    };
    const creditOf = async (key: string | null) => (await get('/v1/account', key!)).balanceMicroUsd;

    it('is the processor’s, in cents, and its own word of it takes nothing twice', async () => {
      const { claimId, creditKey, again } = await byCard();
      const odd = await refund({ claimId, microUsd: CENT + 1 });
      expect([odd.status, odd.json.errors]).toEqual([
        422,
        [expect.objectContaining({ path: 'microUsd', bound: CENT, got: CENT + 1 })],
      ]);
      const { status, json } = await refund({ claimId, microUsd: 10 * CENT });
      expect([status, json]).toEqual([
        201,
        expect.objectContaining({ state: 'done', by: 'stripe', fromCreditMicroUsd: 10 * CENT - PRICE }),
      ]);
      const { pi, made } = await refundsAt(claimId);
      expect(made).toMatchObject([
        { id: json.reference, amount: 10, metadata: { refund_id: json.refundId } },
      ]);
      await rails.emulator.idle();
      expect(await creditOf(creditKey)).toBe(40 * CENT);
      // What is refunded on the processor's own pages comes off the credit, and what was refunded here does not come off again.
      await stripe().refunds.create({ payment_intent: pi, amount: 5 });
      await rails.emulator.idle();
      expect(await creditOf(creditKey)).toBe(35 * CENT);
      expect((await refund({ claimId, microUsd: 36 * CENT })).json.errors).toMatchObject([
        { bound: 35 * CENT },
      ]);
      expect((await again()).headers.get('svc-refund')).toBe('refunded=100000, charged=500000');
    });

    it('that is pending is counted at the processor, and takes nothing twice while it is', async () => {
      const { claimId, creditKey } = await byCard('pm_card_pendingRefund');
      const { json } = await refund({ claimId, microUsd: 10 * CENT });
      expect(json).toMatchObject({ state: 'unknown', detail: expect.stringContaining('pending') });
      await rails.emulator.idle();
      expect(await creditOf(creditKey)).toBe(40 * CENT);
      rails.emulator.control.advance(60);
      await rails.emulator.idle();
      expect(await ended(json.refundId)).toMatchObject({ state: 'done' });
      expect(await creditOf(creditKey)).toBe(40 * CENT);
    });

    it('that fails after it was made is taken back: the credit is there again, and the answer says so', async () => {
      const { claimId, creditKey, again } = await byCard('pm_card_refundFail');
      const { json } = await refund({ claimId, microUsd: 10 * CENT });
      expect(json.state).toBe('done');
      await rails.emulator.idle();
      const { pi } = await refundsAt(claimId);
      const cleared = async () => {
        const [{ sum }] = await rails.database.query(
          `SELECT sum(amount_micro_usd)::int AS sum FROM ledger_entry
            WHERE claim_id = $1 AND account IN ('processor-clearing', 'holds')`,
          [claimId],
        );
        return sum;
      };
      expect(await cleared()).toBe(-40 * CENT);
      rails.emulator.control.advance(60);
      await rails.emulator.idle();
      expect((await stripe().paymentIntents.retrieve(pi)).amount_received).toBe(50);
      expect(await ended(json.refundId)).toMatchObject({ state: 'refused' });
      expect(await cleared()).toBe(-50 * CENT);
      expect(await creditOf(creditKey)).toBe(50 * CENT - PRICE);
      expect((await again()).headers.get('svc-refund')).toBe('refunded=0, charged=500000');
      expect((await refund({ claimId, to: 'credit' })).json).toMatchObject({
        state: 'done',
        microUsd: PRICE,
      });
    });

    it('whose answer is lost is found at the processor, and made once', async () => {
      const { claimId } = await byCard();
      rails.emulator.control.fault({
        ...{ method: 'POST', path: '/v1/refunds', after: true, drop: true, times: 2 },
      });
      const key = randomUUID();
      const { json } = await refund({ claimId, microUsd: CENT }, key);
      rails.emulator.control.clearFaults();
      expect((await refund({ claimId, microUsd: CENT }, key)).json.refundId).toBe(json.refundId);
      expect(await ended(json.refundId)).toMatchObject({ state: 'done' });
      expect((await refundsAt(claimId)).made).toHaveLength(1);
    });

    it('fifty times at once gives back no more than was charged', async () => {
      const { claimId } = await byCard();
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => refund({ claimId, microUsd: 2 * CENT })),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(25);
      const { made } = await refundsAt(claimId);
      expect(made.reduce((sum, { amount }) => sum + amount, 0)).toBe(50);
      expect((await refund({ claimId })).json.errors).toMatchObject([{ path: 'microUsd', bound: 0 }]);
    });
  });
}

function describeOnChain(): void {
  describe('on a chain', () => {
    const byWallet = async () => {
      const wallet = await fundedWallet(rails.chain!);
      const payment = await signedPayment(wallet, at(PATH));
      return { wallet, ...(await bought({ 'payment-signature': payment })) };
    };
    const balanceOf = (address: `0x${string}`) => chainActor(rails.chain!).balanceOf(address);

    it('is a transfer to the payer; an empty wallet of refunds refuses, and moves nothing', async () => {
      if (!rails.chain) return;
      const { claimId, wallet, again } = await byWallet();
      const empty = await refund({ claimId });
      expect([empty.status, empty.json.state]).toEqual([201, 'refused']);
      await chainActor(rails.chain).mint(privateKeyToAccount(REFUND_KEY).address, 10n * MILLION);
      expect((await refund({ claimId, microUsd: 400 })).json).toMatchObject({ state: 'done', by: 'x402' });
      expect(await balanceOf(wallet.address)).toBe(MILLION - 600n);
      const { json } = await refund({ claimId });
      expect(json).toMatchObject({ state: 'done', microUsd: 600 });
      expect(json.reference).toMatch(/^0x[0-9a-f]{64}$/);
      expect(await balanceOf(wallet.address)).toBe(MILLION);
      expect((await again()).headers.get('svc-refund')).toBe('refunded=1000, charged=1000');
    });

    it('whose answer is lost is found on the chain, and made once', async () => {
      if (!rails.chain) return;
      const { claimId, wallet } = await byWallet();
      rails.proxy!.mode = 'lose-sent';
      const { json } = await refund({ claimId });
      expect(json.state).toBe('unknown');
      rails.proxy!.mode = 'open';
      expect(await ended(json.refundId)).toMatchObject({ state: 'done' });
      expect(await balanceOf(wallet.address)).toBe(MILLION);
    });
  });
}

function describeByLightning(): void {
  describe('by Lightning', () => {
    const bring = (invoice: string, authorization?: string) =>
      post(at('/v1/refunds/lightning'), { invoice }, authorization ? { authorization } : {});

    it('is paid to an invoice of who holds the credential', async () => {
      const authorization = await paidL402(rails.route.address);
      const { claimId } = await bought({ authorization });
      const { json } = await refund({ claimId });
      expect(json).toMatchObject({ state: 'requested', by: 'lightning' });
      // The sandbox's node pays what it has made itself: the invoice of a challenge over the same price.
      const { json: challenge } = await post(at(PATH), undefined);
      const invoice = challenge.invoice as string;
      const missing = await bring(invoice);
      expect([missing.status, missing.json.errors]).toMatchObject([400, [{ path: 'Authorization' }]]);
      const stranger = await bring(invoice, await paidL402(rails.route.address));
      expect([stranger.status, stranger.json.code]).toEqual([404, 'NOT_FOUND']);
      const paid = await bring(invoice, authorization);
      expect([paid.status, paid.json]).toMatchObject([
        200,
        { refundId: json.refundId, state: 'done', sats: 2 },
      ]);
      expect((await bring(invoice, authorization)).json).toEqual(paid.json);
      const listed = (await get(`/v1/admin/refunds?claimId=${claimId}`)) as { items: unknown[] };
      expect(listed.items).toMatchObject([{ refundId: json.refundId, state: 'done' }]);
    });
  });
}

/** Refunds by operators, over the gateway and every rail. @param shared what all suites of the file share */
export function describeRefunds(shared: () => AllRails): void {
  describe('refunds', () => {
    beforeAll(() => {
      rails = shared();
    });

    describeByCard();
    describeOnChain();
    describeByLightning();

    it('need a key with the scope, and an Idempotency-Key', async () => {
      const asked = { claimId: randomUUID(), to: 'origin', reason: 'a complaint' };
      const bare = await post(at('/v1/admin/refunds'), asked, { 'x-svc-key': ADMIN_KEY });
      expect([bare.status, bare.json.errors]).toMatchObject([400, [{ path: 'Idempotency-Key' }]]);
      expect((await post(at('/v1/admin/refunds'), asked)).status).toBe(401);
      expect((await refund({ ...asked, to: 'elsewhere' })).json.errors).toMatchObject([{ path: 'to' }]);
      expect((await refund(asked)).status).toBe(404);
    });

    it('and the ledger agree', async () => {
      const { json } = await post(at('/v1/admin/reconcile'), {}, { 'x-svc-key': ADMIN_KEY });
      expect(json.findings).toEqual([]);
    });
  });
}
