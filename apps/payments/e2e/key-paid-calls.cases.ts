import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountContract,
  type ClaimReply,
  type PaymentCredential,
  paymentsContract,
  pingProcedure,
  type Receipt,
} from '@svc/contracts';
import {
  createLogger,
  MeasurementRegistry,
  type RunningService,
  type ServiceEnvironment,
  startService,
} from '@svc/platform';
import { createHash, randomUUID } from 'node:crypto';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { Accounts, type PlanId } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { Ledger } from '../src/ledger/ledger.js';
import { WORK_LEASE_SECONDS } from '../src/claim/standing-claim.js';
import { PaymentsModule } from '../src/payments.module.js';
import { paymentsService } from '../src/payments.service-definition.js';
import { LedgerReconciliation } from '../src/reconcile/ledger-reconciliation.js';
import { tally } from './account-fixture.js';
import {
  claimParts,
  type PaymentsFixture,
  payChallenge,
  SECRETS,
  startPayments,
} from './payments-fixture.js';
import { scripted, ScriptedRail } from './scripted-rail.js';

const PRICE = 1_000;
/** Another than the service has where nothing is said. */
const LEASE_SECONDS = 40;
const RESPONSE = {
  status: 200,
  contentType: 'application/json',
  body: new TextEncoder().encode('{"ok":true}'),
};
const logger = createLogger('payments', { level: 'silent' });

const rail = new ScriptedRail('x402');
/** Its money has arrived when it is asked about. */
const observing = Object.assign(new ScriptedRail('stripe'), { observes: true });
let payments: PaymentsFixture;
let replica: RunningService;

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
const balanceOf = async (accountId: string) =>
  (await accounts.find(payments.database.manager, accountId))!.balanceMicroUsd;
const claim = (accountKey: string, body: unknown = randomUUID(), more: { idempotencyKey?: string } = {}) =>
  payments.bus.call(paymentsContract.claim, {
    operationId: 'zk.prove',
    requestDigest: createHash('sha256').update(JSON.stringify(body)).digest('hex'),
    accountKey,
    ...more,
  });
function held(reply: ClaimReply): { claimId: string; attempt: number } {
  if (reply.outcome !== 'claimed') throw new Error(`it was ${reply.outcome}`);
  return { claimId: reply.claimId, attempt: reply.attempt };
}
/** What the signed receipt of an answer says. */
const signedBy = (headers: Record<string, string> | undefined) =>
  JSON.parse(Buffer.from(headers!['SVC-Receipt'].split('.')[1], 'base64url').toString());
const release = (handle: { claimId: string; attempt: number }) =>
  payments.bus.call(paymentsContract.release, { ...handle, reason: 'it failed' });

