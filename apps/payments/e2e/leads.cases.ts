import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ADMIN_SCOPES,
  adminContract,
  KEY_SCOPES,
  type KeyScope,
  type LeadPage,
  leadsContract,
  type RequestOf,
} from '@svc/contracts';
import type { ProblemError } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { Accounts } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { argumentsDigest } from '../src/admin/admin-audit.js';
import { paymentKeysOf } from '../src/payments-config.js';
import { Leads, type NewLead } from '../src/lead/leads.js';
import { type PaymentsFixture, startPayments, SECRETS } from './payments-fixture.js';

let payments: PaymentsFixture;
const { requests } = paymentKeysOf({ production: false, secrets: SECRETS });

interface Operator {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}
/** Keys that may read leads, see addresses, and change leads. */
let [reader, seer, editor]: Operator[] = [];
async function operators(...scopes: KeyScope[][]): Promise<Operator[]> {
  const keys = new ApiKeys(payments.database, accountSecretsOf({ production: false, secrets: SECRETS }));
  return payments.database.transaction(async manager => {
    const accountId = await new Accounts().create(manager, { kind: 'purchased' });
    const issued = await Promise.all(scopes.map(each => keys.issue(manager, accountId, { scopes: each })));
    return issued.map(({ key, keyId }) => ({ accountId, keyId, key }));
  });
}

const record = (lead: NewLead) => payments.database.transaction(manager => new Leads().record(manager, lead));
const list = (
  query: Omit<RequestOf<typeof leadsContract.list>, 'accountKey'> = {},
  { key: accountKey } = reader,
) => payments.bus.call(leadsContract.list, { ...query, accountKey });
/** What a stranger on the bus might ask for, of every procedure of operators. */
const accountId = `acct_${'a'.repeat(20)}`;
const ADMIN_CALLS = {
  ...{ accounts: {}, createAccount: {}, account: { accountId }, setPlan: { accountId, plan: 'enterprise' } },
  grantCredit: { accountId, amountMicroUsd: 1, reason: 'a gift' },
  ...{ issueKey: { accountId }, revokeKey: { accountId, keyId: 'a'.repeat(16) } },
  ...{ setLicences: { accountId, state: 'revoked' }, spotPrices: {}, reconcile: {}, sagas: {}, audit: {} },
  setSpotPrice: { metal: 'XAU', currency: 'USD', price: '1', asOf: '2026-01-01T00:00:00Z', source: 'test' },
  resumeSaga: { sagaId: randomUUID() },
} satisfies Record<keyof typeof adminContract, object>;

const emails = ({ items }: LeadPage) => items.map(({ email }) => email);
const newestRecord = async () => {
  const rows = await payments.database.query(
    `SELECT account_id, key_id, action, target, arguments_digest, outcome FROM admin_audit
      ORDER BY audit_id DESC LIMIT 1`,
  );
  return rows[0] as Record<string, unknown> | undefined;
};

