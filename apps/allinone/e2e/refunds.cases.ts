import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { privateKeyToAccount } from 'viem/accounts';
import { type AllRails, REFUND_KEY } from './all-rails-fixture.js';
import { ADMIN_KEY } from './card-fixture.js';
import { type Answer, paidL402, post } from './paid-call.js';
import { until } from './processes.js';
import { chainActor, fetchV2, fundedWallet, signedPayment } from './x402-wallet.js';

const PATH = '/v1/zk/prove';
const TOP_UP = '/v1/account/top-up';
const PRICE = 1_000;
const CENT = 10_000;
const MILLION = 1_000_000n;

let rails: AllRails;
const at = (path: string) => rails.route.address + path;

/** Micro-USD of a top-up, and the satoshis that it costs. */
const TOPPED_UP = 500_000;
const SATS = 1_000;
const SATS_PER_CENT = 20;
/** Satoshis that a dollar costs elsewhere: the 2,000 of the price list, half as many, and half as many again. */
const RATES = [1_000, 2_000, 3_000];
type Money = 'card' | 'token' | 'sats';

/** A call that was paid for, its claim and how to ask for its answer again. */
interface Bought {
  readonly claimId: string;
  readonly creditKey: string | null;
  again(): Promise<Answer>;
}

async function newestClaim(): Promise<string> {
  const [{ claim_id: claimId }] = await rails.database.query(
    `SELECT claim_id FROM payment_claim WHERE state = 'delivered' ORDER BY claimed_at DESC LIMIT 1`,
  );
  return claimId;
}

