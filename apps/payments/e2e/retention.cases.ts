import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyedBy, type KeptRows, leftBy, upkeepOf, type WiredUpkeep } from '@svc/platform/testing';
import { CheckoutStore, UNPAID_CHECKOUTS_MAX } from '../src/checkout/checkout-store.js';
import { packProduct } from '../src/checkout/products.js';
import { Leads } from '../src/lead/leads.js';
import { paymentKeysOf } from '../src/payments-config.js';
import { type AccountsFixture, startAccounts, tally } from './account-fixture.js';
import { type PaymentsFixture, SECRETS, startPayments } from './payments-fixture.js';

const [ID, AGO] = ['md5($1)', 'now() - $2::interval'];
const ACCOUNT = `'acct_${'a'.repeat(20)}'`;
const DIGEST = `repeat('ab', 32)`;
const CLAIM = {
  ...{ claim_id: `${ID}::uuid`, proof_key: ID, rail_family: `'x402'`, operation_id: `'zk.prove'` },
  ...{ request_digest: DIGEST, credential_digest: DIGEST, attempt: '1', receipt: `'{}'` },
  ...{ amount_micro_usd: '1', amount_sats: '1' },
};
const CLAIM_OF_TICKET = `(SELECT claim_id FROM payment_claim claim WHERE payer = 'of a ticket'
  AND NOT EXISTS (SELECT FROM execution_ticket ticket WHERE ticket.claim_id = claim.claim_id) LIMIT 1)`;
const MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/** What the service drops of its own accord. */
const KEPT: Record<string, KeptRows> = {
  answers: {
    table: 'payment_claim',
    columns: {
      ...{ ...CLAIM, state: `'delivered'`, lease_until: 'now()', response_body: `'\\x00'` },
      delivered_at: AGO,
    },
    ...{ ages: ['23 hours', '25 hours'], held: 'response_body IS NOT NULL' },
  },
  'void claims': {
    ...{ table: 'payment_claim', columns: { ...CLAIM, state: `'void'`, lease_until: AGO } },
    ages: ['6 days', '8 days'],
  },
  'answers of executions': {
    table: 'execution_ticket',
    columns: {
      ...{ ticket_id: `${ID}::uuid`, ticket_hash: 'sha256($1::bytea)', tool: `'zk_prove'` },
      ...{ claim_id: CLAIM_OF_TICKET, amount_micro_usd: '1' },
      ...{ funding: `'rail'`, rail: `'x402'`, receipt: `'{}'`, inline: 'true', expires_at: 'now()' },
      ...{ state: `'used'`, place: `'saga'`, saga_id: `${ID}::uuid`, used_at: AGO, request_digest: DIGEST },
      ...{ answer: `'\\x00'`, answered_at: AGO },
    },
    ...{ ages: ['23 hours', '25 hours'], held: 'answer IS NOT NULL' },
  },
  'what sagas kept': {
    table: 'saga',
    columns: {
      ...{ saga_id: `${ID}::uuid`, name: `'a'`, version: '1', state: `'COMPLETED'`, wal_count: '1' },
      ...{ head: 'sha256($1::bytea)', fence: '1', ended_at: AGO, kept: `'\\x00'` },
    },
    ...{ ages: ['23 hours', '25 hours'], held: 'kept IS NOT NULL' },
  },
  'unpaid checkouts': {
    table: 'checkout_session',
    columns: {
      ...{ checkout_id: `'chk_' || substr(${ID}, 1, 22)`, kind: `'pack'`, product: `'pack_10'` },
      ...{ amount_micro_usd: '1', request_digest: DIGEST, created_at: AGO },
    },
    ages: ['191 hours', '193 hours'],
  },
  'unpaid escrows': {
    table: 'escrow',
    columns: {
      ...{ escrow_id: `'esc_' || substr(${ID}, 1, 22)`, account_id: ACCOUNT, payee_account_id: ACCOUNT },
      ...{ state: `'EXPIRED'`, amount_cents: '50', request_digest: DIGEST, expires_at: AGO },
    },
    ages: ['29 days', '31 days'],
  },
  leads: {
    table: 'lead',
    columns: {
      ...{ lead_id: `'lead_' || substr(${ID}, 1, 22)`, source: `'checkout'` },
      ...{ email: `${ID} || '@example.com'`, last_seen_at: AGO },
    },
    ages: ['89 days', '91 days'],
  },
  'calls of the own tools': {
    table: 'tool_call',
    columns: { idem_key: 'sha256($1::bytea)', tool: `'a'`, state: `'done'`, begun_at: AGO },
    ages: ['29 days', '31 days'],
  },
  'counts of past months': {
    table: 'quota_usage',
    columns: {
      ...{ subject: `'address:' || ${ID} || ${ID}`, month: `(${MONTH} - $2::interval)::date`, used: '1' },
    },
    ages: ['12 months', '13 months'],
  },
  'what was counted back': {
    ...{ table: 'quota_return', columns: { call_key: ID, month: MONTH, returned_at: AGO } },
    ages: ['47 hours', '49 hours'],
  },
  'new keys of payers': {
    table: 'key_recovery',
    columns: {
      ...{ nonce: `decode(${ID}, 'hex')`, account_id: ACCOUNT, key_id: `substr(${ID}, 1, 16)` },
      ...{ rail_family: `'x402'`, ended_keys: `'{}'`, made_at: AGO },
    },
    ages: ['364 days', '366 days'],
  },
  'keys that ended': {
    table: 'api_key',
    columns: {
      ...{ key_id: `substr(${ID}, 1, 16)`, account_id: ACCOUNT, key_hash: 'sha256($1::bytea)' },
      ...{ state: `'revoked'`, ends_at: AGO },
    },
    ages: ['29 days', '31 days'],
  },
};

