import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { arenaContract, paymentsContract, type ReplyOf } from '@svc/contracts';
import {
  createLogger,
  MeasurementRegistry,
  type ProblemError,
  problemOf,
  type RunningService,
  startService,
} from '@svc/platform';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { type AccountKind, Accounts } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { awardSettingsOf } from '../src/award/award-config.js';
import { CreditAwards } from '../src/award/credit-awards.js';
import { Ledger } from '../src/ledger/ledger.js';
import { paymentsService } from '../src/payments.service-definition.js';
import { LedgerReconciliation } from '../src/reconcile/ledger-reconciliation.js';
import { type PaymentsFixture, SECRETS, startPayments } from './payments-fixture.js';

const DAILY_SATS = 60;
const SATS_OF_A_CALL = 2;
const logger = createLogger('payments', { level: 'silent' });

let payments: PaymentsFixture;
let replica: RunningService;

const reconciled = () =>
  new LedgerReconciliation(payments.database, new MeasurementRegistry(), { logger }).run();

let daysAgo = 1;
/** What was awarded today was awarded on an earlier day. */
async function anotherDay(): Promise<void> {
  const day = new Date(Date.now() - 86_400_000 * daysAgo++).toISOString().slice(0, 10);
  await payments.database.query(
    `INSERT INTO promotion_day SELECT $1, awarded_sats FROM promotion_day
      WHERE day = (now() AT TIME ZONE 'UTC')::date`,
    [day],
  );
  await payments.database.query(
    `UPDATE promotion_award SET day = $1 WHERE day = (now() AT TIME ZONE 'UTC')::date`,
    [day],
  );
  await payments.database.query(`DELETE FROM promotion_day WHERE day = (now() AT TIME ZONE 'UTC')::date`);
}

const accounts = new Accounts();
const ledger = new Ledger();

/** An account with a key that bought a pack, or not, and has made so many calls. */
async function player({
  calls = 0,
  kind = 'purchased' as AccountKind,
  pack = 'pack_10' as string | null,
} = {}): Promise<{ accountId: string; key: string }> {
  const keys = new ApiKeys(payments.database, accountSecretsOf({ production: false, secrets: SECRETS }));
  const made = await payments.database.transaction(async manager => {
    const accountId = await accounts.create(manager, { kind });
    const { key } = await keys.issue(manager, accountId);
    const amountMicroUsd = 10_000_000;
    const legs = [
      { account: 'processor-clearing' as const, amountMicroUsd: -amountMicroUsd },
      { account: ledger.customer(accountId), amountMicroUsd },
    ];
    await ledger.post(manager, { kind: pack === null ? 'grant' : 'top-up', legs });
    if (pack !== null) await buy(accountId, 'pack', pack, amountMicroUsd, manager.query.bind(manager));
    return { accountId, key };
  });
  for (let i = 0; i < calls; i++) await deliver(await claim(made.key));
  return made;
}

async function buy(
  accountId: string,
  kind: string,
  product: string,
  amountMicroUsd: number,
  query: (sql: string, values: unknown[]) => Promise<unknown>,
): Promise<string> {
  const checkoutId = `chk_${randomBytes(16).toString('base64url')}`;
  await query(
    `INSERT INTO checkout_session (checkout_id, kind, product, amount_micro_usd, request_digest, session_id, account_id,
       fulfilled_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, now())`,
    [...[checkoutId, kind, product, amountMicroUsd, 'ab'.repeat(32)], ...[`cs_${randomUUID()}`, accountId]],
  );
  return checkoutId;
}

async function claim(accountKey: string): Promise<{ claimId: string; attempt: number }> {
  const reply = await payments.bus.call(paymentsContract.claim, {
    operationId: 'zk.prove',
    requestDigest: createHash('sha256').update(randomUUID()).digest('hex'),
    accountKey,
  });
  if (reply.outcome !== 'claimed') throw new Error(reply.outcome);
  return reply;
}

async function deliver({ claimId, attempt }: { claimId: string; attempt: number }): Promise<void> {
  const response = { status: 200, contentType: 'application/json', body: new Uint8Array([123, 125]) };
  await payments.bus.call(paymentsContract.deliver, { claimId, attempt, response });
}

