import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimReply, type PaymentCredential, paymentsContract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import {
  attenuate,
  decodeBase64,
  decodeMacaroon,
  decodeReceipt,
  encodeBase64,
  encodeMacaroon,
} from '@svc/protocols';
import { createHash } from 'node:crypto';
import { LEASE_SECONDS } from '../src/claim/standing-claim.js';
import { claimParts, payChallenge, type PaymentsFixture, startPayments } from './payments-fixture.js';

const DIGEST = 'ab'.repeat(32);
const OTHER_DIGEST = 'cd'.repeat(32);
const ANSWER = { status: 200, contentType: 'application/json', body: Buffer.from('{"proof":"é"}') };

let payments: PaymentsFixture;

const claim = (credential: PaymentCredential, requestDigest = DIGEST, operationId = 'zk.prove') =>
  payments.bus.call(paymentsContract.claim, { operationId, requestDigest, credential });
/** Asks for what was bought before, for a caller that has no room for the work. */
const standing = (credential: PaymentCredential, requestDigest = DIGEST) =>
  payments.bus.call(paymentsContract.claim, {
    ...{ operationId: 'zk.prove', requestDigest, credential, standingOnly: true },
  });
const deliver = ({ claimId, attempt }: { claimId: string; attempt: number }) =>
  payments.bus.call(paymentsContract.deliver, { claimId, attempt, response: ANSWER });
const release = ({ claimId, attempt }: { claimId: string; attempt: number }, givenUp = false) =>
  payments.bus.call(paymentsContract.release, { claimId, attempt, reason: 'OVERLOADED', givenUp });

const heartbeat = (...claims: { claimId: string; attempt: number }[]) =>
  payments.bus.call(paymentsContract.heartbeat, {
    claims: claims.map(({ claimId, attempt }) => ({ claimId, attempt })),
  });
const renew = ({ claimId, attempt }: { claimId: string; attempt: number }) =>
  payments.bus.call(paymentsContract.renew, { claimId, attempt });

async function held(reply: Promise<ClaimReply>) {
  const claimed = await reply;
  if (claimed.outcome !== 'claimed') throw new Error(`expected a claim, got ${claimed.outcome}`);
  return claimed;
}

/** What the signed receipt of an answer says. */
const signedBy = (headers: Record<string, string> | undefined) =>
  JSON.parse(Buffer.from(headers!['SVC-Receipt'].split('.')[1], 'base64url').toString());

const codeOf = async (work: Promise<unknown>) => (await problemOf(work)).code;

/** Lets the time of a claim pass, as if that long had gone by. */
const age = (paymentHash: string, column: 'lease_until' | 'delivered_at', seconds: number) =>
  payments.database.query(
    `UPDATE payment_claim SET ${column} = ${column} - make_interval(secs => $2) WHERE proof_key = $1`,
    [paymentHash, seconds],
  );

