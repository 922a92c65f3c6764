import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type PaymentCredential, paymentsContract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { randomBytes, randomUUID } from 'node:crypto';
import { payChallenge, type PaymentsFixture, startPayments } from './payments-fixture.js';
import { scripted, ScriptedRail } from './scripted-rail.js';

const rail = new ScriptedRail();
let payments: PaymentsFixture;

const claim = (credential: PaymentCredential) =>
  payments.bus.call(paymentsContract.claim, {
    operationId: 'zk.prove',
    requestDigest: 'ab'.repeat(32),
    credential,
  });

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 10));
}

/** Claims, and holds the claim up until its caller waits no more. */
async function claimTooLate(
  credential: PaymentCredential,
  isHeldUp: () => Promise<boolean>,
  letGo: () => Promise<void>,
): Promise<unknown> {
  const claiming = claim(credential).catch((error: unknown) => error);
  await until(isHeldUp);
  jest.spyOn(Date, 'now').mockReturnValue(Date.now() + paymentsContract.claim.timeoutMs);
  await letGo();
  const outcome = await claiming;
  jest.restoreAllMocks();
  return outcome;
}

/** An invoice that was paid, whose claim waits to be put on record. */
async function lateByLightning(credential: PaymentCredential): Promise<unknown> {
  const runner = payments.database.createQueryRunner();
  await runner.startTransaction();
  await runner.query('LOCK TABLE payment_claim IN SHARE ROW EXCLUSIVE MODE');
  const isWaiting = async () => {
    const rows = await payments.database.query(
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO payment_claim%'`,
    );
    return rows.length > 0;
  };
  return claimTooLate(credential, isWaiting, async () => {
    await runner.rollbackTransaction();
    await runner.release();
  });
}

/** A rail that is asked for the money, and takes its time. */
async function lateBySettlement(credential: PaymentCredential): Promise<unknown> {
  const asked = rail.asked.length;
  let open = () => {};
  rail.gate = new Promise(resolve => (open = resolve));
  return claimTooLate(
    credential,
    async () => rail.asked.length > asked,
    async () => open(),
  );
}

export function describeLateClaims(): void {
  describe('late claims', () => {
    beforeAll(async () => {
      payments = await startPayments({ moreRails: [rail], upkeepIntervalMs: 3_600_000 });
    });
    afterAll(() => payments?.close());
    afterEach(() => void jest.restoreAllMocks());

    describe('a claim whose rail cannot ask whether its credential is good', () => {
      afterEach(() => void (rail.cannotVerify = false));

      it('is answered by what it bought, to the very credential alone', async () => {
        const nonce = randomUUID();
        const credential = scripted({ nonce, payer: 'x402:0xabc' });
        const held = await claim(credential);
        if (held.outcome !== 'claimed') throw new Error(held.outcome);
        const { claimId, attempt } = held;
        const response = { status: 200, contentType: 'application/json', body: Buffer.from('{}') };
        await payments.bus.call(paymentsContract.deliver, { claimId, attempt, response });
        rail.cannotVerify = true;
        expect(await claim(credential)).toMatchObject({ outcome: 'replayed', receipt: held.receipt });
        for (const other of [
          scripted({ nonce, payer: 'x402:0xabc', spelling: 'another' }),
          scripted({ nonce: randomUUID() }),
        ])
          await expect(claim(other)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      });
    });

    describe('a claim on a payment that is not offered any more', () => {
      afterEach(() => void (rail.offersOther = false));
      const request = () => ({ operationId: 'zk.prove', requestDigest: randomBytes(32).toString('hex') });
      const claimFor = (asked: ReturnType<typeof request>, credential: PaymentCredential) =>
        payments.bus.call(paymentsContract.claim, { ...asked, credential });

      it('has its answer, and once that was given back it buys the very request alone', async () => {
        const [delivered, released] = [request(), request()];
        const credentials = [0, 1].map(() => scripted({ nonce: randomUUID(), payer: 'x402:0xabc' }));
        const response = { status: 200, contentType: 'application/json', body: Buffer.from('{}') };
        const first = await claimFor(delivered, credentials[0]);
        const second = await claimFor(released, credentials[1]);
        if (first.outcome !== 'claimed' || second.outcome !== 'claimed') throw new Error('not claimed');
        const handleOf = ({ claimId, attempt }: typeof first) => ({ claimId, attempt });
        await payments.bus.call(paymentsContract.deliver, { ...handleOf(first), response });
        await payments.bus.call(paymentsContract.release, { ...handleOf(second), reason: 'INTERNAL' });
        rail.offersOther = true;
        expect(await claimFor(delivered, credentials[0])).toMatchObject({
          ...{ outcome: 'replayed', receipt: first.receipt },
        });
        const refused = { code: 'PAYMENT_INVALID' };
        await expect(claimFor(request(), credentials[1])).rejects.toMatchObject(refused);
        expect(await claimFor(released, credentials[1])).toMatchObject({ outcome: 'claimed', attempt: 2 });
        await expect(claimFor(request(), scripted({ nonce: randomUUID() }))).rejects.toMatchObject(refused);
      });
    });

    describe('a claim whose rail settles nothing', () => {
      afterEach(() => void (rail.fault = 'none'));

      it.each([
        ['for a fault of its node, says how long to wait', 'busy', 'SERVICE_UNAVAILABLE', 5],
        ['for a fault of the payment, names no wait', 'refuse', 'PAYMENT_INVALID', undefined],
      ] as const)('%s', async (_what, fault, code, retryAfterSeconds) => {
        rail.fault = fault;
        const { payload } = await problemOf(claim(scripted({ nonce: randomUUID() })));
        expect([payload.code, payload.retryAfterSeconds]).toEqual([code, retryAfterSeconds]);
      });
    });

    describe('a claim that is there when its caller waits no more', () => {
      it.each(['an invoice', 'a settlement'])(
        'is credit, and not held for nobody: the credential sent again has it at once, over %s',
        async paid => {
          const credential =
            paid === 'an invoice'
              ? (await payChallenge(payments.bus)).l402
              : scripted({ nonce: randomUUID() });
          const late = paid === 'an invoice' ? lateByLightning : lateBySettlement;
          expect(await late(credential)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
          const [{ state, credit }] = await payments.database.query(
            `SELECT state, (SELECT sum(amount_micro_usd)::int FROM ledger_entry
                         WHERE claim_id = newest.claim_id AND account LIKE 'customer:%') AS credit
           FROM payment_claim newest ORDER BY claimed_at DESC LIMIT 1`,
          );
          expect([state, credit]).toEqual(['credited', 1_000]);
          expect(await claim(credential)).toMatchObject({ outcome: 'claimed', attempt: 2 });
        },
      );
    });
  });
}