export function describeKeyPaidCalls(): void {
  describe('key paid calls', () => {
    beforeAll(async () => {
      const parts = { moreRails: [rail, observing], claimLeaseSeconds: LEASE_SECONDS };
      payments = await startPayments(parts);
      // Two instances of the service share the bus and the database.
      const definition = {
        ...paymentsService,
        module: (given: ServiceEnvironment) => PaymentsModule.for(given, parts),
      };
      replica = await startService(definition, payments.environment);
    });
    afterAll(async () => {
      try {
        // Whatever was done, the ledger agrees with itself.
        const reconciliation = new LedgerReconciliation(payments.database, new MeasurementRegistry(), {
          logger,
        });
        expect(await reconciliation.run()).toMatchObject({ findings: [] });
      } finally {
        await replica?.close();
        await payments?.close();
      }
    });

    describe('a call that a key pays, through the service', () => {
      it('is claimed, delivered and earned, and its answer comes again with the first receipt', async () => {
        const { accountId, key } = await customer(5 * PRICE);
        const first = await claim(key, 'body');
        const handle = held(first);
        await payments.bus.call(paymentsContract.deliver, { ...handle, response: RESPONSE });
        const again = await claim(key, 'body');
        expect(again).toMatchObject({ outcome: 'replayed', receipt: first.receipt });
        expect(new TextDecoder().decode((again as { response: { body: Uint8Array } }).response.body)).toBe(
          '{"ok":true}',
        );
        expect(await balanceOf(accountId)).toBe(4 * PRICE);
        const [{ earned }] = await payments.database.query(
          `SELECT sum(amount_micro_usd)::int AS earned FROM ledger_entry WHERE account = 'treasury' AND claim_id = $1`,
          [handle.claimId],
        );
        expect(earned).toBe(PRICE);
      });

      it('is shown whole to the keys of its account, by the id of its claim, and to no other key', async () => {
        const { key } = await customer(5 * PRICE);
        const { claimId, ...attempt } = held(await claim(key, 'reread'));
        const bought = (accountKey: string, id = claimId) =>
          payments.bus.call(paymentsContract.boughtAnswer, { claimId: id, accountKey });
        await expect(bought(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
        await payments.bus.call(paymentsContract.deliver, { claimId, ...attempt, response: RESPONSE });
        expect(new TextDecoder().decode((await bought(key)).body)).toBe('{"ok":true}');
        const stranger = await customer(0);
        await expect(bought(stranger.key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
        await expect(bought(key, randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
        await expect(bought(`${key}x`)).rejects.toMatchObject({ code: 'UNKNOWN_CREDENTIAL' });
      });

      it('is shown to a key with limits only where it was paid under those', async () => {
        const { accountId, key } = await customer(50 * PRICE);
        const make = async (accountKey: string) => {
          const by = await payments.bus.call(accountContract.authenticate, { accountKey });
          return payments.bus.call(accountContract.createKey, { by, cap: { usd: '1' } });
        };
        const narrow = await make(key);
        const [under, beside] = [await make(narrow.key), await make(key)];
        const buy = async (by: string, body: string) => {
          const handle = held(await claim(by, body));
          await payments.bus.call(paymentsContract.deliver, { ...handle, response: RESPONSE });
          return handle.claimId;
        };
        const bought = {
          whole: await buy(key, 'w'),
          own: await buy(narrow.key, 'o'),
          under: await buy(under.key, 'u'),
        };
        const readBy = async (accountKey: string) => {
          const reads = Object.entries(bought).map(async ([name, claimId]) => {
            const answer = payments.bus.call(paymentsContract.boughtAnswer, { claimId, accountKey });
            return answer.then(
              () => name,
              ({ code }: { code: string }) => code,
            );
          });
          return Promise.all(reads);
        };
        expect(await readBy(key)).toEqual(['whole', 'own', 'under']);
        expect(await readBy(narrow.key)).toEqual(['NOT_FOUND', 'own', 'under']);
        expect(await readBy(under.key)).toEqual(['NOT_FOUND', 'NOT_FOUND', 'under']);
        expect(await readBy(beside.key)).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
        expect(await balanceOf(accountId)).toBe(47 * PRICE);
      });

      it('that was taken over has the signed receipt of the call that had it last', async () => {
        const { key } = await customer(PRICE);
        const asked = { operationId: 'zk.prove', requestDigest: 'ab'.repeat(32), accountKey: key };
        const ask = (requestHash: string) =>
          payments.bus.call(paymentsContract.claim, {
            ...asked,
            called: { path: '/v1/zk/prove', requestHash },
          });
        const { claimId } = held(await ask('12'.repeat(32)));
        await payments.database.query(`UPDATE payment_claim SET lease_until = now() WHERE claim_id = $1`, [
          claimId,
        ]);
        const taken = held(await ask('34'.repeat(32)));
        expect(taken).toEqual({ claimId, attempt: 2 });
        const { headers } = await payments.bus.call(paymentsContract.deliver, {
          ...taken,
          response: RESPONSE,
        });
        expect(signedBy(headers)).toMatchObject({ requestHash: `0x${'34'.repeat(32)}` });
      });

      it('that failed leaves the account as it was, and may be paid again', async () => {
        const { accountId, key } = await customer(PRICE);
        const handle = held(await claim(key, 'fails'));
        expect(await balanceOf(accountId)).toBe(0);
        const released = await Promise.all(Array.from({ length: 5 }, () => release(handle)));
        // The account's own key is no secret to tell again.
        expect(released).toEqual(Array.from({ length: 5 }, () => ({ released: true })));
        expect(await balanceOf(accountId)).toBe(PRICE);
        held(await claim(key, 'fails'));
        expect(await balanceOf(accountId)).toBe(0);
      });

      it('that failed gives its request back to the quota of its month', async () => {
        const { accountId, key } = await customer(0, 'pro_agent');
        const reply = await claim(key);
        expect(reply).toMatchObject({ quota: { plan: 'pro_agent', used: 1, limit: 500_000 } });
        await Promise.all([release(held(reply)), release(held(reply))]);
        const [{ used }] = await payments.database.query(
          `SELECT used::int FROM quota_usage WHERE subject = $1`,
          [`account:${accountId}`],
        );
        expect(used).toBe(0);
        const next = held(await claim(key));
        await payments.bus.call(paymentsContract.deliver, { ...next, response: RESPONSE });
        expect(await release(next)).toEqual({ released: false });
        expect(await payments.database.query(`SELECT used::int FROM quota_usage WHERE used > 0`)).toEqual([
          { used: 1 },
        ]);
      });

      it('whose caller died is given back by the sweeper, once', async () => {
        const { accountId, key } = await customer(PRICE);
        const { claimId } = held(await claim(key));
        await payments.database.query(
          `UPDATE payment_claim SET lease_until = now() - interval '1 h' WHERE claim_id = $1`,
          [claimId],
        );
        const { sweeper } = claimParts(payments.database);
        await Promise.all([sweeper.sweep(), sweeper.sweep(), sweeper.sweep()]);
        expect(await balanceOf(accountId)).toBe(PRICE);
        const [row] = await payments.database.query(`SELECT state FROM payment_claim WHERE claim_id = $1`, [
          claimId,
        ]);
        expect(row).toEqual({ state: 'credited' });
      });

      it('buys one delivery of the last credit, of 100 calls over two instances', async () => {
        const { accountId, key } = await customer(PRICE);
        expect(await tally(Array.from({ length: 100 }, () => claim(key)))).toEqual({
          claimed: 1,
          PAYMENT_INSUFFICIENT: 99,
        });
        expect(await balanceOf(accountId)).toBe(0);
      });

      it('fails with no call beside it whose Idempotency-Key cannot be stored', async () => {
        const { key } = await customer(10_000);
        const ask = (idempotencyKey: string) =>
          payments.bus.call(paymentsContract.claim, {
            operationId: 'zk.prove',
            requestDigest: createHash('sha256').update(randomUUID()).digest('hex'),
            accountKey: key,
            idempotencyKey,
          });
        const bad = ['\0', '\ud800', 'a\u0000b'].map(ask);
        const good = await Promise.allSettled([...bad, ask('one'), ask('two'), ask('three')]);
        expect(good.slice(3).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
        for (const refused of bad) await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
      });

      it('runs once of 100 with one body and one Idempotency-Key, over two instances', async () => {
        const { accountId, key } = await customer(100 * PRICE);
        const calls = Array.from({ length: 100 }, () => claim(key, 'one', { idempotencyKey: 'purchase' }));
        expect(await tally(calls)).toEqual({ claimed: 1, PAYMENT_IN_FLIGHT: 99 });
        expect(await balanceOf(accountId)).toBe(99 * PRICE);
      });

      it('that is sold has its signed receipt, the same again, and none where a plan has paid', async () => {
        const [{ key }, { key: plan }] = [await customer(PRICE), await customer(0, 'pro_agent')];
        const sell = (accountKey: string, claimId: string) =>
          payments.bus.call(paymentsContract.sell, {
            ...{
              operationId: 'tool.get_product_catalog',
              requestDigest: 'cd'.repeat(32),
              accountKey,
              claimId,
            },
            called: { path: '/v1/tools/get_product_catalog', requestHash: '12'.repeat(32) },
            ...{ soldAt: new Date().toISOString(), response: RESPONSE },
          });
        const claimId = randomUUID();
        const [sold, again] = [await sell(key, claimId), await sell(key, claimId)];
        expect([sold.outcome, again.outcome]).toEqual(['sold', 'replayed']);
        const { headers } = (sold as { receipt: Receipt }).receipt;
        expect(signedBy(headers)).toMatchObject({
          ...{ id: claimId, rail: 'svc-key', amount: '1000', decimals: 6, asset: 'USD' },
          ...{ payer: expect.stringMatching(/^account:/), requestHash: `0x${'12'.repeat(32)}` },
        });
        expect((again as { receipt: Receipt }).receipt.headers).toEqual(headers);
        const free = await sell(plan, randomUUID());
        expect((free as { receipt: Receipt }).receipt.headers).not.toHaveProperty('SVC-Receipt');
      });

      it('is paid by the credential that came with the key, and a key that is none is told so first', async () => {
        const { accountId, key } = await customer(PRICE);
        const { l402 } = await payChallenge(payments.bus);
        const call = { operationId: 'zk.prove', requestDigest: 'cd'.repeat(32), credential: l402 };
        const unknown = payments.bus.call(paymentsContract.claim, { ...call, accountKey: `${key}x` });
        await expect(unknown).rejects.toMatchObject({ code: 'UNKNOWN_CREDENTIAL' });
        const reply = await payments.bus.call(paymentsContract.claim, { ...call, accountKey: key });
        expect(reply).toMatchObject({ outcome: 'claimed', receipt: { rail: 'l402' } });
        expect(await balanceOf(accountId)).toBe(PRICE);
        const { credit } = await release(held(reply));
        expect(credit).toMatchObject({ balanceMicroUsd: PRICE });
        // What a payment left over pays as any other key does.
        held(await claim(credit!.key));
        await expect(claim(credit!.key)).rejects.toMatchObject({ code: 'PAYMENT_INSUFFICIENT' });
      });
    });

    describe('requests with a quota, through the service', () => {
      const count = (more: { accountKey?: string; address?: string }) =>
        payments.bus.call(paymentsContract.count, {
          operationId: 'snn.solve',
          address: '2001:db8::1',
          ...more,
        });

      it('are counted by address, a /64 as one, up to the demo’s thousand, and taken back', async () => {
        const first = await count({});
        expect(first).toMatchObject({ outcome: 'counted', quota: { plan: 'demo', limit: 1_000, used: 1 } });
        expect(first.subject).not.toContain('2001');
        expect(await count({ address: '2001:db8::ffff' })).toMatchObject({
          subject: first.subject,
          quota: { used: 2 },
        });
        await payments.database.query(`UPDATE quota_usage SET used = 999 WHERE subject = $1`, [
          first.subject,
        ]);
        expect(await tally(Array.from({ length: 50 }, () => count({})))).toEqual({ counted: 1, over: 49 });
        const { subject, quota } = first;
        await payments.bus.call(paymentsContract.uncount, { subject, resetsAt: quota.resetsAt });
        expect(await count({})).toMatchObject({ outcome: 'counted', quota: { used: 1_000 } });
        const forged = payments.bus.call(paymentsContract.uncount, {
          subject: 'x',
          resetsAt: quota.resetsAt,
        });
        await expect(forged).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
      });

      it('are counted by key where there is one, and go on with its credit when they are used up', async () => {
        const { accountId, key } = await customer(PRICE);
        const { subject } = await count({ accountKey: key });
        expect(subject).toBe(`account:${accountId}`);
        await payments.database.query(`UPDATE quota_usage SET used = 1000 WHERE subject = $1`, [subject]);
        expect(await count({ accountKey: key })).toMatchObject({ outcome: 'over' });
        held(await claim(key));
        expect(await balanceOf(accountId)).toBe(0);
        await expect(count({ accountKey: 'nobody' })).rejects.toMatchObject({ code: 'UNKNOWN_CREDENTIAL' });
      });
    });

    describe('keys that came of what payments left over', () => {
      const derivedKey = async () => {
        const { l402 } = await payChallenge(payments.bus);
        const call = { operationId: 'zk.prove', requestDigest: 'cd'.repeat(32), credential: l402 };
        const { credit } = await release(held(await payments.bus.call(paymentsContract.claim, call)));
        return credit!.key;
      };
      const count = (accountKey: string, address: string) =>
        payments.bus.call(paymentsContract.count, { operationId: 'snn.solve', accountKey, address });

      it('have the requests of their address together, and none of their own', async () => {
        const [first, second] = await Promise.all([derivedKey(), derivedKey()]);
        const { subject } = await count(first, '192.0.2.77');
        expect(subject).toMatch(/^address:/);
        expect(await count(second, '192.0.2.77')).toMatchObject({ subject, quota: { used: 2 } });
        expect((await count(second, '192.0.2.78')).subject).not.toBe(subject);
      });

      it('have those of a plan that was given to their account', async () => {
        const key = await derivedKey();
        const { accountId, isDerived } = await payments.bus.call(accountContract.authenticate, {
          accountKey: key,
        });
        expect(isDerived).toBe(true);
        await payments.database.query(`UPDATE account SET plan = 'developer' WHERE account_id = $1`, [
          accountId,
        ]);
        expect((await count(key, '192.0.2.79')).subject).toBe(`account:${accountId}`);
      });
    });

    describe('the operator, through the service', () => {
      it('is known by ADMIN_KEY with every scope, and nobody else has one', async () => {
        const ask = (accountKey: string) =>
          payments.bus.call(accountContract.authenticate, { accountKey, scope: 'leads:pii' });
        expect(await ask(SECRETS.ADMIN_KEY)).toMatchObject({
          scopes: expect.arrayContaining(['admin:ledger']),
        });
        const { key } = await customer(0);
        await expect(ask(key)).rejects.toMatchObject({ code: 'FORBIDDEN' });
      });

      it('sees in the figures of the service whether the ledger was reconciled', async () => {
        const { measurements } = await payments.bus.call(pingProcedure('payments'), {});
        expect(measurements).toMatchObject({
          ledgerImbalanceMicroUsd: { value: 0 },
          ledgerFindings: { value: 0 },
        });
      });
    });

    describe('the lease of a claim', () => {
      const requestDigest = 'ab'.repeat(32);
      const paidBy = (credential: PaymentCredential) =>
        payments.bus.call(paymentsContract.claim, { operationId: 'zk.prove', requestDigest, credential });
      /** Seconds that a claim has left, with what has passed since it was claimed rounded away. */
      const leaseOf = async (claimId: string): Promise<number> => {
        const [{ left }] = await payments.database.query(
          `SELECT extract(epoch FROM lease_until - now())::float8 AS left FROM payment_claim WHERE claim_id = $1`,
          [claimId],
        );
        return Math.ceil(left / 10) * 10;
      };
      const endLease = (claimId: string) =>
        payments.database.query(`UPDATE payment_claim SET lease_until = now() WHERE claim_id = $1`, [
          claimId,
        ]);

      it.each<[string, () => Promise<ClaimReply>]>([
        ['a key', async () => claim((await customer(PRICE)).key)],
        ['an invoice', async () => paidBy((await payChallenge(payments.bus)).l402)],
        ['a settlement', () => paidBy(scripted({ nonce: randomUUID(), family: 'x402' }))],
        [
          'money that had arrived, of another amount',
          () => paidBy(scripted({ nonce: randomUUID(), family: 'stripe', chargeMicroUsd: 1_500 })),
        ],
      ])(
        'by %s is what the service was started with, again with a heartbeat, and longer for work',
        async (_, open) => {
          const handle = held(await open());
          const { claimId } = handle;
          expect(await leaseOf(claimId)).toBe(LEASE_SECONDS);
          await endLease(claimId);
          expect(await payments.bus.call(paymentsContract.heartbeat, { claims: [handle] })).toEqual({
            held: [claimId],
          });
          expect(await leaseOf(claimId)).toBe(LEASE_SECONDS);
          expect(await payments.bus.call(paymentsContract.renew, handle)).toEqual({ renewed: true });
          expect(await leaseOf(claimId)).toBe(WORK_LEASE_SECONDS);
          await release(handle);
        },
      );

      it('is the same while its settlement is waited for', async () => {
        let settle = () => {};
        rail.gate = new Promise(resolve => (settle = resolve));
        const from = rail.asked.length;
        const claiming = paidBy(scripted({ nonce: randomUUID(), family: 'x402' }));
        try {
          while (rail.asked.length === from) await new Promise(resolve => setTimeout(resolve, 2));
          expect(await leaseOf(rail.asked[from])).toBe(LEASE_SECONDS);
          // It is held however long the settlement takes.
          const { store } = claimParts(payments.database, [], 1);
          const handle = { claimId: rail.asked[from], attempt: 1 };
          await endLease(handle.claimId);
          await store.whileHeld(handle, async () => {
            while ((await leaseOf(handle.claimId)) <= 0) await new Promise(resolve => setTimeout(resolve, 2));
          });
        } finally {
          settle();
          rail.gate = undefined;
        }
        await release(held(await claiming));
      });

      it('of a payment that is claimed again is the same', async () => {
        const { l402 } = await payChallenge(payments.bus);
        const { claimId } = held(await paidBy(l402));
        await endLease(claimId);
        expect(held(await paidBy(l402))).toEqual({ claimId, attempt: 2 });
        expect(await leaseOf(claimId)).toBe(LEASE_SECONDS);
        await release({ claimId, attempt: 2 });
      });
    });
  });
}