export function describeClaims(): void {
  describe('claims', () => {
    beforeAll(async () => {
      payments = await startPayments();
    });
    afterAll(() => payments.close());

    describe('a claim', () => {
      it('is won by exactly one of a hundred concurrent callers, on both rails at once', async () => {
        const { l402, charge } = await payChallenge(payments.bus);
        const callers = Array.from({ length: 100 }, (_, index) => claim(index % 2 === 0 ? l402 : charge!));
        const outcomes = await Promise.allSettled(callers);
        const won = outcomes.filter(outcome => outcome.status === 'fulfilled');
        expect(won).toHaveLength(1);
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected')
            expect(outcome.reason).toMatchObject({ code: 'PAYMENT_IN_FLIGHT' });
        }
      });

      it('is delivered once, and given again byte for byte with the first receipt, on either rail', async () => {
        const { l402, charge, paymentHash } = await payChallenge(payments.bus);
        const first = await held(claim(charge!));
        await deliver(first);
        for (const credential of [charge!, l402]) {
          const replay = await claim(credential);
          expect(replay).toEqual({
            outcome: 'replayed',
            response: { ...ANSWER, body: new Uint8Array(ANSWER.body) },
            receipt: first.receipt,
          });
        }
        expect(first.receipt).toMatchObject({
          rail: 'mpp-lightning',
          reference: paymentHash,
          amountSats: 2,
          amountMicroUsd: 1_000,
        });
        expect(decodeReceipt(first.receipt.headers['Payment-Receipt'])).toMatchObject({
          status: 'success',
          method: 'lightning',
          reference: paymentHash,
          timestamp: first.receipt.timestamp,
          challengeId: expect.any(String),
        });
      });

      it('has a signed receipt once it is delivered, always the same text, for the request that it was for', async () => {
        const { l402 } = await payChallenge(payments.bus);
        const called = { path: '/v1/zk/prove', requestHash: '12'.repeat(32) };
        const asked = { operationId: 'zk.prove', requestDigest: DIGEST, credential: l402 };
        const first = await held(payments.bus.call(paymentsContract.claim, { ...asked, called }));
        expect(first.receipt.headers).not.toHaveProperty('SVC-Receipt');
        const { claimId, attempt } = first;
        const delivery = () => payments.bus.call(paymentsContract.delivery, { claimId, attempt });
        expect(await codeOf(delivery())).toBe('CONFLICT');
        const { headers } = await deliver(first);
        expect(signedBy(headers)).toMatchObject({
          ...{ version: 1, id: claimId, resourceUrl: 'http://localhost:3000/v1/zk/prove', rail: 'l402' },
          requestHash: `0x${called.requestHash}`,
          responseHash: `0x${createHash('sha256').update(ANSWER.body).digest('hex')}`,
        });
        // To who asks again, whatever it is called now, and to who has taken the claim over.
        const later = { ...called, requestHash: '34'.repeat(32) };
        const replay = await payments.bus.call(paymentsContract.claim, { ...asked, called: later });
        for (const again of [
          (await deliver(first)).headers,
          (await delivery()).headers,
          replay.receipt.headers,
        ])
          expect(again).toEqual(headers);
      });

      it('that is given back and claimed for another body has a receipt of that', async () => {
        const { l402 } = await payChallenge(payments.bus);
        const ask = (requestDigest: string, requestHash: string) =>
          payments.bus.call(paymentsContract.claim, {
            ...{ operationId: 'zk.prove', requestDigest, credential: l402 },
            called: { path: `/${requestHash.slice(0, 2)}`, requestHash },
          });
        await release(await held(ask(DIGEST, '12'.repeat(32))));
        const { headers } = await deliver(await held(ask(OTHER_DIGEST, '34'.repeat(32))));
        expect(signedBy(headers)).toMatchObject({
          ...{ requestHash: `0x${'34'.repeat(32)}`, resourceUrl: 'http://localhost:3000/34' },
        });
      });

      it('that does not say how it was called has none', async () => {
        const { l402 } = await payChallenge(payments.bus);
        const { headers } = await deliver(await held(claim(l402)));
        expect(headers).not.toHaveProperty('SVC-Receipt');
      });

      it('is known by its payment hash, not by the text of its credential', async () => {
        const { l402, preimage } = await payChallenge(payments.bus);
        await deliver(await held(claim(l402)));
        const macaroon = decodeMacaroon(decodeBase64(l402.value.split(':')[0], 4_096)!);
        const respelled = encodeBase64(encodeMacaroon(attenuate(macaroon, 'note=mine'))).replace(/=+$/, '');
        const again = await claim({ scheme: 'L402', value: `${respelled}:${preimage.toUpperCase()}` });
        expect(again.outcome).toBe('replayed');
      });

      it('in flight or delivered buys no other body and no other operation', async () => {
        const { l402 } = await payChallenge(payments.bus);
        const first = await held(claim(l402));
        expect(await codeOf(claim(l402, OTHER_DIGEST))).toBe('PAYMENT_BOUND_ELSEWHERE');
        expect(await codeOf(claim(l402, DIGEST, 'agent.coi-verify'))).toBe('PAYMENT_BOUND_ELSEWHERE');
        await deliver(first);
        expect(await codeOf(claim(l402, OTHER_DIGEST))).toBe('PAYMENT_BOUND_ELSEWHERE');
        expect(await codeOf(claim(l402, DIGEST, 'stark.prove-m31'))).toBe('PAYMENT_BOUND_ELSEWHERE');
      });

      it('is not made, and nothing is settled, for a caller that has no room for the work', async () => {
        const { l402, paymentHash } = await payChallenge(payments.bus);
        expect((await problemOf(standing(l402))).payload).toMatchObject({
          code: 'OVERLOADED',
          retryAfterSeconds: 1,
        });
        const rows = () =>
          payments.database.query('SELECT state FROM payment_claim WHERE proof_key = $1', [paymentHash]);
        expect(await rows()).toEqual([]);
        const first = await held(claim(l402));
        expect(await codeOf(standing(l402))).toBe('PAYMENT_IN_FLIGHT');
        await release(first);
        expect(await codeOf(standing(l402))).toBe('OVERLOADED');
        expect(await rows()).toEqual([{ state: 'credited' }]);
        await deliver(await held(claim(l402)));
        expect(await standing(l402)).toMatchObject({ outcome: 'replayed', receipt: first.receipt });
        expect(await codeOf(standing(l402, OTHER_DIGEST))).toBe('PAYMENT_BOUND_ELSEWHERE');
      });

      it('that is still running says when to ask again', async () => {
        const { l402 } = await payChallenge(payments.bus);
        const { claimId, attempt } = await held(claim(l402));
        const { payload } = await problemOf(claim(l402));
        expect(payload).toMatchObject({ code: 'PAYMENT_IN_FLIGHT', retryAfterSeconds: 5 });
        // For the gateway, which finds by it who holds the claim; it is told with the credential and its request alone.
        expect(payload.extensions).toEqual({ claimId, attempt });
        expect((await problemOf(claim(l402, OTHER_DIGEST))).payload.extensions).toBeUndefined();
      });

      it('given back after a failure can be claimed again, also for another body of its operation', async () => {
        const { l402 } = await payChallenge(payments.bus);
        const first = await held(claim(l402));
        const credit = { key: expect.stringMatching(/^svc_test_/), balanceMicroUsd: 1_000 };
        for (let time = 0; time < 2; time++) expect(await release(first)).toEqual({ released: true, credit });
        const second = await held(claim(l402, OTHER_DIGEST));
        expect(second).toMatchObject({ claimId: first.claimId, attempt: 2, receipt: first.receipt });
        expect(await release(first)).toEqual({ released: false });
        await release(second);
        expect(await codeOf(claim(l402, DIGEST, 'stark.prove-m31'))).toBe('PAYMENT_BOUND_ELSEWHERE');
        const racers = await Promise.allSettled(Array.from({ length: 20 }, () => claim(l402)));
        expect(racers.filter(racer => racer.status === 'fulfilled')).toHaveLength(1);
      });

      it('is given up three times after its work has begun, and not a fourth time; failures of ours do not count', async () => {
        const { l402 } = await payChallenge(payments.bus);
        let running = await held(claim(l402));
        for (let times = 0; times < 5; times++) {
          await release(running);
          running = await held(claim(l402));
          expect(running.canBeGivenUp).toBe(true);
        }
        for (let times = 1; times <= 3; times++) {
          // Said twice, it counts once; what comes late of an attempt that is over does not count.
          for (let said = 0; said < 2; said++) await release(running, true);
          await release({ ...running, attempt: running.attempt - 1 }, true);
          running = await held(claim(l402, times % 2 === 0 ? DIGEST : OTHER_DIGEST));
          expect([times, running.canBeGivenUp]).toEqual([times, times < 3]);
        }
        await release(running);
        expect((await held(claim(l402))).canBeGivenUp).toBe(false);
      });

      it('whose caller died is claimed again once its lease ran out, and only by the same request', async () => {
        const { l402, paymentHash } = await payChallenge(payments.bus);
        const lost = await held(claim(l402));
        await age(paymentHash, 'lease_until', LEASE_SECONDS - 2);
        expect(await codeOf(claim(l402))).toBe('PAYMENT_IN_FLIGHT');
        await age(paymentHash, 'lease_until', 3);
        expect(await codeOf(claim(l402, OTHER_DIGEST))).toBe('PAYMENT_BOUND_ELSEWHERE');
        const racers = await Promise.allSettled(Array.from({ length: 20 }, () => claim(l402)));
        const won = racers.filter(racer => racer.status === 'fulfilled');
        expect(won.map(({ value }) => value)).toMatchObject([{ outcome: 'claimed', attempt: 2 }]);
        expect(await codeOf(deliver(lost))).toBe('CONFLICT');
        expect(await release(lost)).toEqual({ released: false });
      });

      it('is held for as long as its call says so, with others of the same gateway, and by no other attempt', async () => {
        const [first, second] = [await payChallenge(payments.bus), await payChallenge(payments.bus)];
        const running = [await held(claim(first.l402)), await held(claim(second.l402))];
        const stale = { ...running[1], attempt: 2 };
        for (let beat = 0; beat < 3; beat++) {
          await age(first.paymentHash, 'lease_until', LEASE_SECONDS - 2);
          expect(await heartbeat(running[0], stale)).toEqual({ held: [running[0].claimId] });
        }
        expect(await codeOf(claim(first.l402))).toBe('PAYMENT_IN_FLIGHT');
        await deliver(running[0]);
        expect(await heartbeat(running[0], running[1])).toEqual({ held: [running[1].claimId] });
        await release(running[1]);
        expect(await heartbeat(...running)).toEqual({ held: [] });
      });

      it('is held for minutes by work that renews it, which a heartbeat does not shorten, and by no other attempt', async () => {
        const { l402, paymentHash } = await payChallenge(payments.bus);
        const running = await held(claim(l402));
        await age(paymentHash, 'lease_until', LEASE_SECONDS - 1);
        expect(await renew(running)).toEqual({ renewed: true });
        expect(await heartbeat(running)).toEqual({ held: [running.claimId] });
        await age(paymentHash, 'lease_until', 100);
        expect(await codeOf(claim(l402))).toBe('PAYMENT_IN_FLIGHT');
        expect(await renew({ ...running, attempt: 2 })).toEqual({ renewed: false });
        const other = await held(claim((await payChallenge(payments.bus)).l402));
        await release(other);
        expect(await renew(other)).toEqual({ renewed: false });
        // What it has delivered, it may be asked to deliver again.
        await deliver(running);
        expect(await renew(running)).toEqual({ renewed: true });
      });

      it('is delivered by a caller past its lease while nobody else took it', async () => {
        const { l402, paymentHash } = await payChallenge(payments.bus);
        const slow = await held(claim(l402));
        await age(paymentHash, 'lease_until', LEASE_SECONDS + 1);
        await deliver(slow);
        expect((await claim(l402)).outcome).toBe('replayed');
      });

      it('delivered twice by the same attempt is one delivery; a delivered claim cannot be given back', async () => {
        const { l402, paymentHash } = await payChallenge(payments.bus);
        const only = await held(claim(l402));
        const first = await deliver(only);
        expect(await deliver(only)).toEqual(first);
        expect(await release(only)).toEqual({ released: false });
        const entries = await payments.database.query(
          `SELECT account, amount_micro_usd::int AS amount FROM ledger_entry
        WHERE claim_id = (SELECT claim_id FROM payment_claim WHERE proof_key = $1) ORDER BY entry_id`,
          [paymentHash],
        );
        expect(entries).toEqual([
          { account: 'lightning-clearing', amount: -1_000 },
          { account: 'holds', amount: 1_000 },
          { account: 'holds', amount: -1_000 },
          { account: 'treasury', amount: 1_000 },
        ]);
      });

      it('keeps its answer for 24 hours, and then never sells it a second time', async () => {
        const { l402, paymentHash } = await payChallenge(payments.bus);
        await deliver(await held(claim(l402)));
        const { store } = claimParts(payments.database);
        await age(paymentHash, 'delivered_at', 23 * 3_600);
        expect(await store.purgeResponses()).toBe(0);
        expect((await claim(l402)).outcome).toBe('replayed');
        await age(paymentHash, 'delivered_at', 2 * 3_600);
        expect(await store.purgeResponses()).toBe(1);
        const { payload } = await problemOf(claim(l402));
        expect([payload.code, payload.charged]).toEqual(['EXPIRED', 'yes']);
      });

      it.each([
        ['a macaroon of another issuer', 'L402', 'AgJAAA==:' + '0'.repeat(64), 'PAYMENT_MALFORMED'],
        ['no credential at all', 'Payment', 'e30', 'PAYMENT_MALFORMED'],
        ['a rail that is not offered', 'x402', 'e30=', 'PAYMENT_METHOD_UNSUPPORTED'],
      ] as const)('is refused for %s', async (_name, scheme, value, code) => {
        expect(await codeOf(claim({ scheme, value }))).toBe(code);
      });

      it('is refused for an invoice that was not paid: a preimage must open its hash', async () => {
        const { l402 } = await payChallenge(payments.bus);
        const unpaid = { ...l402, value: l402.value.replace(/:.*/, `:${'0'.repeat(64)}`) };
        expect(await codeOf(claim(unpaid))).toBe('PAYMENT_INVALID');
      });

      it('is refused for a token that its holder narrowed below the price or to the past', async () => {
        const { l402, preimage } = await payChallenge(payments.bus);
        const macaroon = decodeMacaroon(decodeBase64(l402.value.split(':')[0], 4_096)!);
        const narrowed = (caveat: string): PaymentCredential => ({
          scheme: 'L402',
          value: `${encodeBase64(encodeMacaroon(attenuate(macaroon, caveat)))}:${preimage}`,
        });
        expect(await codeOf(claim(narrowed('svc_amount_sats=1')))).toBe('PAYMENT_INSUFFICIENT');
        expect(await codeOf(claim(narrowed('svc_valid_until=1700000000')))).toBe('PAYMENT_EXPIRED');
        expect((await claim(l402)).outcome).toBe('claimed');
      });
    });

    describe('the ledger', () => {
      it('sums to zero, and its treasury holds what was delivered', async () => {
        const [{ total }] = await payments.database.query(
          `SELECT sum(amount_micro_usd)::int AS total FROM ledger_entry`,
        );
        const [{ earned }] = await payments.database.query(
          `SELECT coalesce(sum(amount_micro_usd), 0)::int AS earned FROM ledger_entry WHERE account = 'treasury'`,
        );
        const [{ delivered }] = await payments.database.query(
          `SELECT coalesce(sum(amount_micro_usd), 0)::int AS delivered FROM payment_claim WHERE state = 'delivered'`,
        );
        expect(total).toBe(0);
        expect(delivered).toBeGreaterThan(0);
        expect(earned).toBe(delivered);
      });

      it.each([
        'UPDATE ledger_entry SET amount_micro_usd = 1',
        'DELETE FROM ledger_entry',
        'TRUNCATE ledger_entry',
      ])('is append only: refuses %s', async statement => {
        await expect(payments.database.query(statement)).rejects.toThrow('append only');
      });

      it('refuses a transaction that does not sum to zero', async () => {
        const insert = `INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, claim_id)
      SELECT gen_random_uuid(), 'treasury', 1, claim_id FROM payment_claim LIMIT 1`;
        await expect(payments.database.query(insert)).rejects.toThrow('not to zero');
      });
    });

    describe('challenges and the sandbox', () => {
      it('offer one invoice on both rails, at the listed price', async () => {
        const { offers, ...challenge } = await payments.bus.call(paymentsContract.challenge, {
          operationId: 'agent.card-valuation',
          realm: 'r',
        });
        expect(challenge).toMatchObject({ amountMicroUsd: 30_000, amountSats: 60 });
        expect(offers.map(offer => offer.rail)).toEqual(['l402', 'mpp-lightning']);
        expect(offers[0].body).toEqual(offers[1].body);
      });

      it('offer a catalogue tool over L402 alone', async () => {
        const paid = await payChallenge(payments.bus, 'tool.arena_challenge');
        expect(paid.charge).toBeUndefined();
        expect((await claim(paid.l402, DIGEST, 'tool.arena_challenge')).outcome).toBe('claimed');
      });

      it('refuse an operation without a price', async () => {
        expect(
          await codeOf(
            payments.bus.call(paymentsContract.challenge, { operationId: 'gateway.health', realm: 'r' }),
          ),
        ).toBe('VALIDATION_FAILED');
      });

      it('pay the same invoice again with the same preimage', async () => {
        const { invoice, preimage } = await payChallenge(payments.bus);
        expect(await payments.bus.call(paymentsContract.sandboxPay, { invoice })).toMatchObject({
          preimage,
          amountSats: 2,
        });
      });

      it('state the rails that can settle', async () => {
        expect(await payments.bus.call(paymentsContract.rails, {})).toEqual({
          rails: ['l402', 'mpp-lightning'],
          sandbox: true,
        });
      });
    });
  });
}
