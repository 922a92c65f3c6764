import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACTIVE_KEYS_MAX, KEY_SCOPES } from '@svc/contracts';
import { parseSvcKey } from '@svc/protocols';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { ApiKeys, KEYS_A_DAY_MAX } from '../src/account/api-keys.js';
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
      const holders = () => new HolderKeys(fixture.keys, fixture.limits);
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

    describe('keys that are made and end again and again', () => {
      const holders = () => new HolderKeys(fixture.keys, fixture.limits);
      /** Rows of keys as so many rotations would have left them. */
      const makeEnded = (accountId: string, count: number, age: string) =>
        query(
          `INSERT INTO api_key (key_id, account_id, key_hash, state, created_at, ends_at)
           SELECT substr(md5($1 || i), 1, 16), $1, sha256(convert_to($1 || i, 'UTF8')), 'rotating',
                  now() - $3::interval, now() - $3::interval
             FROM generate_series(1, $2::int) AS i`,
          [accountId, count, age],
        );

      it('are so many of an account in a day, by rotation or not; the next one says how long to wait', async () => {
        const { accountId, key, keyId } = await fixture.customer();
        const stranger = await fixture.customer();
        await makeEnded(accountId, KEYS_A_DAY_MAX - 2, '23 hours');
        const next = await holders().rotate(manager(), await fixture.keys.authenticate(key), keyId, 60);
        const by = await fixture.keys.authenticate(next.key);
        const refused = {
          code: 'RATE_LIMITED',
          payload: {
            retryAfterSeconds: expect.any(Number),
            extensions: { max: KEYS_A_DAY_MAX, got: KEYS_A_DAY_MAX },
          },
        };
        await expect(holders().rotate(manager(), by, next.keyId, 0)).rejects.toMatchObject(refused);
        await expect(holders().create(manager(), { accountId }, {})).rejects.toMatchObject(refused);
        const other = await fixture.keys.authenticate(stranger.key);
        await holders().rotate(manager(), other, stranger.keyId, 0);
        await query(`UPDATE api_key SET created_at = created_at - interval '2 hours' WHERE account_id = $1`, [
          accountId,
        ]);
        await holders().rotate(manager(), by, next.keyId, 0);
      });

      it('work beside each other, replaced ones too, only so many', async () => {
        const { accountId, key, keyId } = await fixture.customer();
        let newest = { key, keyId };
        const rotate = async (graceSeconds: number) =>
          holders().rotate(
            manager(),
            await fixture.keys.authenticate(newest.key),
            newest.keyId,
            graceSeconds,
          );
        for (let made = 1; made < 2 * ACTIVE_KEYS_MAX; made++) newest = await rotate(3_600);
        const tooMany = rotate(3_600);
        await expect(tooMany).rejects.toMatchObject({
          code: 'CONFLICT',
          payload: { extensions: { max: 40, got: 40 } },
        });
        const last = await rotate(0);
        expect(await fixture.keys.authenticate(last.key)).toMatchObject({ accountId });
      });

      it('cost one rotation no more than the keys that work, and are listed as far as they are of use', async () => {
        const { accountId, key, keyId } = await fixture.customer();
        await makeEnded(accountId, 5_000, '2 days');
        const read: unknown[] = [];
        const counting = {
          query: async (sql: string, parameters: unknown[]) => {
            const rows = await manager().query(sql, parameters);
            read.push(...(Array.isArray(rows) ? rows : []));
            return rows;
          },
        } as ReturnType<typeof manager>;
        const by = await fixture.keys.authenticate(key);
        const next = await holders().rotate(counting, by, keyId, 60);
        expect(read.length).toBeLessThan(20);
        const listed = await fixture.keys.list(manager(), accountId);
        expect(listed.slice(0, 2).map(each => [each.keyId, each.state])).toEqual([
          [next.keyId, 'active'],
          [keyId, 'rotating'],
        ]);
        expect(listed).toHaveLength(2 + 50);
      });

      it('go a month after their end, and are unknown as before; what something still needs stays', async () => {
        await query(`UPDATE api_key SET ends_at = now() WHERE ends_at IS NOT NULL`);
        const { accountId } = await fixture.customer();
        const aged = async (days: number, of = accountId) => {
          const issued = await fixture.keys.issue(manager(), of);
          await fixture.keys.revoke(manager(), of, issued.keyId);
          await query(`UPDATE api_key SET ends_at = ends_at - make_interval(days => $2) WHERE key_id = $1`, [
            ...[issued.keyId, days],
          ]);
          return issued;
        };
        const [old, young, shown] = [await aged(31), await aged(29), await aged(400)];
        await query(
          `INSERT INTO checkout_session (checkout_id, kind, product, amount_micro_usd, request_digest, account_id, key_id,
             key_shown_at, fulfilled_at)
           VALUES ('chk_' || repeat('s', 22), 'pack', 'pack_10', 1, $3, $1, $2, now(), now())`,
          [accountId, shown.keyId, 'ab'.repeat(32)],
        );
        const credit = new DerivedCredit(fixture.database, fixture.secrets);
        const ofRest = await fixture.database.transaction(each => credit.ensure(each, 'x402', 'purged'));
        const first = credit.keyOf('x402', 'purged');
        await fixture.keys.revoke(manager(), ofRest, first.keyId);
        await query(`UPDATE api_key SET ends_at = now() - interval '400 days' WHERE key_id = $1`, [
          first.keyId,
        ]);
        const second = await aged(31, ofRest);
        expect(await fixture.keys.purge()).toBe(2);
        const left = await query(`SELECT key_id AS id FROM api_key WHERE key_id = ANY ($1)`, [
          [old, young, shown, first, second].map(({ keyId }) => keyId),
        ]);
        expect(left.map(({ id }: { id: string }) => id).sort()).toEqual(
          [young, shown, first].map(({ keyId }) => keyId).sort(),
        );
        for (const { key } of [old, young, shown, first, second])
          await expect(fixture.keys.authenticate(key)).rejects.toMatchObject(UNKNOWN);
        // Whoever shows the payment again brings its key back to life no more than before.
        await fixture.database.transaction(each => credit.ensure(each, 'x402', 'purged'));
        await expect(fixture.keys.authenticate(first.key)).rejects.toMatchObject(UNKNOWN);
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
        const rotating = new HolderKeys(fixture.keys, fixture.limits).rotate(manager(), by, by.keyId, 0);
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