async function bought(credential: Record<string, string>): Promise<Bought> {
  const body = { traceData: randomUUID(), degree: 8 };
  const again = () => post(at(PATH), body, credential);
  const { status, headers } = await again();
  expect(status).toBe(200);
  return { claimId: await newestClaim(), creditKey: headers.get('x-svc-key'), again };
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

const stripe = () =>
  new Stripe(rails.emulator.secretKey, {
    ...{ host: '127.0.0.1', port: rails.emulator.port, protocol: 'http', telemetry: false },
  });

async function refundsAt(claimId: string) {
  const [{ pi }] = await rails.database.query(
    `SELECT settlement_reference AS pi FROM payment_claim WHERE claim_id = $1`,
    [claimId],
  );
  return { pi, made: (await stripe().refunds.list({ payment_intent: pi, limit: 100 })).data };
}

function describeByCard(): void {
  describe('by card', () => {
    const byCard = async (paymentMethod?: string) => {
      const { headers } = await post(at(PATH), undefined);
      return bought({
        'payment-credential': `SPT ${await rails.mintToken(paymentMethod)}`,
        'x-402-challenge': headers.get('x-402-challenge')!,
      });
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

/** Somebody who tops up one account in several moneys, and what each of his wallets has gained. */
class Exchanger {
  private readonly claims: { readonly claimId: string; readonly authorization?: string }[] = [];
  private sats = 0;

  private constructor(
    private readonly key: string,
    private readonly wallet: Awaited<ReturnType<typeof fundedWallet>> | undefined,
  ) {}

  static async open(): Promise<Exchanger> {
    const operator = { 'x-svc-key': ADMIN_KEY };
    const { json: account } = await post(at('/v1/admin/accounts'), {}, operator);
    const { json: made } = await post(
      at(`/v1/admin/accounts/${String(account.accountId)}/keys`),
      {},
      operator,
    );
    return new Exchanger(made.key as string, rails.chain && (await fundedWallet(rails.chain)));
  }

  /** @returns the claim of a top-up in a money */
  async topUp(money: Money): Promise<string> {
    const body = { usd: (TOPPED_UP / 1_000_000).toFixed(2) };
    const headers: Record<string, string> = { 'x-svc-key': this.key };
    let over = fetch;
    if (money === 'sats') {
      headers.authorization = await paidL402(rails.route.address, TOP_UP, rails.route.address, fetch, body);
      this.sats -= SATS;
    } else if (money === 'card') {
      headers['payment-credential'] = `SPT ${await rails.mintToken()}`;
      headers['x-402-challenge'] = (await post(at(TOP_UP), body)).headers.get('x-402-challenge')!;
    } else over = fetchV2(this.wallet!) as typeof fetch;
    const { status, json } = await post(at(TOP_UP), body, headers, over);
    expect([money, status, json.creditedMicroUsd]).toEqual([money, 200, TOPPED_UP]);
    const claimId = await newestClaim();
    this.claims.push({ claimId, authorization: headers.authorization });
    return claimId;
  }

  /** A cent, which each money has whole units of. */
  async spendCent(): Promise<void> {
    for (let spent = 0; spent < CENT; spent += PRICE) {
      const { status } = await post(at(PATH), { traceData: randomUUID() }, { 'x-svc-key': this.key });
      expect(status).toBe(200);
    }
  }

  /** Asks for a claim in parts, and for more than it has, and brings invoices over all that is granted and over more. */
  async takeOut(claimId: string): Promise<void> {
    const parts = [
      3 * TOPPED_UP,
      0.8 * TOPPED_UP,
      2 * TOPPED_UP,
      0.2 * TOPPED_UP,
      CENT,
      undefined,
      undefined,
    ];
    for (const microUsd of parts) {
      const { status, json } = await refund({ claimId, microUsd });
      expect([201, 422]).toContain(status);
      if (json.state !== 'requested') continue;
      const cents = Number(json.microUsd) / CENT;
      for (const invoiced of [3 * cents, cents + 1, cents]) await this.bring(claimId, invoiced);
    }
  }

  private async bring(claimId: string, cents: number): Promise<void> {
    const { authorization } = this.claims.find(each => each.claimId === claimId)!;
    const { json } = await post(at(TOP_UP), { usd: (cents / 100).toFixed(2) });
    const brought = await post(
      at('/v1/refunds/lightning'),
      { invoice: json.invoice },
      { authorization: authorization! },
    );
    if (brought.json.state === 'done') this.sats += cents * SATS_PER_CENT;
  }

  /** As the processor, the chain and the invoices have it: cents, micro-USD of the token, satoshis. */
  async gains(): Promise<Record<Money, number>> {
    const gains = { card: 0, token: 0, sats: this.sats };
    for (const { claimId } of this.claims) {
      const { pi, made } = await refundsAt(claimId);
      if (!String(pi).startsWith('pi_')) continue;
      const { amount_received: paid } = await stripe().paymentIntents.retrieve(pi);
      gains.card += CENT * (made.reduce((sum, { amount }) => sum + amount, 0) - paid);
    }
    if (this.wallet)
      gains.token = Number((await chainActor(rails.chain!).balanceOf(this.wallet.address)) - MILLION);
    return gains;
  }
}

function describeExchange(): void {
  describe('of an account that was topped up in two moneys', () => {
    it.each<[Money, Money]>([
      ['sats', 'card'],
      ['sats', 'token'],
      ['card', 'sats'],
      ['card', 'token'],
      ['token', 'sats'],
      ['token', 'card'],
    ])(
      '%s twice, %s once: what is taken out of the second first is what came in of it',
      async (first, second) => {
        if (!rails.chain && [first, second].includes('token')) return;
        if (rails.chain)
          await chainActor(rails.chain).mint(privateKeyToAccount(REFUND_KEY).address, 10n * MILLION);
        const exchanger = await Exchanger.open();
        const claims = [
          await exchanger.topUp(first),
          await exchanger.topUp(first),
          await exchanger.topUp(second),
        ];
        await exchanger.spendCent();
        for (const claimId of claims.reverse()) await exchanger.takeOut(claimId);
        await rails.emulator.idle();
        const gains = await exchanger.gains();
        // What was spent is missing of what is taken out last.
        const spent = { card: -CENT, token: -CENT, sats: -SATS_PER_CENT };
        expect(gains).toEqual({ card: 0, token: 0, sats: 0, [first]: spent[first] });
        for (const rate of RATES)
          expect(gains.card + gains.token + (gains.sats * 1_000_000) / rate).toBeLessThan(0);
      },
    );
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
    describeExchange();

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
