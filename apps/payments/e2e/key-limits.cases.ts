import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CreateKeyRequest, type KeyHolder } from '@svc/contracts';
import { randomUUID } from 'node:crypto';
import { HolderKeys } from '../src/account/holder-keys.js';
import {
  type AccountsFixture,
  type AccountsInstance,
  callOf,
  startAccounts,
  tally,
} from './account-fixture.js';
import { claimParts } from './payments-fixture.js';

const PRICE = 1_000;
const PRICE_USD = '0.001';
let fixture: AccountsFixture;
let other: AccountsInstance;

const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
const holders = () => new HolderKeys(fixture.keys, fixture.limits);
const make = (by: Pick<KeyHolder, 'accountId' | 'limits'>, asked: object) =>
  fixture.database.transaction(each => holders().create(each, by, CreateKeyRequest.parse(asked)));
const limitedBy = (key: string) => fixture.keys.authenticate(key);

/** An account with credit, and a key of it with limits. */
async function limited(asked: object, microUsd = 100 * PRICE) {
  const owner = await fixture.customer({ microUsd });
  return { owner, ...(await make({ accountId: owner.accountId }, asked)) };
}

async function claimed(key: string, instance: AccountsInstance = fixture, operationId?: string) {
  const claim = await instance.keyClaims.claim(callOf(key, randomUUID(), operationId));
  if (claim.outcome !== 'claimed') throw new Error(`not claimed: ${claim.outcome}`);
  return claim;
}
const spentOf = async (keyId: string) => {
  const [row] = await query(
    `SELECT spent_micro_usd::int AS total, spent_day_micro_usd::int AS day FROM key_limit JOIN api_key USING (limit_id)
      WHERE key_id = $1`,
    [keyId],
  );
  return row as { total: number; day: number };
};

