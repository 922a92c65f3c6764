import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ClaimReply, type PaymentCredential, paymentsContract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { attenuate, decodeBase64, decodeMacaroon, encodeBase64, encodeMacaroon } from '@svc/protocols';
import { randomUUID } from 'node:crypto';
import { claimParts, payChallenge, type PaymentsFixture, startPayments } from './payments-fixture.js';
import { scripted, type ScriptedPayment, ScriptedRail } from './scripted-rail.js';

const DIGEST = 'ab'.repeat(32);
const OTHER_DIGEST = 'cd'.repeat(32);
const PAYER = 'x402:0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const answer = (text: string) => ({ status: 200, contentType: 'application/json', body: Buffer.from(text) });

const rail = new ScriptedRail();
let payments: PaymentsFixture;

interface Asked {
  readonly digest?: string;
  readonly operationId?: string;
  readonly idempotencyKey?: string;
}
const claim = (
  credential: PaymentCredential,
  { digest = DIGEST, operationId = 'zk.prove', idempotencyKey }: Asked = {},
) =>
  payments.bus.call(paymentsContract.claim, {
    operationId,
    requestDigest: digest,
    credential,
    idempotencyKey,
  });
const deliver = ({ claimId, attempt }: { claimId: string; attempt: number }, text = '{"proof":1}') =>
  payments.bus.call(paymentsContract.deliver, { claimId, attempt, response: answer(text) });
const release = ({ claimId, attempt }: { claimId: string; attempt: number }) =>
  payments.bus.call(paymentsContract.release, { claimId, attempt, reason: 'OVERLOADED' });

async function held(reply: Promise<ClaimReply>) {
  const claimed = await reply;
  if (claimed.outcome !== 'claimed') throw new Error(`expected a claim, got ${claimed.outcome}`);
  return claimed;
}
const codeOf = async (work: Promise<unknown>) => (await problemOf(work)).code;
const bodyOf = (reply: ClaimReply) =>
  reply.outcome === 'replayed' ? Buffer.from(reply.response.body).toString() : reply.outcome;
const nonce = () => randomUUID();
const settles = (claimId: string) => rail.asked.filter(each => each === claimId).length;

/** Lets the time of a payment's claim pass, as if that long had gone by. */
const age = (column: 'lease_until' | 'delivered_at' | 'claimed_at', claimId: string, seconds: number) =>
  payments.database.query(
    `UPDATE payment_claim SET ${column} = ${column} - make_interval(secs => $2) WHERE claim_id = $1`,
    [claimId, seconds],
  );
const netOf = async (claimId: string): Promise<Record<string, number>> => {
  const rows: { account: string; net: number }[] = await payments.database.query(
    `SELECT regexp_replace(account, ':.*', '') AS account, sum(amount_micro_usd)::int AS net FROM ledger_entry
      WHERE claim_id = $1 GROUP BY 1 HAVING sum(amount_micro_usd) <> 0`,
    [claimId],
  );
  return Object.fromEntries(rows.map(({ account, net }) => [account, net]));
};

let digests = 0;
/** A digest that no other test has asked with. */
function digestOf(): string {
  return (++digests).toString(16).padStart(64, '0');
}

/** Claim ids that the rail is asked to settle from now on. */
async function begun(count: number): Promise<string[]> {
  const from = rail.asked.length;
  while (rail.asked.length < from + count) await new Promise(resolve => setTimeout(resolve, 2));
  return rail.asked.slice(from);
}

