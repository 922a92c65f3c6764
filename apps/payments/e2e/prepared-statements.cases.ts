import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { accountContract, type ClaimReply, paymentsContract } from '@svc/contracts';
import { awaitedCommits, ParseWire, startTemporaryPostgres } from '@svc/platform/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { Accounts, type PlanId } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { customer, Ledger } from '../src/ledger/ledger.js';
import { CHALLENGE_EXPIRY_SECONDS } from '../src/challenge/challenge.service.js';
import { L402_GRACE_SECONDS } from '../src/lightning/lightning-rail.js';
import { scripted, ScriptedRail } from './scripted-rail.js';
import { payChallenge, type PaymentsFixture, SECRETS, startPayments } from './payments-fixture.js';

const RESPONSE = {
  status: 200,
  contentType: 'application/json',
  body: new TextEncoder().encode('{"ok":true}'),
};
const ADDRESS = '192.0.2.1';
const WITH_EFFECT = 'tool.sync_mesh_crdt';
/** What the service asks by its own clock, beside calls: checkpoints and sweeps. */
const BESIDE = /saga_unsealed|wal_checkpoint|SKIP LOCKED|pg_try_advisory_lock|event_outbox|saga_outbox/;

export function describePreparedStatements(): void {
  describe('the statements of a call', () => {
    let payments: PaymentsFixture;
    let wire: ParseWire;
    let credit: string;
    let plan: string;
    beforeAll(async () => {
      const moreRails = [new ScriptedRail('x402'), new ScriptedRail('stripe')];
      payments = await startPayments({ moreRails, upkeepIntervalMs: 3_600_000 }, {}, async () => {
        const postgres = await startTemporaryPostgres();
        wire = new ParseWire(new URL(postgres.urlFor('payments')));
        const databaseUrl = await wire.open();
        return Object.assign(Object.create(postgres), {
          urlsFor: () => ({ databaseUrl, migrationUrl: postgres.migrationUrlFor('payments') }),
        });
      });
      [credit, plan] = [await keyOf(1_000_000), await keyOf(0, 'pro_agent')];
    });
    afterAll(async () => {
      await payments?.close();
      wire?.close();
    });

    /** The key of an account with so much credit, or with a plan. */
    function keyOf(microUsd: number, planId?: PlanId): Promise<string> {
      const keys = new ApiKeys(payments.database, accountSecretsOf({ production: false, secrets: SECRETS }));
      return payments.database.transaction(async manager => {
        const accountId = await new Accounts().create(manager, { kind: 'purchased', plan: planId });
        const legs = [
          { account: 'processor-clearing' as const, amountMicroUsd: -microUsd },
          { account: customer(accountId), amountMicroUsd: microUsd },
        ];
        if (microUsd > 0) await new Ledger().post(manager, { kind: 'top-up', legs });
        return (await keys.issue(manager, accountId)).key;
      });
    }
    const sold = async (reply: ClaimReply) => {
      if (reply.outcome !== 'claimed') throw new Error(`it was ${reply.outcome}`);
      const { claimId, attempt } = reply;
      await payments.bus.call(paymentsContract.deliver, { claimId, attempt, response: RESPONSE });
    };
    const asked = () => ({ operationId: 'zk.prove', requestDigest: randomBytes(32).toString('hex') });

    const calls: [string, () => Promise<unknown>][] = [
      [
        'by credit',
        async () => sold(await payments.bus.call(paymentsContract.claim, { ...asked(), accountKey: credit })),
      ],
      [
        'by plan',
        async () => sold(await payments.bus.call(paymentsContract.claim, { ...asked(), accountKey: plan })),
      ],
      [
        'by L402',
        async () => {
          const { l402 } = await payChallenge(payments.bus);
          await sold(await payments.bus.call(paymentsContract.claim, { ...asked(), credential: l402 }));
        },
      ],
      [
        'within a quota',
        () => payments.bus.call(paymentsContract.count, { operationId: 'snn.solve', address: ADDRESS }),
      ],
      [
        'whose key is looked at',
        () => payments.bus.call(accountContract.authenticate, { accountKey: credit }),
      ],
    ];
    it.each(calls)('%s are parsed once by each connection, and have names', async (_what, call) => {
      const before = wire.parsed.length;
      for (let i = 0; i < 4; i++) await call();
      // Side by side, so that every connection of the pool is used.
      await Promise.all(Array.from({ length: 12 }, call));
      const parsed = wire.parsed.slice(before).filter(({ sql }) => !BESIDE.test(sql));
      expect(parsed.filter(({ name }) => name === '').map(({ sql }) => sql)).toEqual([]);
      const named = wire.parsed.filter(({ name }) => name !== '');
      const places = named.map(({ connection, name }) => `${connection} ${name}`);
      expect(places.filter((place, i) => places.indexOf(place) !== i)).toEqual([]);
      expect(places.length).toBeGreaterThan(0);
    });

    type Asked = Omit<
      Parameters<typeof payments.bus.call<typeof paymentsContract.claim>>[1],
      'operationId' | 'requestDigest'
    >;
    const claimed = async (payment: Asked, operationId = 'zk.prove') =>
      sold(await payments.bus.call(paymentsContract.claim, { ...asked(), operationId, ...payment }));
    const byRail = (family: 'x402' | 'stripe', chargeMicroUsd?: number) =>
      claimed({
        lazily: true,
        credential: scripted({ nonce: randomBytes(8).toString('hex'), family, chargeMicroUsd }),
      });
    const commits: [string, number, () => Promise<unknown>][] = [
      ['by credit, held first', 2, () => claimed({ accountKey: credit })],
      ['by credit, held lazily', 1, () => claimed({ accountKey: credit, lazily: true })],
      ['by plan, held lazily', 1, () => claimed({ accountKey: plan, lazily: true })],
      [
        'by credit, run first',
        1,
        () =>
          payments.bus.call(paymentsContract.sell, {
            ...{ operationId: 'tool.get_product_catalog', requestDigest: randomBytes(32).toString('hex') },
            ...{
              accountKey: credit,
              claimId: randomUUID(),
              soldAt: new Date().toISOString(),
              response: RESPONSE,
            },
          }),
      ],
      [
        'by L402, for work that has effects',
        2,
        async () => {
          const { l402 } = await payChallenge(payments.bus, WITH_EFFECT);
          return claimed({ credential: l402, lazily: true }, WITH_EFFECT);
        },
      ],
      [
        'by MPP and Lightning, which is over within an hour',
        2,
        async () => claimed({ credential: (await payChallenge(payments.bus)).charge, lazily: true }),
      ],
      [
        'by L402',
        1,
        async () => claimed({ credential: (await payChallenge(payments.bus)).l402, lazily: true }),
      ],
      ['by x402', 2, () => byRail('x402')],
      ['by card, which is charged more than the price', 2, () => byRail('stripe', 500_000)],
      [
        'within a quota',
        1,
        () => payments.bus.call(paymentsContract.count, { operationId: 'snn.solve', address: ADDRESS }),
      ],
    ];
    it.each(commits)('%s: %s commits are waited for', async (_what, count, call) => {
      // Whose key was not seen for a while is marked as seen.
      await call();
      const before = wire.executed.length;
      await call();
      const executed = wire.executed.slice(before).filter(({ sql }) => !BESIDE.test(sql));
      expect([awaitedCommits(executed), executed.map(({ sql }) => sql)]).toEqual([count, expect.anything()]);
    });

    it('by L402, that is over within an hour: both commits are waited for', async () => {
      const { l402 } = await payChallenge(payments.bus);
      const later = (CHALLENGE_EXPIRY_SECONDS + L402_GRACE_SECONDS - 3_500) * 1_000;
      const before = wire.executed.length;
      const clock = jest
        .spyOn(Date, 'now')
        .mockImplementation(() => performance.timeOrigin + performance.now() + later);
      try {
        await claimed({ credential: l402, lazily: true });
      } finally {
        clock.mockRestore();
      }
      const executed = wire.executed.slice(before).filter(({ sql }) => !BESIDE.test(sql));
      expect(awaitedCommits(executed)).toBe(2);
    });

    // By its estimate Postgres takes a plan for each call's own values, and makes it anew: a later migration that replaces the function
    // has to say so again.
    it.each(['standing_claim_by_key', 'settle_held'])('are planned once, in %s too', async name => {
      const rows: { settings: string[] }[] = await payments.database.query(
        `SELECT proconfig AS settings FROM pg_proc WHERE proname = $1`,
        [name],
      );
      expect(rows).toHaveLength(1);
      const once = ['plan_cache_mode=force_generic_plan', 'enable_seqscan=off'];
      expect(rows[0].settings).toEqual(expect.arrayContaining(once));
    });
  });
}