export function describeKeyLimits(): void {
  describe('keys with limits', () => {
    beforeAll(async () => {
      fixture = await startAccounts();
      other = await fixture.other();
    });
    afterAll(() => fixture?.close());

    describe('a cap', () => {
      it('is reached by exactly as many calls as it pays for, asked at once of two instances', async () => {
        const { key, keyId, owner } = await limited({ cap: { usd: '0.007' } });
        const calls = Array.from({ length: 60 }, (_, i) =>
          (i % 2 ? fixture : other).keyClaims.claim(callOf(key)),
        );
        expect(await tally(calls)).toEqual({ claimed: 7, BUDGET_EXHAUSTED: 53 });
        expect(await spentOf(keyId)).toEqual({ total: 7 * PRICE, day: 7 * PRICE });
        expect(await fixture.balanceOf(owner.accountId)).toBe(93 * PRICE);
        await claimed(owner.key);
      });

      it('says what it is, what was spent of it, and when a day begins anew', async () => {
        const { key } = await limited({ cap: { usd: '0.0015', per: 'day' } });
        const { purse } = await claimed(key);
        expect(purse.limits).toEqual({ cap: { capMicroUsd: 1_500, spentMicroUsd: PRICE } });
        await expect(fixture.keyClaims.claim(callOf(key))).rejects.toMatchObject({
          status: 402,
          payload: {
            code: 'BUDGET_EXHAUSTED',
            extensions: {
              ...{ capMicroUsd: 1_500, spentMicroUsd: PRICE, priceMicroUsd: PRICE },
              resetsAt: expect.stringMatching(/T00:00:00\.000Z$/),
            },
          },
        });
      });

      it('of a day is whole again on the next one; one in all is not', async () => {
        const cap = [
          { usd: PRICE_USD, per: 'day' },
          { usd: '0.002', per: 'total' },
        ];
        const { key, keyId } = await limited({ cap });
        await claimed(key);
        await expect(claimed(key)).rejects.toMatchObject({ code: 'BUDGET_EXHAUSTED' });
        await query(`UPDATE key_limit SET spent_day = spent_day - 1`);
        await claimed(key);
        expect(await spentOf(keyId)).toEqual({ total: 2 * PRICE, day: PRICE });
        await query(`UPDATE key_limit SET spent_day = spent_day - 1`);
        const refused = await fixture.keyClaims.claim(callOf(key)).catch((error: unknown) => error);
        expect(refused).toMatchObject({ payload: { extensions: { capMicroUsd: 2 * PRICE } } });
        expect(refused).not.toHaveProperty('payload.extensions.resetsAt');
      });

      it('has back what a call had taken that was given back, once, and what it took on another day only in all', async () => {
        const { key, keyId } = await limited({ cap: { usd: PRICE_USD } });
        const { releases } = claimParts(fixture.database);
        const { held } = await claimed(key);
        for (let time = 0; time < 2; time++)
          await releases.release(held.claimId, held.attempt, 'failed', false);
        expect(await spentOf(keyId)).toEqual({ total: 0, day: 0 });
        const again = await claimed(key);
        await query(`UPDATE payment_claim SET limit_day = limit_day - 1 WHERE claim_id = $1`, [
          again.held.claimId,
        ]);
        await releases.release(again.held.claimId, again.held.attempt, 'failed', false);
        expect(await spentOf(keyId)).toEqual({ total: 0, day: PRICE });
      });

      it('is not spent by what the quota of a plan pays for', async () => {
        const owner = await fixture.customer({ microUsd: 100_000, plan: 'developer' });
        const { key, keyId } = await make(owner, { cap: { usd: '0.05' } });
        await claimed(key);
        expect(await spentOf(keyId)).toEqual({ total: 0, day: 0 });
        await claimed(key, fixture, 'agent.verify-bullion');
        expect(await spentOf(keyId)).toEqual({ total: 50_000, day: 50_000 });
        await claimed(key);
        await expect(claimed(key, fixture, 'agent.verify-bullion')).rejects.toMatchObject({
          code: 'BUDGET_EXHAUSTED',
        });
      });

      it('leaves the balance of the account to decide where that is less', async () => {
        const { key } = await limited({ cap: { usd: '5.00' } }, PRICE);
        const calls = Array.from({ length: 20 }, () => fixture.keyClaims.claim(callOf(key)));
        expect(await tally(calls)).toEqual({ claimed: 1, PAYMENT_INSUFFICIENT: 19 });
      });

      it('goes with the key that replaces it: both spend from it, while the first has time left', async () => {
        const { key, keyId, owner } = await limited({ cap: { usd: '0.002' }, operations: ['zk.*'] });
        await claimed(key);
        const next = await holders().rotate(fixture.database.manager, await limitedBy(key), keyId, 60);
        const calls = [key, next.key, key, next.key].map(each => fixture.keyClaims.claim(callOf(each)));
        expect(await tally(calls)).toEqual({ claimed: 1, BUDGET_EXHAUSTED: 3 });
        expect(await fixture.keys.list(fixture.database.manager, owner.accountId)).toContainEqual(
          expect.objectContaining({
            keyId: next.keyId,
            limits: expect.objectContaining({
              operations: ['zk.*'],
              caps: [{ per: 'total', capMicroUsd: 2_000, spentMicroUsd: 2_000 }],
            }),
          }),
        );
      });
    });

    describe('operations', () => {
      it.each([
        [['zk.*'], 'zk.prove', true],
        [['zk.prove'], 'zk.prove', true],
        [['tool.arena_challenge', 'zk.*'], 'tool.arena_challenge', true],
        [['zk.*'], 'stark.prove-m31', false],
        [['tool.arena_challenge'], 'tool.sync_mesh_crdt', false],
        [['agent.*'], 'zk.prove', false],
      ])('of %j pay for %s: %s, by a hold and by a look for one', async (operations, id, isAllowed) => {
        const { key } = await limited({ operations });
        const calls = [
          () => fixture.keyClaims.claim(callOf(key, 1, id)),
          () => fixture.keyClaims.find(callOf(key, 2, id)),
        ];
        for (const call of calls) {
          if (isAllowed) await call();
          else
            await expect(call()).rejects.toMatchObject({
              status: 403,
              payload: { code: 'FORBIDDEN', extensions: { operationId: id, operations } },
            });
        }
      });

      it('that no price list has are refused, by name', async () => {
        const { accountId } = await fixture.customer();
        await expect(make({ accountId }, { operations: ['zk.prove', 'zk.proof'] })).rejects.toMatchObject({
          status: 422,
          payload: { errors: [{ path: 'operations[1]', got: 'zk.proof' }] },
        });
      });
    });

    describe('an end', () => {
      it('is that of the key and of what replaces it, whatever the time of grace', async () => {
        const expiresAt = new Date(Date.now() + 600_000).toISOString();
        const { key, keyId, owner } = await limited({ expiresAt });
        await claimed(key);
        const by = await limitedBy(key);
        const next = await holders().rotate(fixture.database.manager, by, keyId, 3_600);
        expect(next.replaces?.endsAt).toBe(expiresAt);
        await query(`UPDATE api_key SET ends_at = now() WHERE ends_at = $1 AND account_id = $2`, [
          ...[expiresAt, owner.accountId],
        ]);
        for (const each of [key, next.key])
          await expect(claimed(each)).rejects.toMatchObject({ code: 'UNKNOWN_CREDENTIAL', status: 401 });
      });

      it('that is past is refused', async () => {
        const expiresAt = '2020-01-01T00:00:00Z';
        await expect(limited({ expiresAt })).rejects.toMatchObject({
          status: 422,
          payload: { errors: [{ path: 'expiresAt', got: expiresAt }] },
        });
      });
    });

    describe('a key with limits', () => {
      const FORBIDDEN = { code: 'FORBIDDEN', status: 403 };

      it('makes narrower keys alone, which spend from its cap too', async () => {
        const { key, keyId } = await limited({ cap: { usd: '0.003' }, operations: ['zk.*', 'snn.*'] });
        const by = await limitedBy(key);
        for (const wider of [
          { cap: { usd: '0.004' } },
          { operations: ['zk.prove', 'tool.*'] },
          { operations: ['stark.*'] },
        ])
          await expect(make(by, wider)).rejects.toMatchObject(FORBIDDEN);
        const made = [
          await make(by, {}),
          await make(by, { cap: { usd: '0.002' }, operations: ['zk.prove'] }),
        ];
        await expect(claimed(made[0].key, fixture, 'stark.prove-m31')).rejects.toMatchObject(FORBIDDEN);
        await expect(claimed(made[1].key, fixture, 'snn.solve')).rejects.toMatchObject(FORBIDDEN);
        const keys = [key, made[0].key, made[1].key];
        const calls = Array.from({ length: 30 }, (_, i) =>
          (i % 2 ? fixture : other).keyClaims.claim(callOf(keys[i % 3])),
        );
        expect(await tally(calls)).toEqual({ claimed: 3, BUDGET_EXHAUSTED: 27 });
        expect(await spentOf(keyId)).toMatchObject({ total: 3 * PRICE });
      });

      it('that ends makes none that goes on, and none of any depth', async () => {
        const expiresAt = new Date(Date.now() + 600_000).toISOString();
        const { key, keyId, owner } = await limited({ expiresAt });
        const by = { ...(await limitedBy(key)), keyId };
        const later = new Date(Date.now() + 700_000).toISOString();
        await expect(make(by, { expiresAt: later })).rejects.toMatchObject(FORBIDDEN);
        let maker = key;
        for (let depth = 2; depth <= 4; depth++) {
          const made = await make(await limitedBy(maker), {});
          expect(made.endsAt).toBe(expiresAt);
          maker = made.key;
        }
        await expect(make(await limitedBy(maker), {})).rejects.toMatchObject(FORBIDDEN);
        expect(await fixture.keys.live(fixture.database.manager, owner.accountId)).toHaveLength(5);
      });

      it('that has ended by the time that it is the turn of what it asks makes no key, and a replaced one neither', async () => {
        const { key, keyId, owner } = await limited({
          expiresAt: new Date(Date.now() + 600_000).toISOString(),
        });
        const by = await limitedBy(key);
        await query(`UPDATE api_key SET ends_at = now() WHERE key_id = $1`, [keyId]);
        await expect(make(by, {})).rejects.toMatchObject({ code: 'UNKNOWN_CREDENTIAL' });
        const whole = await limitedBy(owner.key);
        const { manager } = fixture.database;
        const next = await holders().rotate(manager, whole, owner.keyId, 3_600);
        await claimed(owner.key);
        for (const act of [
          () => make(whole, {}),
          () => holders().rotate(manager, whole, next.keyId, 0),
          () => holders().revoke(manager, owner.accountId, next.keyId, { force: true, by: whole }),
        ])
          await expect(act()).rejects.toMatchObject(FORBIDDEN);
        const live = await fixture.keys.live(manager, owner.accountId);
        expect(live.map(each => each.keyId).sort()).toEqual([owner.keyId, next.keyId].sort());
      });

      it('neither replaces nor ends a key that it has not made', async () => {
        const { key, owner } = await limited({ cap: { usd: '1' } });
        const by = await limitedBy(key);
        const { manager } = fixture.database;
        const rotating = holders().rotate(manager, by, owner.keyId, 0);
        await expect(rotating).rejects.toMatchObject(FORBIDDEN);
        const ending = holders().revoke(manager, owner.accountId, owner.keyId, { force: true, by });
        await expect(ending).rejects.toMatchObject(FORBIDDEN);
        const made = await make(by, {});
        await holders().revoke(manager, owner.accountId, made.keyId, { force: false, by });
        await expect(limitedBy(made.key)).rejects.toMatchObject({ code: 'UNKNOWN_CREDENTIAL' });
      });

      it('that is revoked ends what was made by it, at any depth, and no other; one that was replaced ends nothing', async () => {
        const { key, keyId, owner } = await limited({ cap: { usd: '1' } });
        const { manager } = fixture.database;
        const whole = { accountId: owner.accountId };
        const sibling = await make(whole, { cap: { usd: '1' } });
        const made = await make(await limitedBy(key), {});
        const deeper = await make(await limitedBy(made.key), { operations: ['zk.*'] });
        const next = await holders().rotate(manager, await limitedBy(key), keyId, 0);
        for (const each of [next, made, deeper]) await claimed(each.key);
        // Its limits are those of the key that replaced it, which works.
        await holders().revoke(manager, owner.accountId, keyId, { force: false });
        await claimed(deeper.key);
        await holders().revoke(manager, owner.accountId, next.keyId, { force: false });
        for (const each of [next, made, deeper])
          await expect(claimed(each.key)).rejects.toMatchObject({ code: 'UNKNOWN_CREDENTIAL' });
        for (const each of [owner, sibling]) await claimed(each.key);
      });

      it('is no key that opens the account: the last one without limits is not revoked unless that is asked for', async () => {
        const { owner } = await limited({ cap: { usd: '1' } });
        const { manager } = fixture.database;
        const by = await fixture.keys.authenticate(owner.key);
        const revoke = (force: boolean) =>
          holders().revoke(manager, owner.accountId, owner.keyId, { force, by });
        await expect(revoke(false)).rejects.toMatchObject({ code: 'CONFLICT' });
        await revoke(true);
      });

      it('goes a month after its end, and its limits with it, but for those that keys made under it still have', async () => {
        const { key, keyId, owner } = await limited({ cap: { usd: '1' } });
        const made = await make(await limitedBy(key), {});
        await query(
          `UPDATE api_key SET state = 'revoked', ends_at = now() - interval '31 days' WHERE key_id = $1`,
          [keyId],
        );
        await query(`UPDATE key_limit SET created_at = now() - interval '31 days' WHERE account_id = $1`, [
          owner.accountId,
        ]);
        const count = async () =>
          (await query(`SELECT FROM key_limit WHERE account_id = $1`, [owner.accountId])).length as number;
        await fixture.keys.purge();
        expect(await count()).toBe(2);
        await query(
          `UPDATE api_key SET state = 'revoked', ends_at = now() - interval '31 days' WHERE key_id = $1`,
          [made.keyId],
        );
        for (let round = 0; round < 2; round++) await fixture.keys.purge();
        expect(await count()).toBe(0);
      });
    });

    describe('a notice', () => {
      const notify = { belowUsd: '0.003', url: 'https://holder.example/low' };

      it('is written where a key has spent it that the limited one made, and where another has left too little', async () => {
        const maker = await limited({ notify, cap: { usd: '0.005' } });
        const made = await make(await limitedBy(maker.key), {});
        for (let call = 0; call < 3; call++) await claimed(made.key);
        expect(await noticesOf(maker.owner.accountId)).toEqual([
          { key: maker.keyId, left: 2 * PRICE, url: notify.url },
        ]);
        const beside = await limited({ notify }, 4 * PRICE);
        for (let call = 0; call < 4; call++) await claimed(beside.owner.key);
        expect(await noticesOf(beside.owner.accountId)).toEqual([]);
        await expect(claimed(beside.key)).rejects.toMatchObject({ code: 'PAYMENT_INSUFFICIENT' });
        expect(await noticesOf(beside.owner.accountId)).toEqual([
          { key: beside.keyId, left: 0, url: notify.url },
        ]);
      });

      const noticesOf = (accountId: string) =>
        query(
          `SELECT key_id AS key, left_micro_usd::int AS left, url FROM low_balance_notice WHERE account_id = $1
            ORDER BY noticed_at`,
          [accountId],
        );

      it('is written once each time that less is left, with its event, and again after there was more', async () => {
        const { key, keyId, owner } = await limited({ notify, cap: { usd: '0.005' } });
        for (let call = 0; call < 5; call++) await claimed(key);
        await expect(claimed(key)).rejects.toMatchObject({ code: 'BUDGET_EXHAUSTED' });
        const first = { key: keyId, left: 2 * PRICE, url: notify.url };
        expect(await noticesOf(owner.accountId)).toEqual([first]);
        await query(
          `UPDATE key_limit SET spent_micro_usd = 0, spent_day_micro_usd = 0 WHERE account_id = $1`,
          [owner.accountId],
        );
        for (let call = 0; call < 4; call++) await claimed(key);
        expect(await noticesOf(owner.accountId)).toEqual([first, first]);
        const events = await query(
          `SELECT data::json -> 'data' AS data FROM event_outbox WHERE subject = 'events.payment.low-balance'
             AND data::json ->> 'subject' = $1 ORDER BY seq`,
          [owner.accountId],
        );
        expect(events).toHaveLength(2);
        expect(events[0].data).toEqual({
          ...{ accountId: owner.accountId, keyId, belowMicroUsd: 3_000, leftMicroUsd: 2_000 },
          balanceMicroUsd: 97_000,
        });
      });

      it('is of the balance where that is less than what the cap leaves', async () => {
        const { key, owner } = await limited({ notify }, 4 * PRICE);
        for (let call = 0; call < 2; call++) await claimed(key);
        expect(await noticesOf(owner.accountId)).toMatchObject([{ left: 2 * PRICE }]);
      });

      it.each(['http://holder.example/low', 'https://10.0.0.1/', 'https://localhost/', 'nonsense'])(
        'does not go to %s',
        async url => {
          await expect(limited({ notify: { belowUsd: '1', url } })).rejects.toMatchObject({
            status: 422,
            payload: { errors: [{ path: 'notify.url' }] },
          });
        },
      );
    });

    it.each([
      { cap: { usd: '0' } },
      { cap: { usd: '1e3' } },
      { cap: { usd: '1.0000001' } },
      { cap: { usd: '1000000.01' } },
      { cap: { usd: 5 } },
      { cap: { usd: '5', per: 'hour' } },
      { cap: [] },
      { operations: [] },
      { operations: ['*'] },
      { operations: ['zk.**'] },
      { operations: ['ZK.prove'] },
      { operations: Array(51).fill('zk.prove') },
      { notify: { belowUsd: '1' } },
      { expiresAt: 'tomorrow' },
      { caps: { usd: '5' } },
    ])('%j are no limits', asked => {
      expect(CreateKeyRequest.safeParse(asked).success).toBe(false);
    });

    it('two caps of one kind are refused', async () => {
      const cap = [{ usd: '1' }, { usd: '2', per: 'total' }];
      await expect(limited({ cap })).rejects.toMatchObject({
        status: 422,
        payload: { errors: [{ path: 'cap' }] },
      });
    });
  });
}