const { requests } = paymentKeysOf({ production: false, secrets: SECRETS });
/** A row that is of now. */
const ofNow = (columns: KeptRows['columns']) =>
  Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, value.replace(AGO, 'now()')]));

export function describeRetention(): void {
  describe('what is kept without a payment', () => {
    let fixture: AccountsFixture;
    let checkouts: CheckoutStore;
    beforeAll(async () => {
      fixture = await startAccounts();
      checkouts = new CheckoutStore(fixture.database, paymentKeysOf({ production: false, secrets: SECRETS }));
    });
    afterAll(() => fixture?.close());

    const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
    const begin = (openedBy: string, key?: string) =>
      checkouts.begin({
        ...{ product: packProduct('pack_10'), requestDigest: 'ab'.repeat(32), openedBy },
        ...(key === undefined ? {} : { idempotency: { scope: openedBy, key } }),
      });
    const outcome = (openedBy: string, key?: string) =>
      begin(openedBy, key).then(() => ({ outcome: 'begun' }));
    const age = (checkoutId: string, hours: number) =>
      query(
        `UPDATE checkout_session SET created_at = now() - make_interval(hours => $2) WHERE checkout_id = $1`,
        [checkoutId, hours],
      );
    const idsOf = async (openedBy: string) =>
      (await query(`SELECT checkout_id AS id FROM checkout_session WHERE opened_by = $1`, [openedBy])).map(
        ({ id }: { id: string }) => id,
      ) as string[];

    it('is as many unpaid checkouts of one address as may wait, also of many at once', async () => {
      const [mallory, alice] = ['address:mallory', 'address:alice'];
      const calls = Array.from({ length: UNPAID_CHECKOUTS_MAX + 10 }, () => outcome(mallory));
      expect(await tally(calls)).toEqual({ begun: UNPAID_CHECKOUTS_MAX, RATE_LIMITED: 10 });
      await expect(begin(mallory)).rejects.toMatchObject({
        message: expect.stringContaining(`at most ${UNPAID_CHECKOUTS_MAX} may`),
        payload: { retryAfterSeconds: expect.any(Number) },
      });
      await begin(alice);
      // Paid, or past its page, it makes room.
      const [paid, ended] = await idsOf(mallory);
      const { accountId } = await fixture.customer();
      await query(
        `UPDATE checkout_session SET fulfilled_at = now(), account_id = $2 WHERE checkout_id = $1`,
        [...[paid, accountId]],
      );
      await age(ended, 25);
      expect(await tally([outcome(mallory), outcome(mallory), outcome(mallory)])).toEqual({
        ...{ begun: 2, RATE_LIMITED: 1 },
      });
    });

    it('is the same checkout for whoever repeats its Idempotency-Key, also where there is no room', async () => {
      const bob = 'address:bob';
      const { checkoutId } = await begin(bob, 'first');
      for (let turn = 1; turn < UNPAID_CHECKOUTS_MAX; turn++) await begin(bob);
      expect((await begin(bob, 'first')).checkoutId).toBe(checkoutId);
      await expect(begin(bob, 'second')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    });

    it('goes a week after the page has ended, and what was paid stays', async () => {
      const carol = 'account:carol';
      for (let turn = 0; turn < 3; turn++) await begin(carol);
      const [old, young, paid] = await idsOf(carol);
      const { accountId } = await fixture.customer();
      await query(
        `UPDATE checkout_session SET fulfilled_at = now(), account_id = $2 WHERE checkout_id = $1`,
        [...[paid, accountId]],
      );
      await age(old, 24 * 8 + 1);
      await age(young, 24 * 8 - 1);
      await age(paid, 24 * 800);
      expect(await checkouts.purge()).toBe(1);
      expect((await idsOf(carol)).sort()).toEqual([paid, young].sort());
    });

    it('is a lead for 90 days after it was last seen, and one that has paid for two years', async () => {
      const leads = new Leads();
      const { manager } = fixture.database;
      const seen = async (email: string, days: number, detail = {}) => {
        await leads.record(manager, { source: 'checkout', email, detail });
        await query(`UPDATE lead SET last_seen_at = now() - make_interval(days => $2) WHERE email = $1`, [
          ...[email, days],
        ]);
      };
      await seen('new@example.com', 89);
      await seen('old@example.com', 91);
      await seen('paid@example.com', 729, { paid: true });
      await seen('paid-long-ago@example.com', 731, { paid: true });
      expect(await leads.purge(manager)).toBe(2);
      const left = await query(`SELECT email FROM lead ORDER BY email`);
      expect(left.map(({ email }: { email: string }) => email)).toEqual([
        'new@example.com',
        'paid@example.com',
      ]);
    });

    it('is that a count was taken back, for two days', async () => {
      const month = `date_trunc('month', now())::date`;
      await query(
        `INSERT INTO quota_return VALUES ('young', ${month}, now() - interval '47 hours'), ('old', ${month}, now() - interval '49 hours')`,
      );
      await fixture.quotas.purge();
      expect(await query(`SELECT call_key FROM quota_return`)).toEqual([{ call_key: 'young' }]);
    });
  });

  describe('the service as it runs', () => {
    let payments: PaymentsFixture;
    let upkeep: WiredUpkeep;
    beforeAll(async () => {
      upkeep = await upkeepOf(async () => {
        payments = await startPayments();
      });
      const { database } = payments;
      await database.query(`INSERT INTO account (account_id, kind) VALUES (${ACCOUNT}, 'purchased')`);
      const claim = { ...CLAIM, state: `'credited'`, lease_until: 'now()', payer: `'of a ticket'` };
      const insert = `INSERT INTO payment_claim (${Object.keys(claim).join()}) VALUES (${Object.values(claim).join()})`;
      for (const name of ['a', 'b', 'c']) await database.query(insert, [name]);
    });
    afterAll(() => payments?.close());

    it.each(['payment_claim', 'execution_ticket', 'checkout_session', 'escrow'])(
      'keys a plain digest of %s for its own row',
      async table => {
        const { columns } = Object.values(KEPT).find(each => each.table === table)!;
        const row = { table, column: 'request_digest', columns: ofNow(columns) };
        const { stored, expected } = await keyedBy(upkeep, payments.database, requests, row);
        expect(stored).toBe(expected);
      },
    );

    it.each(Object.entries(KEPT))('drops %s when their time is over, and not before', async (_what, rows) => {
      expect(await leftBy(upkeep, payments.database, rows)).toEqual(['young']);
    });
  });
}