export function describeLeads(): void {
  describe('leads', () => {
    beforeAll(async () => {
      payments = await startPayments();
      [reader, seer, editor] = await operators(['leads:read'], ['leads:read', 'leads:pii'], ['leads:write']);
    });
    afterAll(() => payments?.close());
    beforeEach(() => payments.database.query('DELETE FROM lead'));

    describe('a lead', () => {
      test('is one for each address and source, however often and in whatever case it comes', async () => {
        await record({ source: 'checkout', email: 'Ann@example.com', detail: { packId: 'pack_10' } });
        await record({ source: 'checkout', email: 'ann@EXAMPLE.com', detail: { packId: 'pack_50' } });
        await record({ source: 'purchase-link', email: 'ann@example.com' });
        const { items } = await list({}, seer);
        expect(items.map(({ source, seenCount, detail }) => [source, seenCount, detail])).toEqual([
          ['purchase-link', 1, {}],
          ['checkout', 2, { packId: 'pack_50' }],
        ]);
      });

      test('has paid also when somebody begins another checkout under its address', async () => {
        const lead = { source: 'checkout', email: 'ann@example.com' } as const;
        const bought = { product: 'pack_10', paid: true };
        await record({ ...lead, detail: { product: 'pack_10', paid: false } });
        await record({ ...lead, detail: bought });
        await record({ ...lead, detail: { product: 'pack_50', paid: false } });
        expect((await list()).items).toMatchObject([{ seenCount: 3, detail: bought }]);
        await record({ ...lead, detail: { product: 'pack_50', paid: true } });
        expect((await list()).items).toMatchObject([{ detail: { product: 'pack_50', paid: true } }]);
      });

      test('is one also when fifty come at once', async () => {
        const lead: NewLead = { source: 'checkout', email: 'race@example.com' };
        await Promise.all(Array.from({ length: 50 }, () => record(lead)));
        expect((await list({}, seer)).items.map(({ seenCount }) => seenCount)).toEqual([50]);
      });

      test('stands in no purchase’s way, whatever its detail holds', async () => {
        await record({ source: 'checkout', email: 'a1@example.com', detail: { note: '\u0000' } });
        await record({ source: 'checkout', email: 'a2@example.com', detail: { note: '\ud800' } });
        await record({ source: 'checkout', email: 'a3@example.com', detail: { note: 'x'.repeat(5_000) } });
        await record({ source: 'checkout', email: 'a4@example.com', detail: { note: '"'.repeat(890) } });
        expect((await list()).items.map(({ detail }) => Object.keys(detail))).toEqual([['note'], [], [], []]);
      });

      test('keeps the status that an operator gave it when it comes again', async () => {
        await record({ source: 'checkout', email: 'ann@example.com' });
        const [{ leadId }] = (await list()).items;
        const change = (by: Operator) =>
          payments.bus.call(leadsContract.change, { accountKey: by.key, leadId, status: 'contacted' });
        // Who calls says whose key it is to nobody: the key is looked at.
        await expect(change(seer)).rejects.toMatchObject({ code: 'FORBIDDEN' });
        await expect(change({ ...editor, key: `${editor.key.slice(0, -1)}_` })).rejects.toMatchObject({
          code: 'UNKNOWN_CREDENTIAL',
        });
        const changed = await change(editor);
        expect(changed).toMatchObject({ status: 'contacted', email: 'a***@example.com' });
        expect(await newestRecord()).toMatchObject({
          action: 'lead.change',
          target: leadId,
          outcome: 'DONE',
        });
        await record({ source: 'checkout', email: 'ann@example.com' });
        expect((await list({ status: 'contacted' })).items).toHaveLength(1);
      });
    });

    describe('the list of leads', () => {
      test('shows addresses to a key with leads:pii, and masks them for any other', async () => {
        await record({ source: 'checkout', email: 'alice@example.com' });
        expect(emails(await list())).toEqual(['a***@example.com']);
        expect(emails(await list({}, seer))).toEqual(['alice@example.com']);
      });

      test('lets nobody find out an address by searching who may not see it', async () => {
        await record({ source: 'checkout', email: 'alice@example.com' });
        for (const q of ['alice', 'al', 'alice@', 'e@ex']) {
          expect((await list({ q })).items).toEqual([]);
          expect((await list({ q }, seer)).items).toHaveLength(1);
        }
        expect((await list({ q: 'EXAMPLE' })).items).toHaveLength(1);
      });

      test('searches for what a pattern would take for itself as it stands', async () => {
        for (const email of ['a_b@example.com', 'a%b@example.com', 'axb@example.com', 'a\\b@example.com']) {
          await record({ source: 'checkout', email });
        }
        expect(emails(await list({ q: 'a_b' }, seer))).toEqual(['a_b@example.com']);
        expect(emails(await list({ q: 'a%b' }, seer))).toEqual(['a%b@example.com']);
        expect(emails(await list({ q: 'a\\b' }, seer))).toEqual(['a\\b@example.com']);
        expect(emails(await list({ q: "' OR 1=1 --" }, seer))).toEqual([]);
      });

      test('brings every lead once, page by page, also when others come in between', async () => {
        const count = 23;
        for (let i = 0; i < count; i++) await record({ source: 'checkout', email: `lead${i}@example.com` });
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await list({ limit: 5, cursor }, seer);
          seen.push(...emails(page));
          cursor = page.nextCursor ?? undefined;
          await record({ source: 'checkout', email: `late${seen.length}@example.com` });
        } while (cursor !== undefined);
        const all = Array.from({ length: count }, (_, i) => `lead${count - 1 - i}@example.com`);
        expect(seen).toEqual(all);
      });

      test('filters by status, source and time', async () => {
        await record({ source: 'checkout', email: 'old@example.com' });
        await payments.database.query(
          `UPDATE lead SET created_at = now() - interval '2 days', status = 'won'`,
        );
        await record({ source: 'purchase-link', email: 'new@example.com' });
        const since = new Date(Date.now() - 86_400_000).toISOString();
        expect(emails(await list({ since }, seer))).toEqual(['new@example.com']);
        expect(emails(await list({ status: 'won' }, seer))).toEqual(['old@example.com']);
        expect(emails(await list({ source: 'purchase-link' }, seer))).toEqual(['new@example.com']);
      });

      test('refuses a cursor of other filters, and is recorded as refused', async () => {
        await record({ source: 'checkout', email: 'a@example.com' });
        await record({ source: 'checkout', email: 'b@example.com' });
        const { nextCursor } = await list({ limit: 1 });
        const asked = { status: 'new' as const, limit: 1, cursor: nextCursor! };
        await expect(list(asked)).rejects.toMatchObject({
          payload: { code: 'VALIDATION_FAILED', errors: [{ path: 'cursor', got: nextCursor }] },
        });
        expect(await newestRecord()).toEqual({
          ...{ account_id: reader.accountId, key_id: reader.keyId, action: 'leads.list', target: null },
          ...{
            arguments_digest: argumentsDigest(requests, reader.accountId, asked),
            outcome: 'VALIDATION_FAILED',
          },
        });
      });

      test('is recorded each time it is read, without what was searched for', async () => {
        await list({ q: 'somebody@example.com' }, seer);
        expect(await newestRecord()).toMatchObject({
          ...{ action: 'leads.list', outcome: 'DONE', key_id: seer.keyId },
          arguments_digest: argumentsDigest(requests, seer.accountId, {
            q: 'somebody@example.com',
            limit: 50,
          }),
        });
      });

      test('is not shown where its reading cannot be recorded', async () => {
        const { database } = payments;
        await database.query(
          `ALTER TABLE admin_audit ADD CONSTRAINT broken CHECK (action <> 'leads.list') NOT VALID`,
        );
        await expect(list()).rejects.toMatchObject({ code: 'INTERNAL' });
        await database.query(`ALTER TABLE admin_audit DROP CONSTRAINT broken`);
      });
    });

    test.each(Object.keys(ADMIN_CALLS) as (keyof typeof ADMIN_CALLS)[])(
      'the service refuses %s by a key without its scope, though the caller is trusted',
      async procedure => {
        const scope = ADMIN_SCOPES[procedure];
        const [bare, other, able] = await operators(
          [],
          KEY_SCOPES.filter(each => each !== scope),
          [scope],
        );
        const codeBy = async (key: string) => {
          const asked = { ...ADMIN_CALLS[procedure], accountKey: key } as never;
          return payments.bus.call(adminContract[procedure], asked).then(
            () => 'DONE',
            ({ code }: ProblemError) => code,
          );
        };
        const codes = await Promise.all([bare.key, other.key, `${able.key.slice(0, -1)}_`].map(codeBy));
        expect(codes).toEqual(['FORBIDDEN', 'FORBIDDEN', 'UNKNOWN_CREDENTIAL']);
        expect(['DONE', 'NOT_FOUND']).toContain(await codeBy(able.key));
      },
    );

    test.each(['UPDATE admin_audit SET outcome = $$X$$', 'DELETE FROM admin_audit', 'TRUNCATE admin_audit'])(
      'the record of what operators did does not take: %s',
      async statement => {
        await list();
        await expect(payments.database.query(statement)).rejects.toThrow('append only');
      },
    );
  });
}
