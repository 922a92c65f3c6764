import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KEY_SCOPES } from '@svc/contracts';
import { parseSvcKey } from '@svc/protocols';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { DerivedCredit } from '../src/account/derived-credit.js';
import { HolderKeys } from '../src/account/holder-keys.js';
import { OperatorAccount } from '../src/account/operator-account.js';
import { customer } from '../src/ledger/ledger.js';
import { type AccountsFixture, startAccounts } from './account-fixture.js';
import { SECRETS } from './payments-fixture.js';

let fixture: AccountsFixture;

const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
const manager = () => fixture.database.manager;
const UNKNOWN = { code: 'UNKNOWN_CREDENTIAL', status: 401 };

export function describeAccountKeys(): void {
  describe('account keys', () => {
    beforeAll(async () => {
      fixture = await startAccounts();
    });
    afterAll(() => fixture?.close());

    describe('account keys', () => {
      it('say whose they are; nothing of their secret is stored', async () => {
        const { accountId, key, keyId } = await fixture.customer({ plan: 'pro_agent' });
        expect(await fixture.keys.authenticate(key)).toEqual({
          accountId,
          keyId,
          plan: 'pro_agent',
          scopes: [],
        });
        expect(parseSvcKey(key)).toEqual({ mode: 'test', keyId });
        const rows = JSON.stringify(await query(`SELECT * FROM api_key JOIN account USING (account_id)`));
        expect(rows).toContain(keyId);
        expect(rows).not.toContain(key.slice(-43));
        const [{ hash }] = await query(`SELECT key_hash AS hash FROM api_key WHERE key_id = $1`, [keyId]);
        expect(hash).toEqual(fixture.keys.hash(key).hash);
      });

      it('are nobody’s with any one character changed, in another mode, or with the pepper of another deployment', async () => {
        const { key } = await fixture.customer();
        for (let index = 0; index < key.length; index++) {
          const other = key[index] === 'a' ? 'b' : 'a';
          const changed = key.slice(0, index) + other + key.slice(index + 1);
          await expect(fixture.keys.authenticate(changed)).rejects.toMatchObject(UNKNOWN);
        }
        await expect(fixture.keys.authenticate(key.replace('svc_test', 'svc_live'))).rejects.toMatchObject(
          UNKNOWN,
        );
        const secrets = { ...SECRETS, API_KEY_PEPPER: 'another pepper, as long as it has to be' };
        const elsewhere = new ApiKeys(fixture.database, accountSecretsOf({ production: false, secrets }));
        await expect(elsewhere.authenticate(key)).rejects.toMatchObject(UNKNOWN);
      });

      it('of the sandbox are none in production, though their rows were there', async () => {
        const { key } = await fixture.customer();
        const live = new ApiKeys(fixture.database, accountSecretsOf({ production: true, secrets: SECRETS }));
        await expect(live.authenticate(key)).rejects.toMatchObject(UNKNOWN);
        const { accountId } = await fixture.customer();
        const issued = await live.issue(manager(), accountId);
        expect(issued.key).toMatch(/^svc_live_/);
        await expect(fixture.keys.authenticate(issued.key)).rejects.toMatchObject(UNKNOWN);
      });

      it('do only what their scopes say', async () => {
        const { accountId, key } = await fixture.customer();
        const { key: reader } = await fixture.keys.issue(manager(), accountId, { scopes: ['leads:read'] });
        expect(await fixture.keys.authenticate(reader, 'leads:read')).toMatchObject({
          scopes: ['leads:read'],
        });
        for (const [text, scope] of [
          [reader, 'leads:pii'],
          [key, 'leads:read'],
        ] as const) {
          await expect(fixture.keys.authenticate(text, scope)).rejects.toMatchObject({
            code: 'FORBIDDEN',
            status: 403,
          });
        }
      });

      it('that are revoked are nobody’s at once, on every instance', async () => {
        const { accountId, key, keyId } = await fixture.customer();
        const other = await fixture.other();
        await other.keys.authenticate(key);
        await fixture.keys.revoke(manager(), accountId, keyId);
        await expect(other.keys.authenticate(key)).rejects.toMatchObject(UNKNOWN);
        await fixture.keys.revoke(manager(), accountId, keyId);
        const stranger = await fixture.customer();
        await expect(fixture.keys.revoke(manager(), stranger.accountId, keyId)).rejects.toMatchObject({
          code: 'NOT_FOUND',
        });
      });

      it('that are replaced go on for their time of grace, and end with it', async () => {
        const { accountId, keyId } = await fixture.customer();
        const { key, keyId: oldId } = await fixture.keys.issue(manager(), accountId, {
          scopes: ['leads:read'],
          label: 'robot',
        });
        const replaced = await fixture.keys.rotate(manager(), accountId, oldId, { graceSeconds: 60 });
        expect(await fixture.keys.authenticate(key)).toMatchObject({ keyId: oldId });
        expect(await fixture.keys.authenticate(replaced.key, 'leads:read')).toMatchObject({
          keyId: replaced.keyId,
        });
        expect(await fixture.keys.list(manager(), accountId)).toEqual([
          expect.objectContaining({
            keyId: replaced.keyId,
            state: 'active',
            label: 'robot',
            scopes: ['leads:read'],
          }),
          expect.objectContaining({ keyId: oldId, state: 'rotating', endsAt: expect.any(Date) }),
          expect.objectContaining({ keyId, state: 'active' }),
        ]);
        await query(`UPDATE api_key SET ends_at = now() WHERE key_id = $1`, [oldId]);
        await expect(fixture.keys.authenticate(key)).rejects.toMatchObject(UNKNOWN);
        expect((await fixture.keys.list(manager(), accountId))[1]).toMatchObject({
          keyId: oldId,
          state: 'revoked',
        });
      });

      it('are replaced once, by their account alone, with a grace that is bounded', async () => {
        const { accountId, keyId } = await fixture.customer();
        const rotate = (graceSeconds: number, of = accountId) =>
          fixture.database.transaction(each => fixture.keys.rotate(each, of, keyId, { graceSeconds }));
        const stranger = await fixture.customer();
        await expect(rotate(0, stranger.accountId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
        for (const graceSeconds of [-1, 0.5, Number.NaN, 31 * 86_400])
          await expect(rotate(graceSeconds)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
        const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => rotate(0)));
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
          reason: { code: 'CONFLICT' },
        });
      });

      it('know to the hour when they were used last, without a write for each call', async () => {
        const { key, keyId } = await fixture.customer();
        const lastUsed = async (): Promise<Date | null> => {
          const [row] = await query(`SELECT last_used_at FROM api_key WHERE key_id = $1`, [keyId]);
          return row.last_used_at as Date | null;
        };
        await fixture.keys.authenticate(key);
        while ((await lastUsed()) === null) await new Promise(resolve => setTimeout(resolve, 5));
        await query(`UPDATE api_key SET last_used_at = now() - interval '59 min' WHERE key_id = $1`, [keyId]);
        const before = await lastUsed();
        await Promise.all(Array.from({ length: 10 }, () => fixture.keys.authenticate(key)));
        expect(await lastUsed()).toEqual(before);
        await query(`UPDATE api_key SET last_used_at = now() - interval '61 min' WHERE key_id = $1`, [keyId]);
        const old = (await lastUsed())!;
        await fixture.keys.authenticate(key);
        while ((await lastUsed())!.getTime() - old.getTime() < 60_000)
          await new Promise(resolve => setTimeout(resolve, 5));
      });
    });

    describe('keys of one account with different scopes', () => {
      const holders = () => new HolderKeys(fixture.keys);
      const FORBIDDEN = { code: 'FORBIDDEN', status: 403 };

      it('neither replace nor end one that may do more: its successor would be told to whoever asked', async () => {
        const { accountId, key: bare } = await fixture.customer();
        const all = await fixture.keys.issue(manager(), accountId, { scopes: ['admin:keys', 'leads:read'] });
        const reader = await fixture.keys.issue(manager(), accountId, { scopes: ['leads:read'] });
        for (const text of [bare, reader.key]) {
          const by = await fixture.keys.authenticate(text);
          await expect(holders().rotate(manager(), by, all.keyId, 0)).rejects.toMatchObject(FORBIDDEN);
          const ending = holders().revoke(manager(), accountId, all.keyId, { force: true, by });
          await expect(ending).rejects.toMatchObject(FORBIDDEN);
        }
        expect(await fixture.keys.authenticate(all.key, 'admin:keys')).toMatchObject({ keyId: all.keyId });
      });

      it('replace and end those that may do as much or less, and are found by their account alone', async () => {
        const { accountId } = await fixture.customer();
        const all = await fixture.keys.issue(manager(), accountId, { scopes: ['admin:keys', 'leads:read'] });
        const reader = await fixture.keys.issue(manager(), accountId, { scopes: ['leads:read'] });
        const by = await fixture.keys.authenticate(all.key);
        const next = await holders().rotate(manager(), by, reader.keyId, 0);
        expect(await fixture.keys.authenticate(next.key)).toMatchObject({ scopes: ['leads:read'] });
        await holders().revoke(manager(), accountId, next.keyId, { force: false, by });
        await expect(fixture.keys.authenticate(next.key)).rejects.toMatchObject(UNKNOWN);
        const stranger = await fixture.keys.authenticate((await fixture.customer()).key);
        const rotated = holders().rotate(manager(), stranger, all.keyId, 0);
        await expect(rotated).rejects.toMatchObject({ code: 'NOT_FOUND' });
      });
    });

    describe('the operator', () => {
      const operator = (adminKey: string) =>
        new OperatorAccount(fixture.database, { ...fixture.secrets, adminKey });
      const ADMIN = 'the admin key of these tests, long enough';

      it('has every scope by ADMIN_KEY, which is not stored, made once by instances that start together', async () => {
        await Promise.all(Array.from({ length: 4 }, () => operator(ADMIN).onApplicationBootstrap()));
        const holder = await fixture.keys.authenticate(ADMIN, 'leads:pii');
        expect(holder).toMatchObject({ accountId: operator(ADMIN).accountId, scopes: [...KEY_SCOPES] });
        expect(await query(`SELECT kind FROM account WHERE account_id = $1`, [holder.accountId])).toEqual([
          { kind: 'operator' },
        ]);
        expect(await fixture.keys.list(manager(), holder.accountId)).toHaveLength(1);
        const tables = JSON.stringify(await query(`SELECT * FROM api_key JOIN account USING (account_id)`));
        expect(tables).not.toContain(ADMIN);
        await expect(fixture.keys.authenticate(`${ADMIN} `)).rejects.toMatchObject(UNKNOWN);
      });

      it('does not replace ADMIN_KEY by another key: the next start would bring it back, and end its successor', async () => {
        await operator(fixture.secrets.adminKey).onApplicationBootstrap();
        const by = await fixture.keys.authenticate(fixture.secrets.adminKey);
        const rotating = new HolderKeys(fixture.keys).rotate(manager(), by, by.keyId, 0);
        await expect(rotating).rejects.toMatchObject({ code: 'CONFLICT', status: 409 });
        expect(await fixture.keys.authenticate(fixture.secrets.adminKey)).toEqual(by);
      });

      it('has another key once ADMIN_KEY is another, and the first again once it is the first again', async () => {
        await operator(ADMIN).onApplicationBootstrap();
        await operator('another admin key of these tests').onApplicationBootstrap();
        await expect(fixture.keys.authenticate(ADMIN)).rejects.toMatchObject(UNKNOWN);
        await fixture.keys.authenticate('another admin key of these tests', 'admin:keys');
        await operator(ADMIN).onApplicationBootstrap();
        await fixture.keys.authenticate(ADMIN, 'admin:keys');
        await expect(fixture.keys.authenticate('another admin key of these tests')).rejects.toMatchObject(
          UNKNOWN,
        );
      });
    });

    describe('the credit of a payment', () => {
      const credit = () => new DerivedCredit(fixture.database, fixture.secrets);
      const leave = (family: 'lightning' | 'stripe' | 'x402', proofKey: string, amountMicroUsd: number) =>
        fixture.database.transaction(async each => {
          const accountId = await credit().ensure(each, family, proofKey);
          const legs = [
            { account: 'processor-clearing' as const, amountMicroUsd: -amountMicroUsd },
            { account: customer(accountId), amountMicroUsd },
          ];
          await fixture.ledger.post(each, { kind: 'settle', legs });
          return accountId;
        });

      it('lies on a key that its proof derives again, that pays, and of which nothing secret is stored', async () => {
        const accountId = await leave('stripe', 'challenge:one', 499_000);
        const shown = (await credit().of('stripe', 'challenge:one'))!;
        expect(shown).toMatchObject({ balanceMicroUsd: 499_000 });
        expect(await credit().of('stripe', 'challenge:one')).toEqual(shown);
        expect(await fixture.keys.authenticate(shown.key)).toMatchObject({ accountId, plan: 'demo' });
        const rows = JSON.stringify(await query(`SELECT * FROM api_key JOIN account USING (account_id)`));
        expect(rows).not.toContain(shown.key.slice(-43));
        expect(await query(`SELECT kind FROM account WHERE account_id = $1`, [accountId])).toEqual([
          { kind: 'derived' },
        ]);
      });

      it('is another’s for another proof or rail, and nobody’s where nothing was left', async () => {
        await leave('lightning', 'proof', 1_000);
        expect(await credit().of('lightning', 'proof')).toMatchObject({ balanceMicroUsd: 1_000 });
        expect(await credit().of('x402', 'proof')).toBeUndefined();
        expect(await credit().of('lightning', 'proof2')).toBeUndefined();
        await fixture.database.transaction(each => credit().ensure(each, 'lightning', 'empty'));
        expect(await credit().of('lightning', 'empty')).toBeUndefined();
      });

      it('has one account however many make it at once', async () => {
        const made = await Promise.all(
          Array.from({ length: 20 }, () =>
            fixture.database.transaction(each => credit().ensure(each, 'x402', 'at once')),
          ),
        );
        expect(new Set(made).size).toBe(1);
      });

      it('is shown no more once its holder replaced or revoked the key', async () => {
        const accountId = await leave('lightning', 'replaced', 1_000);
        const { keyId } = credit().keyOf('lightning', 'replaced');
        const next = await fixture.keys.rotate(manager(), accountId, keyId, { graceSeconds: 0 });
        expect(await credit().of('lightning', 'replaced')).toBeUndefined();
        expect(await fixture.keys.authenticate(next.key)).toMatchObject({ accountId });
      });
    });

    describe('accounts', () => {
      it('keep the plan and the ids of Stripe that they were given, and find themselves by subscription', async () => {
        const { accountId } = await fixture.customer();
        const until = new Date(Date.now() + 60_000);
        const change = { plan: 'developer', state: 'active', until, stripeSubscriptionId: 'sub_1' } as const;
        await fixture.accounts.setPlan(manager(), accountId, { ...change, stripeCustomerId: 'cus_1' });
        await fixture.accounts.setPlan(manager(), accountId, { plan: 'developer', state: 'past_due', until });
        expect(await fixture.accounts.findBySubscription(manager(), 'sub_1')).toMatchObject({
          ...{
            accountId,
            plan: 'developer',
            planState: 'past_due',
            effectivePlan: 'developer',
            planUntil: until,
          },
          ...{ stripeCustomerId: 'cus_1', stripeSubscriptionId: 'sub_1' },
        });
        expect(await fixture.accounts.find(manager(), `acct_${'a'.repeat(20)}`)).toBeUndefined();
        const nobody = fixture.accounts.setPlan(manager(), `acct_${'a'.repeat(20)}`, change);
        await expect(nobody).rejects.toThrow('there is no account');
      });
    });
  });
}
