import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ClaimReply, EVENTS, paymentsContract } from '@svc/contracts';
import {
  createLogger,
  type DeliveredEvent,
  type EventSubscription,
  openBusLink,
  openEventStream,
} from '@svc/platform';
import { createHash, randomUUID } from 'node:crypto';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { Accounts, type PlanId } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { Ledger } from '../src/ledger/ledger.js';
import {
  claimParts,
  type PaymentsFixture,
  payChallenge,
  SECRETS,
  startPayments,
} from './payments-fixture.js';
import { scripted, ScriptedRail } from './scripted-rail.js';

const PRICE = 1_000;
const logger = createLogger('payments', { level: 'silent' });
const response = { status: 200, contentType: 'text/plain', body: Buffer.from('the answer') };

const rail = new ScriptedRail();
let payments: PaymentsFixture;
let replica: ReturnType<typeof claimParts>;
let reading: EventSubscription;
const delivered: DeliveredEvent[] = [];

interface Told {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: Record<string, unknown>;
}

/** What was published of a claim so far, when nothing waits any more; each held against its schema. */
async function toldOf(claimId: string): Promise<Told[]> {
  for (;;) {
    const [{ count }] = await payments.database.query('SELECT count(*)::int FROM event_outbox');
    if (count === 0) break;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  await new Promise(resolve => setImmediate(resolve));
  return delivered
    .filter(({ subject }) => subject === `events.payment.${claimId}`)
    .map(({ id, data }) => {
      const event = JSON.parse(Buffer.from(data).toString()) as Told;
      const { schema } = EVENTS.payment.messages[event.type as keyof typeof EVENTS.payment.messages];
      expect(schema.parse(event)).toEqual(event);
      expect(event).toMatchObject({ id, subject: claimId, data: { claimId } });
      return event;
    });
}
/** Events that were ever written: what is published twice under one id is stored once. */
const written = async (): Promise<number> =>
  Number((await payments.database.query('SELECT last_value FROM event_outbox_seq_seq'))[0].last_value);
const namesOf = (told: readonly Told[]) =>
  told.map(({ type, data }) => `${type.split('.')[2]} ${String(data.attempt)}`);

const accounts = new Accounts();
const ledger = new Ledger();
function customer(microUsd: number, plan?: PlanId): Promise<{ accountId: string; key: string }> {
  const keys = new ApiKeys(payments.database, accountSecretsOf({ production: false, secrets: SECRETS }));
  return payments.database.transaction(async manager => {
    const accountId = await accounts.create(manager, { kind: 'purchased', plan });
    const { key } = await keys.issue(manager, accountId);
    const legs = [
      { account: 'processor-clearing' as const, amountMicroUsd: -microUsd },
      { account: ledger.customer(accountId), amountMicroUsd: microUsd },
    ];
    if (microUsd > 0) await ledger.post(manager, { kind: 'top-up', legs });
    return { accountId, key };
  });
}
const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const base = (body: string = randomUUID()) => ({ operationId: 'zk.prove', requestDigest: digest(body) });
function held(reply: ClaimReply): { claimId: string; attempt: number } {
  if (reply.outcome !== 'claimed') throw new Error(`it was ${reply.outcome}`);
  return { claimId: reply.claimId, attempt: reply.attempt };
}

export function describePaymentEvents(): void {
  describe('payment events', () => {
    beforeAll(async () => {
      payments = await startPayments({ moreRails: [rail], upkeepIntervalMs: 3_600_000 });
      replica = claimParts(payments.database, [rail]);
      const link = openBusLink({ kind: 'memory', bus: payments.memoryBus }, 'department', logger);
      reading = await openEventStream(link, {}, logger).subscribe(
        { filter: 'events.payment.*', durable: 'reader' },
        async event => {
          delivered.push(event);
        },
      );
    });
    afterAll(async () => {
      await reading?.stop();
      await payments?.close();
    });
    beforeEach(() => {
      rail.fault = 'none';
    });

    describe('events of payments', () => {
      it('tell of a call that a key pays, and name neither account nor key', async () => {
        const { accountId, key } = await customer(5 * PRICE);
        const handle = held(await payments.bus.call(paymentsContract.claim, { ...base(), accountKey: key }));
        await payments.bus.call(paymentsContract.deliver, { ...handle, response });
        const told = await toldOf(handle.claimId);
        expect(namesOf(told)).toEqual(['claimed 1', 'delivered 1']);
        expect(told[1].data).toEqual({
          claimId: handle.claimId,
          operationId: 'zk.prove',
          rail: 'account',
          funding: 'credit',
          amountMicroUsd: PRICE,
          amountSats: expect.any(Number),
          attempt: 1,
        });
        const text = JSON.stringify(told);
        for (const secret of [accountId, key, digest(key), 'the answer']) expect(text).not.toContain(secret);
      });

      it('say that a call within a quota cost nothing', async () => {
        const { key } = await customer(0, 'pro_agent');
        const handle = held(await payments.bus.call(paymentsContract.claim, { ...base(), accountKey: key }));
        const [{ data }] = await toldOf(handle.claimId);
        expect(data).toMatchObject({ funding: 'quota', amountMicroUsd: 0, amountSats: 0 });
      });

      it('are told of each call of a batch, also where only some of them are paid', async () => {
        const { key } = await customer(3 * PRICE);
        const calls = await Promise.allSettled(
          Array.from({ length: 8 }, () =>
            payments.bus.call(paymentsContract.claim, { ...base(), accountKey: key }),
          ),
        );
        const claimed = calls.filter(call => call.status === 'fulfilled').map(({ value }) => held(value));
        expect(claimed.length).toBe(3);
        for (const { claimId } of claimed) expect(namesOf(await toldOf(claimId))).toEqual(['claimed 1']);
      });

      it('tell of an invoice whose call failed, and of its next call', async () => {
        const { l402: credential, preimage, paymentHash } = await payChallenge(payments.bus);
        const handle = held(await payments.bus.call(paymentsContract.claim, { ...base(), credential }));
        await payments.bus.call(paymentsContract.release, { ...handle, reason: 'it failed' });
        const again = held(await payments.bus.call(paymentsContract.claim, { ...base(), credential }));
        expect(again).toEqual({ claimId: handle.claimId, attempt: 2 });
        await payments.bus.call(paymentsContract.deliver, { ...again, response });
        const told = await toldOf(handle.claimId);
        expect(namesOf(told)).toEqual(['claimed 1', 'released 1', 'claimed 2', 'delivered 2']);
        expect(new Set(told.map(({ id }) => id)).size).toBe(4);
        for (const secret of [preimage, paymentHash]) expect(JSON.stringify(told)).not.toContain(secret);
      });

      it('tell of money that was not taken, and of none before it was', async () => {
        rail.fault = 'refuse';
        const credential = scripted({ nonce: randomUUID(), payer: 'payer-of-the-tests' });
        await payments.bus.call(paymentsContract.claim, { ...base(), credential }).catch(() => undefined);
        const claimId = rail.asked.at(-1)!;
        const told = await toldOf(claimId);
        expect(namesOf(told)).toEqual(['refused 1']);
        expect(JSON.stringify(told)).not.toContain('payer-of-the-tests');
      });

      it('tell of a settlement in doubt, and of what an enquiry found', async () => {
        rail.fault = 'lost-after';
        const credential = scripted({ nonce: randomUUID() });
        await payments.bus.call(paymentsContract.claim, { ...base(), credential }).catch(() => undefined);
        const claimId = rail.asked.at(-1)!;
        expect(namesOf(await toldOf(claimId))).toEqual(['unknown 1']);
        rail.fault = 'none';
        await payments.database.query(`UPDATE payment_claim SET lease_until = now() WHERE claim_id = $1`, [
          claimId,
        ]);
        await replica.reconciler.round();
        expect(namesOf(await toldOf(claimId))).toEqual(['unknown 1', 'released 1']);
      });

      it('are none of leases that are renewed, and of answers that are dropped', async () => {
        const { key } = await customer(PRICE);
        const before = await written();
        const handle = held(await payments.bus.call(paymentsContract.claim, { ...base(), accountKey: key }));
        await payments.bus.call(paymentsContract.renew, handle);
        await payments.bus.call(paymentsContract.deliver, { ...handle, response });
        await payments.database.query(
          `UPDATE payment_claim SET delivered_at = now() - interval '25 hours' WHERE claim_id = $1`,
          [handle.claimId],
        );
        expect(await replica.store.purgeResponses()).toBeGreaterThan(0);
        expect((await written()) - before).toBe(2);
        expect(namesOf(await toldOf(handle.claimId))).toEqual(['claimed 1', 'delivered 1']);
      });

      it('are none of a change that is taken back', async () => {
        const { key } = await customer(PRICE);
        const handle = held(await payments.bus.call(paymentsContract.claim, { ...base(), accountKey: key }));
        await payments.database
          .transaction(async manager => {
            await manager.query(`UPDATE payment_claim SET state = 'unknown' WHERE claim_id = $1`, [
              handle.claimId,
            ]);
            throw new Error('taken back');
          })
          .catch(() => undefined);
        expect(namesOf(await toldOf(handle.claimId))).toEqual(['claimed 1']);
      });
    });
  });
}