export function describePeersLessons(): void {
  describe('peers lessons', () => {
    beforeAll(async () => {
      payments = await startPayments({ moreRails: [rail] });
    });
    afterAll(() => payments?.close());
    beforeEach(() => {
      rail.fault = 'none';
      rail.isAway = false;
      rail.gate = undefined;
    });

    describe('x402 #452: settling is idempotent', () => {
      it('a hundred parallel uses of one nonce settle it once and run one call', async () => {
        const payment = scripted({ nonce: nonce() });
        const before = rail.asked.length;
        const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => claim(payment)));
        const won = outcomes.filter(outcome => outcome.status === 'fulfilled');
        expect(won).toHaveLength(1);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected')
            expect(outcome.reason).toMatchObject({ code: 'PAYMENT_IN_FLIGHT' });
        expect(rail.asked.length - before).toBe(1);
      });

      it('a settlement whose answer was lost is never asked for again, and its money is the payer’s', async () => {
        rail.fault = 'lost-after';
        const payment = scripted({ nonce: nonce() });
        expect(await codeOf(claim(payment))).toBe('SETTLEMENT_UNKNOWN');
        const claimId = rail.asked.at(-1)!;
        rail.fault = 'none';
        await age('lease_until', claimId, 5);
        const again = await held(claim(payment));
        expect([again.claimId, settles(claimId), again.receipt.reference]).toEqual([
          claimId,
          1,
          `tx_${claimId}`,
        ]);
        await deliver(again);
        expect(await netOf(claimId)).toEqual({ 'onchain-clearing': -1_000, treasury: 1_000 });
      });

      it('a rail that throws may have taken the money: its claim is unknown, not void', async () => {
        rail.fault = 'throw-after';
        const payment = scripted({ nonce: nonce() });
        expect(await codeOf(claim(payment))).toBe('SETTLEMENT_UNKNOWN');
        await age('lease_until', rail.asked.at(-1)!, 5);
        rail.fault = 'none';
        expect((await claim(payment)).outcome).toBe('claimed');
      });
    });

    describe('x402 #451: no handler runs before settlement', () => {
      it('nobody is told to run, and nothing can be delivered, until the money was taken', async () => {
        let open = () => {};
        rail.gate = new Promise(resolve => (open = resolve));
        const payment = scripted({ nonce: nonce() });
        let told = false;
        const claiming = claim(payment).finally(() => (told = true));
        const [claimId] = await begun(1);
        expect(await codeOf(deliver({ claimId, attempt: 1 }))).toBe('CONFLICT');
        expect(await netOf(claimId)).toEqual({});
        expect(told).toBe(false);
        open();
        await deliver(await held(claiming));
        expect(await netOf(claimId)).toEqual({ 'onchain-clearing': -1_000, treasury: 1_000 });
      });

      it('a settlement that is refused runs nothing, takes nothing, and may be tried again under another claim', async () => {
        rail.fault = 'refuse';
        const payment = scripted({ nonce: nonce() });
        const refusal = await problemOf(claim(payment));
        expect(refusal.payload).toMatchObject({ code: 'PAYMENT_INVALID', detail: 'The purse is empty' });
        const refused = rail.asked.at(-1)!;
        expect(await codeOf(deliver({ claimId: refused, attempt: 1 }))).toBe('CONFLICT');
        rail.fault = 'none';
        const second = await held(claim(payment));
        expect(second.claimId).not.toBe(refused);
        expect([await netOf(refused), await netOf(second.claimId)]).toEqual([
          {},
          { 'onchain-clearing': -1_000, holds: 1_000 },
        ]);
      });
    });

    describe('x402-foundation #3438: a client that pays again after a lost response is not charged again', () => {
      const signed = (payer = PAYER) => scripted({ nonce: nonce(), payer });

      it('the answer of the first payment is given for the second, which is not settled', async () => {
        const digest = digestOf();
        const first = await held(claim(signed(), { digest }));
        await deliver(first, 'the one answer');
        const before = rail.takenMicroUsd;
        const second = await claim(signed(), { digest });
        expect([bodyOf(second), second.receipt]).toEqual(['the one answer', first.receipt]);
        expect(rail.takenMicroUsd).toBe(before);
      });

      it('of a hundred payments signed at once for one request one is taken', async () => {
        const digest = digestOf();
        const before = rail.takenMicroUsd;
        const outcomes = await Promise.allSettled(
          Array.from({ length: 100 }, () => claim(signed(), { digest })),
        );
        const won = outcomes.filter(outcome => outcome.status === 'fulfilled');
        expect([won.length, rail.takenMicroUsd - before]).toEqual([1, 1_000]);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected')
            expect(outcome.reason).toMatchObject({ code: 'PAYMENT_IN_FLIGHT' });
      });

      it('it waits while the first is in flight, and while it is unknown', async () => {
        const [running, unknown] = [digestOf(), digestOf()];
        await claim(signed(), { digest: running });
        const waits = await problemOf(claim(signed(), { digest: running }));
        expect(waits.payload).toMatchObject({ code: 'PAYMENT_IN_FLIGHT', retryAfterSeconds: 5 });
        rail.fault = 'lost-after';
        rail.isAway = true;
        await codeOf(claim(signed(), { digest: unknown }));
        rail.fault = 'none';
        const before = rail.takenMicroUsd;
        expect(await codeOf(claim(signed(), { digest: unknown }))).toBe('SETTLEMENT_UNKNOWN');
        expect(rail.takenMicroUsd).toBe(before);
      });

      it('another request, another payer, and the same request a minute later are bought', async () => {
        const digest = digestOf();
        const first = await held(claim(signed(), { digest }));
        await deliver(first);
        expect((await claim(signed(), { digest: digestOf() })).outcome).toBe('claimed');
        expect((await claim(signed('x402:0x01'), { digest })).outcome).toBe('claimed');
        await age('delivered_at', first.claimId, 61);
        expect((await claim(signed(), { digest })).outcome).toBe('claimed');
      });

      it('with its Idempotency-Key the window is 24 hours, and another body under it is refused', async () => {
        const [digest, idempotencyKey] = [digestOf(), randomUUID()];
        const first = await held(claim(signed(), { digest, idempotencyKey }));
        await deliver(first, 'kept');
        for (const column of ['delivered_at', 'claimed_at'] as const)
          await age(column, first.claimId, 23 * 3_600);
        expect(bodyOf(await claim(signed(), { digest, idempotencyKey }))).toBe('kept');
        const before = rail.takenMicroUsd;
        expect(await codeOf(claim(signed(), { digest: OTHER_DIGEST, idempotencyKey }))).toBe('UNPROCESSABLE');
        expect(rail.takenMicroUsd).toBe(before);
        const elsewhere = claim(signed('x402:0x02'), { digest: OTHER_DIGEST, idempotencyKey });
        expect((await elsewhere).outcome).toBe('claimed');
      });
    });

    describe('x402-foundation #3208: there is a pending state', () => {
      it('a payment that is being settled is neither refused nor settled twice', async () => {
        let open = () => {};
        rail.gate = new Promise(resolve => (open = resolve));
        const payment = scripted({ nonce: nonce() });
        const claiming = claim(payment);
        const [claimId] = await begun(1);
        expect(await codeOf(claim(payment))).toBe('PAYMENT_IN_FLIGHT');
        open();
        expect(await held(claiming)).toMatchObject({ claimId });
        expect(settles(claimId)).toBe(1);
      });

      it('one whose outcome is unknown is 503 with a wait until it is known, then credit, and buys the call', async () => {
        rail.fault = 'lost-after';
        rail.isAway = true;
        const payment = scripted({ nonce: nonce() });
        await codeOf(claim(payment));
        const claimId = rail.asked.at(-1)!;
        for (let time = 0; time < 3; time++) {
          const { payload } = await problemOf(claim(payment));
          expect(payload).toMatchObject({
            code: 'SETTLEMENT_UNKNOWN',
            retryAfterSeconds: expect.any(Number),
          });
        }
        rail.isAway = false;
        rail.fault = 'none';
        await age('lease_until', claimId, 60);
        const { reconciler, derived } = claimParts(payments.database, [rail]);
        await reconciler.round();
        expect(await netOf(claimId)).toEqual({ 'onchain-clearing': -1_000, customer: 1_000 });
        const [{ proof_key: proofKey }] = await payments.database.query(
          'SELECT proof_key FROM payment_claim WHERE claim_id = $1',
          [claimId],
        );
        expect(await derived.of('x402', proofKey)).toMatchObject({ balanceMicroUsd: 1_000 });
        await deliver(await held(claim(payment)));
        expect(await netOf(claimId)).toEqual({ 'onchain-clearing': -1_000, treasury: 1_000 });
      });

      it('one that was never taken becomes void, and its credential buys anew', async () => {
        rail.fault = 'lost-before';
        const payment = scripted({ nonce: nonce() });
        await codeOf(claim(payment));
        const claimId = rail.asked.at(-1)!;
        rail.fault = 'none';
        await age('lease_until', claimId, 60);
        const second = await held(claim(payment));
        expect([second.claimId === claimId, await netOf(claimId)]).toEqual([false, {}]);
      });
    });

    describe('Aperture: a payment hash is unique', () => {
      it('paid once and used as L402, it buys nothing more as MPP-lightning', async () => {
        const { l402, charge, paymentHash } = await payChallenge(payments.bus);
        const first = await held(claim(l402));
        await deliver(first, 'once');
        expect(bodyOf(await claim(charge!))).toBe('once');
        expect(await codeOf(claim(charge!, { digest: OTHER_DIGEST }))).toBe('PAYMENT_BOUND_ELSEWHERE');
        const [{ count }] = await payments.database.query(
          `SELECT count(*)::int AS count FROM payment_claim WHERE proof_key = $1`,
          [paymentHash],
        );
        expect([count, await netOf(first.claimId)]).toEqual([
          1,
          { 'lightning-clearing': -1_000, treasury: 1_000 },
        ]);
      });
    });

    describe('nevermined #417: replay is not keyed on the raw header', () => {
      it('the same payment in another spelling is the same payment, by macaroon and by nonce', async () => {
        const { l402, preimage } = await payChallenge(payments.bus);
        await deliver(await held(claim(l402)), 'lightning');
        const macaroon = decodeMacaroon(decodeBase64(l402.value.split(':')[0], 4_096)!);
        const respelled = encodeBase64(encodeMacaroon(attenuate(macaroon, 'note=mine'))).replace(/=+$/, '');
        const l402Again = await claim({ scheme: 'L402', value: `${respelled}:${preimage.toUpperCase()}` });
        expect(bodyOf(l402Again)).toBe('lightning');

        const payment = { nonce: nonce() };
        await deliver(await held(claim(scripted(payment))), 'scripted');
        expect(bodyOf(await claim(scripted({ ...payment, spelling: 'another' })))).toBe('scripted');
      });
    });

    describe('mpp-specs #330: a stored answer is not keyed on the challenge alone', () => {
      it('who shows the challenge with another body, operation or token is given nothing of it', async () => {
        const challenge = nonce();
        const paid = scripted({ nonce: challenge, token: 'spt_of_the_payer' });
        await deliver(await held(claim(paid)), 'for the payer alone');
        expect(bodyOf(await claim(paid))).toBe('for the payer alone');
        expect(await codeOf(claim(paid, { digest: OTHER_DIGEST }))).toBe('PAYMENT_BOUND_ELSEWHERE');
        expect(await codeOf(claim(paid, { operationId: 'stark.prove-m31' }))).toBe('PAYMENT_BOUND_ELSEWHERE');
        const before = rail.asked.length;
        const seen = scripted({ nonce: challenge, token: 'spt_of_somebody_else' });
        expect(await codeOf(claim(seen))).toBe('PAYMENT_BOUND_ELSEWHERE');
        expect(rail.asked.length).toBe(before);
      });

      it('one token under a hundred challenges at once buys one delivery', async () => {
        const token = `spt_${nonce()}`;
        const before = rail.takenMicroUsd;
        const digest = digestOf();
        const outcomes = await Promise.allSettled(
          Array.from({ length: 100 }, () => claim(scripted({ nonce: nonce(), token }), { digest })),
        );
        expect(outcomes.filter(outcome => outcome.status === 'fulfilled')).toHaveLength(1);
        expect(rail.takenMicroUsd - before).toBe(1_000);
      });
    });

    describe('what a payment leaves over', () => {
      it('is credit on a key that its credential alone brings up, with the call and with every replay', async () => {
        const paid = scripted({ nonce: nonce(), token: `spt_${nonce()}`, chargeMicroUsd: 500_000 });
        const first = await held(claim(paid));
        expect(first.credit).toMatchObject({
          key: expect.stringMatching(/^svc_test_/),
          balanceMicroUsd: 499_000,
        });
        await deliver(first);
        expect((await claim(paid)).credit).toEqual(first.credit);
        expect(await netOf(first.claimId)).toEqual({
          'onchain-clearing': -500_000,
          customer: 499_000,
          treasury: 1_000,
        });
      });

      it('is not shown to who reads a settled signature on chain and presents it in a credential of their own', async () => {
        const mine = { nonce: nonce(), payer: PAYER, chargeMicroUsd: 2_000 };
        const digest = digestOf();
        const first = await held(claim(scripted(mine), { digest }));
        await deliver(first);
        expect((await claim(scripted(mine), { digest })).credit).toEqual(first.credit);
        const { payload } = await problemOf(claim(scripted({ ...mine, spelling: 'theirs' }), { digest }));
        expect([payload.code, JSON.stringify(payload).includes(first.credit!.key)]).toEqual([
          'PAYMENT_INVALID',
          false,
        ]);
      });

      it.each([false, true])(
        'tells who has read its signature on chain nothing of the request, whatever became of it (public: %s)',
        async isPublic => {
          const refusals = new Set<string>();
          const guess = async (paid: ScriptedPayment, digest: string) => {
            for (const theirs of [{ isPublic: false }, { isPublic: true }]) {
              for (const guessed of [digest, digestOf()]) {
                const seen = scripted({ ...paid, ...theirs, spelling: 'theirs' });
                refusals.add(JSON.stringify((await problemOf(claim(seen, { digest: guessed }))).payload));
              }
            }
          };
          const paid = () => ({ nonce: nonce(), payer: `x402:0x${digestOf().slice(-40)}`, isPublic });
          const digest = digestOf();
          const [delivered, running, failed, unknown] = [paid(), paid(), paid(), paid()];
          await deliver(await held(claim(scripted(delivered), { digest })));
          await held(claim(scripted(running), { digest }));
          await release(await held(claim(scripted(failed), { digest })));
          rail.fault = 'lost-after';
          rail.isAway = true;
          await codeOf(claim(scripted(unknown), { digest }));
          rail.fault = 'none';
          for (const each of [delivered, running, failed, unknown]) await guess(each, digest);
          expect([...refusals].map(text => (JSON.parse(text) as { code: string }).code)).toEqual([
            'PAYMENT_INVALID',
          ]);
          // The credential that came first has its answer, and learns that another request is another.
          expect((await claim(scripted(delivered), { digest })).outcome).toBe('replayed');
          expect(await codeOf(claim(scripted(delivered), { digest: digestOf() }))).toBe(
            'PAYMENT_BOUND_ELSEWHERE',
          );
        },
      );

      it('buys another try for who paid alone, and never for who has read the signature on chain', async () => {
        const mine = { nonce: nonce(), payer: PAYER };
        const digest = digestOf();
        const first = await held(claim(scripted(mine), { digest }));
        expect((await release(first)).credit).toMatchObject({ balanceMicroUsd: 1_000 });
        expect(await codeOf(claim(scripted({ ...mine, spelling: 'theirs' }), { digest }))).toBe(
          'PAYMENT_INVALID',
        );
        expect(await codeOf(claim(scripted({ ...mine, isPublic: true }), { digest }))).toBe(
          'PAYMENT_INVALID',
        );
        const again = await held(claim(scripted(mine), { digest: digestOf() }));
        expect((await release(again)).credit).toMatchObject({ balanceMicroUsd: 1_000 });

        // Of a credential that lies on chain whole, the call that it paid for is all that it still buys, and no key.
        const open = scripted({ nonce: nonce(), payer: 'x402:0x03', isPublic: true });
        const paid = await held(claim(open, { digest }));
        expect((await release(paid)).credit).toMatchObject({ balanceMicroUsd: 1_000 });
        expect(await codeOf(claim(open, { digest: digestOf() }))).toBe('PAYMENT_INVALID');
        const retry = await held(claim(open, { digest }));
        expect([retry.credit, await release(retry)]).toEqual([undefined, { released: true }]);
      });

      it('of a failed call buys the next try while it is there, and is told to be spent when it is not', async () => {
        const { l402, paymentHash } = await payChallenge(payments.bus);
        const first = await held(claim(l402));
        const { credit } = await release(first);
        expect(credit).toMatchObject({ balanceMicroUsd: 1_000 });
        expect(await netOf(first.claimId)).toEqual({ 'lightning-clearing': -1_000, customer: 1_000 });
        const bought = await payments.bus.call(paymentsContract.claim, {
          operationId: 'zk.prove',
          requestDigest: digestOf(),
          accountKey: credit!.key,
        });
        expect(bought.outcome).toBe('claimed');
        const spent = await problemOf(claim(l402));
        expect(spent.payload).toMatchObject({
          code: 'PAYMENT_INSUFFICIENT',
          detail: expect.stringContaining('spent'),
        });
        expect(paymentHash).toMatch(/^[0-9a-f]{64}$/);
      });
    });
  });
}