const challenge = () => `arena_${randomBytes(16).toString('base64url')}`;
/** Asks for credit, and again where no answer came in time: of a challenge it is given once. */
async function award(
  accountId: string,
  amountSats = 10,
  challengeId = challenge(),
): Promise<ReplyOf<typeof arenaContract.awardCredit>> {
  const asked = { challengeId, accountId, amountSats };
  for (;;) {
    const answer = await payments.bus.call(arenaContract.awardCredit, asked).catch((error: ProblemError) => {
      if (error.code !== 'TIMEOUT') throw error;
    });
    if (answer) return answer;
  }
}
const balanceOf = async (accountId: string) =>
  (await accounts.find(payments.database.manager, accountId))!.balanceMicroUsd;
const awardedToday = async () => {
  const [{ sats }]: { sats: string }[] = await payments.database.query(
    `SELECT coalesce(sum(sats), 0) AS sats FROM promotion_award WHERE day = (now() AT TIME ZONE 'UTC')::date`,
  );
  return Number(sats);
};

export function describeCreditAwards(): void {
  describe('credit awards', () => {
    beforeAll(async () => {
      payments = await startPayments({}, { variables: { ARENA_DAILY_SATS: String(DAILY_SATS) } });
      replica = await startService(paymentsService, payments.environment);
    });
    /** Whatever was awarded, the ledger agrees with itself; then a new day begins. */
    afterEach(async () => {
      expect((await reconciled()).findings).toEqual([]);
      await anotherDay();
    });
    afterAll(async () => {
      await replica?.close();
      await payments?.close();
    });

    describe('credit for a grading', () => {
      it('is the account’s to spend, and the promotion’s to lose', async () => {
        const { accountId } = await player({ calls: 5 });
        const before = await balanceOf(accountId);
        expect(await award(accountId, 7)).toEqual({ sats: 7, reason: 'AWARDED' });
        expect(await balanceOf(accountId)).toBe(before + 3_500);
        const [{ total }]: { total: string }[] = await payments.database.query(
          `SELECT sum(amount_micro_usd) AS total FROM ledger_entry WHERE account = 'promotion:arena' AND created_at > now() - interval '1 minute'`,
        );
        expect(Number(total)).toBe(-3_500);
      });

      it('is given once for a challenge, however often and wherever it is asked for', async () => {
        const { accountId } = await player({ calls: 10 });
        const before = await balanceOf(accountId);
        const id = challenge();
        const answers = await Promise.all(Array.from({ length: 20 }, () => award(accountId, 6, id)));
        expect(new Set(answers.map(answer => JSON.stringify(answer)))).toEqual(
          new Set(['{"sats":6,"reason":"AWARDED"}']),
        );
        expect(await balanceOf(accountId)).toBe(before + 3_000);
      });

      it('never exceeds the budget of the day, with a hundred gradings at once', async () => {
        const players = await Promise.all(Array.from({ length: 5 }, () => player({ calls: 25 })));
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, i) => award(players[i % 5].accountId, 1 + (i % 9))),
        );
        const total = answers.reduce((sum, { sats }) => sum + sats, 0);
        expect(total).toBe(DAILY_SATS);
        expect(await awardedToday()).toBe(DAILY_SATS);
        expect(answers.filter(({ reason }) => reason === 'BUDGET').length).toBeGreaterThan(50);
        // The next day there is a budget again.
        await anotherDay();
        expect(await award(players[0].accountId, 1)).toMatchObject({ reason: 'AWARDED' });
      });

      it('is at most what the account has spent, also when many are asked for at once', async () => {
        const { accountId } = await player({ calls: 6 });
        const answers = await Promise.all(Array.from({ length: 12 }, () => award(accountId, 5)));
        expect(answers.reduce((sum, { sats }) => sum + sats, 0)).toBe(6 * SATS_OF_A_CALL);
        expect(answers.filter(({ reason }) => reason === 'SPENT_TOO_LITTLE').length).toBe(9);
      });

      it('counts no call that was not delivered, or was given back', async () => {
        const { accountId, key } = await player();
        expect(await award(accountId)).toEqual({ sats: 0, reason: 'SPENT_TOO_LITTLE' });
        const held = await claim(key);
        expect(await award(accountId)).toEqual({ sats: 0, reason: 'SPENT_TOO_LITTLE' });
        await deliver(held);
        expect(await award(accountId)).toEqual({ sats: SATS_OF_A_CALL, reason: 'AWARDED' });
      });

      it('is for accounts that bought something: neither for granted credit nor for that of a payment', async () => {
        const granted = await player({ calls: 3, pack: null });
        const derived = await player({ calls: 3, kind: 'derived' });
        const operator = await player({ calls: 3, kind: 'operator' });
        for (const { accountId } of [granted, derived, operator]) {
          expect(await award(accountId)).toEqual({ sats: 0, reason: 'NO_PAID_ACCOUNT' });
        }
        expect(await award(`acct_${'x'.repeat(20)}`)).toEqual({ sats: 0, reason: 'NO_PAID_ACCOUNT' });
      });

      it('counts a plan that was bought as spent, and a purchase that was taken back as none', async () => {
        const { accountId } = await player({ pack: null });
        await buy(
          accountId,
          'subscription',
          'developer_sdk',
          49_000_000,
          payments.database.query.bind(payments.database),
        );
        expect(await award(accountId)).toEqual({ sats: 10, reason: 'AWARDED' });
        const refunded = await player({ calls: 5 });
        await payments.database.query(
          `INSERT INTO credit_reversal (reversal_id, kind, payment_intent_id, account_id, asked_micro_usd, taken_micro_usd)
       VALUES ($1, 'refund', 'pi_1', $2, 10000000, 0)`,
          [randomUUID(), refunded.accountId],
        );
        expect(await award(refunded.accountId)).toEqual({ sats: 0, reason: 'SPENT_TOO_LITTLE' });
      });

      it('counts a plan whose price went back as neither bought nor spent, and what went back of later months not twice', async () => {
        const { database } = payments;
        const query = database.query.bind(database);
        /** A refund of an invoice, as the webhook keeps it: no account is named, for a plan gives no credit. */
        const goesBack = async (checkoutId: string, microUsd: number) => {
          const intent = `pi_${randomUUID()}`;
          await query(
            `INSERT INTO subscription_payment (payment_intent_id, invoice_id, checkout_id) VALUES ($1, $2, $3)`,
            [intent, `in_${randomUUID()}`, checkoutId],
          );
          await query(
            `INSERT INTO credit_reversal (reversal_id, kind, payment_intent_id, asked_micro_usd, taken_micro_usd)
             VALUES ($1, 'dispute', $2, $3, 0)`,
            [randomUUID(), intent, microUsd],
          );
        };
        const { accountId } = await player({ pack: null });
        const checkoutId = await buy(accountId, 'subscription', 'developer_sdk', 49_000_000, query);
        expect(await award(accountId)).toEqual({ sats: 10, reason: 'AWARDED' });
        await goesBack(checkoutId, 49_000_000);
        expect(await award(accountId)).toEqual({ sats: 0, reason: 'SPENT_TOO_LITTLE' });
        const other = await player({ calls: 5 });
        const plan = await buy(other.accountId, 'subscription', 'developer_sdk', 49_000_000, query);
        for (let month = 0; month < 3; month++) await goesBack(plan, 49_000_000);
        expect(await award(other.accountId, SATS_OF_A_CALL)).toEqual({
          sats: SATS_OF_A_CALL,
          reason: 'AWARDED',
        });
      });

      it('is nothing where no budget is set, and refuses an amount that is none', async () => {
        const { accountId } = await player({ calls: 3 });
        const none = new CreditAwards(payments.database, ledger, awardSettingsOf({}));
        expect(await none.award({ challengeId: challenge(), accountId, amountSats: 5 })).toEqual({
          sats: 0,
          reason: 'BUDGET',
        });
        expect(() => awardSettingsOf({ ARENA_DAILY_SATS: '-1' })).toThrow('ARENA_DAILY_SATS');
        expect((await problemOf(award(accountId, 0))).code).toBe('VALIDATION_FAILED');
      });

      it('is found out by the reconciliation where the books of the promotion disagree', async () => {
        const { accountId } = await player({ calls: 3 });
        await award(accountId, 4);
        await payments.database.query(
          `UPDATE promotion_day SET awarded_sats = awarded_sats - 1 WHERE day = (now() AT TIME ZONE 'UTC')::date`,
        );
        expect((await reconciled()).findings).toMatchObject([{ kind: 'promotion-sum', offMicroUsd: 500 }]);
        await payments.database.query(
          `UPDATE promotion_day SET awarded_sats = awarded_sats + 1 WHERE day = (now() AT TIME ZONE 'UTC')::date`,
        );
      });
    });
  });
}
