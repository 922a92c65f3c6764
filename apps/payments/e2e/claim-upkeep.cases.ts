import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ClaimReply, type PaymentCredential, paymentsContract } from '@svc/contracts';
import { createLogger, MeasurementRegistry } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { LedgerReconciliation } from '../src/reconcile/ledger-reconciliation.js';
import { LEASE_SECONDS } from '../src/claim/standing-claim.js';
import { LAPSED_CLAIMS } from '../src/reconcile/claim-sweeper.js';
import { UNKNOWN_SETTLEMENTS } from '../src/reconcile/claim-reconciler.js';
import { ClaimUpkeep, inBatches } from '../src/reconcile/claim-upkeep.js';
import { claimParts, payChallenge, type PaymentsFixture, startPayments } from './payments-fixture.js';
import { scripted, ScriptedRail } from './scripted-rail.js';

const DIGEST = 'ab'.repeat(32);
const answer = (text: string) => ({ status: 200, contentType: 'text/plain', body: Buffer.from(text) });

const rail = new ScriptedRail();
let payments: PaymentsFixture;
/** Two replicas beside the service, whose own rounds do not come in these tests. */
let replicas: ReturnType<typeof claimParts>[];
let letGo = () => {};
const holdRail = () => {
  rail.gate = new Promise(resolve => {
    letGo = () => {
      rail.gate = undefined;
      resolve();
    };
  });
};

const claim = (credential: PaymentCredential) =>
  payments.bus.call(paymentsContract.claim, { operationId: 'zk.prove', requestDigest: DIGEST, credential });
async function held(reply: Promise<ClaimReply>) {
  const claimed = await reply;
  if (claimed.outcome !== 'claimed') throw new Error(`expected a claim, got ${claimed.outcome}`);
  return claimed;
}
const age = (claimIds: readonly string[], seconds: number) =>
  payments.database.query(
    `UPDATE payment_claim SET lease_until = lease_until - make_interval(secs => $2) WHERE claim_id = ANY($1)`,
    [claimIds, seconds],
  );
const statesOf = async (claimIds: readonly string[]): Promise<string[]> => {
  const rows: { state: string }[] = await payments.database.query(
    `SELECT DISTINCT state FROM payment_claim WHERE claim_id = ANY($1) ORDER BY 1`,
    [claimIds],
  );
  return rows.map(({ state }) => state);
};
const creditOf = async (claimIds: readonly string[]): Promise<number> => {
  const [{ credit }] = await payments.database.query(
    `SELECT coalesce(sum(amount_micro_usd), 0)::int AS credit FROM ledger_entry
      WHERE claim_id = ANY($1) AND account LIKE 'customer:%'`,
    [claimIds],
  );
  return credit;
};
const paidClaims = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => (await held(claim(scripted({ nonce: randomUUID() })))).claimId),
  );

/** Makes a claim that cannot be read, as a later version may find one. */
const breakReceipt = (claimId: string) =>
  payments.database.query(
    `UPDATE payment_claim SET receipt = jsonb_build_object('broken', receipt) WHERE claim_id = $1`,
    [claimId],
  );
const mendReceipt = (claimId: string) =>
  payments.database.query(`UPDATE payment_claim SET receipt = receipt -> 'broken' WHERE claim_id = $1`, [
    claimId,
  ]);

export function describeClaimUpkeep(): void {
  describe('claim upkeep', () => {
    beforeAll(async () => {
      payments = await startPayments({ moreRails: [rail], upkeepIntervalMs: 3_600_000 });
      replicas = [claimParts(payments.database, [rail]), claimParts(payments.database, [rail])];
    });
    afterAll(() => payments?.close());
    // Also of what failed meanwhile: a claim that waits for its rail keeps the service from closing.
    afterEach(() => letGo());
    beforeEach(() => {
      rail.fault = 'none';
      rail.isAway = false;
    });

    it('a claim is held for ten seconds after its newest heartbeat, and for three minutes once work has taken it over', async () => {
      const leaseOf = async (claimId: string): Promise<number> => {
        const [{ lease }] = await payments.database.query(
          `SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 AS lease FROM payment_claim WHERE claim_id = $1`,
          [claimId],
        );
        return lease;
      };
      const [claimId] = await paidClaims(1);
      const ofCall = await leaseOf(claimId);
      await payments.bus.call(paymentsContract.renew, { claimId, attempt: 1 });
      const ofWork = await leaseOf(claimId);
      // What the machine takes between the two statements is less than the lower bounds leave.
      expect([ofCall > 0, ofCall <= 10, ofWork > 120, ofWork <= 180]).toEqual([true, true, true, true]);
      await payments.bus.call(paymentsContract.deliver, { claimId, attempt: 1, response: answer('done') });
    });

    describe('the sweeper', () => {
      it('gives what dead callers had paid back as credit, once, over several replicas', async () => {
        const claimIds = await paidClaims(30);
        await age(claimIds, 211);
        const ended = await Promise.all(
          replicas.flatMap(({ sweeper }) => [sweeper.sweep(), sweeper.sweep()]),
        );
        ended.push(...(await Promise.all(replicas.map(({ sweeper }) => sweeper.sweep()))));
        expect(await statesOf(claimIds)).toEqual(['credited']);
        expect(await creditOf(claimIds)).toBe(30_000);
        expect(ended.reduce((total, each) => total + each, 0)).toBe(30);
        const counted = replicas.map(({ measurements }) => measurements.snapshot()[LAPSED_CLAIMS].value);
        expect(counted[0] + counted[1]).toBe(30);
      });

      it('is kept from no claim by one before it that cannot be ended', async () => {
        const [broken, ...others] = await paidClaims(5);
        await age([broken], 1_000);
        await age(others, LEASE_SECONDS + 31);
        await breakReceipt(broken);
        await expect(replicas[0].sweeper.sweep()).rejects.toThrow();
        expect([await statesOf([broken]), await statesOf(others)]).toEqual([['claimed'], ['credited']]);
        await mendReceipt(broken);
        await replicas[0].sweeper.sweep();
        expect(await statesOf([broken])).toEqual(['credited']);
      });

      it('leaves a caller that is only slow its time, and a claim that is renewed alone', async () => {
        const [slow, renewed] = await paidClaims(2);
        await age([slow], LEASE_SECONDS + 10);
        await age([renewed], LEASE_SECONDS + 31);
        expect(await payments.bus.call(paymentsContract.renew, { claimId: renewed, attempt: 1 })).toEqual({
          renewed: true,
        });
        await replicas[0].sweeper.sweep();
        expect(await statesOf([slow, renewed])).toEqual(['claimed']);
        for (const claimId of [slow, renewed])
          await payments.bus.call(paymentsContract.deliver, {
            claimId,
            attempt: 1,
            response: answer('late'),
          });
      });

      it('makes a settlement whose caller died one to be asked about, never credit by guess', async () => {
        rail.fault = 'lost-after';
        rail.isAway = true;
        holdRail();
        const claiming = claim(scripted({ nonce: randomUUID() })).catch(() => undefined);
        const from = rail.asked.length;
        while (rail.asked.length === from) await new Promise(resolve => setTimeout(resolve, 2));
        const claimId = rail.asked.at(-1)!;
        await age([claimId], 211);
        await replicas[0].sweeper.sweep();
        expect([await statesOf([claimId]), await creditOf([claimId])]).toEqual([['unknown'], 0]);
        letGo();
        await claiming;
        rail.isAway = false;
        await age([claimId], 400);
        await replicas[1].reconciler.round();
        expect([await statesOf([claimId]), await creditOf([claimId])]).toEqual([['credited'], 1_000]);
      });
    });

    describe('a claim for which nothing was taken', () => {
      const refused = async (nonce: string) => {
        rail.fault = 'refuse';
        await expect(claim(scripted({ nonce }))).rejects.toMatchObject({ code: 'PAYMENT_INVALID' });
        rail.fault = 'none';
        return rail.asked.at(-1)!;
      };
      const DAY = 86_400;

      it('goes after a week, in batches; what anything was taken for stays, and refuses to be deleted', async () => {
        const [old, young] = [await refused(randomUUID()), await refused(randomUUID())];
        const [delivered, credited] = await paidClaims(2);
        await payments.bus.call(paymentsContract.deliver, {
          ...{ claimId: delivered, attempt: 1, response: answer('sold') },
        });
        await replicas[0].releases.release(credited, 1, 'failed', false);
        await age([old, delivered, credited], 8 * DAY);
        await age([young], 6 * DAY);
        const purged = await Promise.all(replicas.map(({ store }) => inBatches(() => store.purgeVoid())));
        expect(purged[0] + purged[1]).toBe(1);
        const left = await payments.database.query(
          `SELECT claim_id AS id FROM payment_claim WHERE claim_id = ANY ($1)`,
          [[old, young, delivered, credited]],
        );
        expect(left.map(({ id }: { id: string }) => id).sort()).toEqual([young, delivered, credited].sort());
        for (const claimId of [delivered, credited]) {
          const deletion = payments.database.query(`DELETE FROM payment_claim WHERE claim_id = $1`, [
            claimId,
          ]);
          await expect(deletion).rejects.toThrow('it is kept');
        }
      });

      it('leaves its credential as good as before, before it goes and after: it buys once', async () => {
        for (const days of [0, 8]) {
          const nonce = randomUUID();
          const first = await refused(nonce);
          await age([first], days * DAY);
          await replicas[0].store.purgeVoid();
          const { claimId, attempt } = await held(claim(scripted({ nonce })));
          await payments.bus.call(paymentsContract.deliver, { claimId, attempt, response: answer('sold') });
          await age([claimId], 400 * DAY);
          await replicas[0].store.purgeVoid();
          expect(await claim(scripted({ nonce }))).toMatchObject({ outcome: 'replayed' });
          expect(rail.asked.filter(asked => rail.taken.has(asked) && asked === claimId)).toHaveLength(1);
        }
      });

      it('takes money that comes late while it is known', async () => {
        rail.fault = 'none';
        holdRail();
        const claiming = claim(scripted({ nonce: randomUUID() })).catch((error: unknown) => error);
        const from = rail.asked.length;
        while (rail.asked.length === from) await new Promise(resolve => setTimeout(resolve, 2));
        const claimId = rail.asked.at(-1)!;
        expect(await replicas[0].settlements.refused(claimId, 'held to be void')).toBe(true);
        await replicas[0].store.purgeVoid();
        letGo();
        await claiming;
        expect([await statesOf([claimId]), await creditOf([claimId])]).toEqual([['credited'], 1_000]);
      });
    });

    describe('the reconciler', () => {
      it('is kept from no claim by one beside it that cannot be read', async () => {
        rail.fault = 'lost-after';
        const from = rail.asked.length;
        await Promise.allSettled(Array.from({ length: 5 }, () => claim(scripted({ nonce: randomUUID() }))));
        const [broken, ...others] = rail.asked.slice(from);
        await breakReceipt(broken);
        await age([broken, ...others], 400);
        await replicas[0].reconciler.round();
        expect([await statesOf([broken]), await statesOf(others)]).toEqual([['unknown'], ['credited']]);
        await mendReceipt(broken);
        await age([broken], 400);
        await replicas[0].reconciler.round();
        expect(await statesOf([broken])).toEqual(['credited']);
      });

      it('finds out each settlement once, over several replicas, and measures what is left', async () => {
        rail.fault = 'lost-after';
        const from = rail.asked.length;
        await Promise.allSettled(Array.from({ length: 30 }, () => claim(scripted({ nonce: randomUUID() }))));
        const claimIds = rail.asked.slice(from);
        await age(claimIds, 400);
        for (let round = 0; round < 3; round++)
          await Promise.all(replicas.flatMap(({ reconciler }) => [reconciler.round(), reconciler.round()]));
        await age(claimIds, 400);
        await replicas[0].reconciler.round();
        expect([await statesOf(claimIds), await creditOf(claimIds)]).toEqual([['credited'], 30_000]);
        expect(replicas[0].measurements.snapshot()[UNKNOWN_SETTLEMENTS]).toMatchObject({ value: 0 });
      });

      it('books once what two enquiries found that took longer than their turn', async () => {
        rail.fault = 'lost-after';
        rail.isAway = true;
        await claim(scripted({ nonce: randomUUID() })).catch(() => undefined);
        const claimId = rail.asked.at(-1)!;
        const standing = (await replicas[0].store.findById(claimId))!;
        const settlement = { outcome: 'settled' as const, reference: 'tx', chargedMicroUsd: 1_000 };
        const found = await Promise.all(
          replicas.map(({ settlements }) =>
            settlements.found(standing, settlement, ({ receipt }) => receipt),
          ),
        );
        expect(found.sort()).toEqual([false, true]);
        expect([await statesOf([claimId]), await creditOf([claimId])]).toEqual([['credited'], 1_000]);
      });

      it('loses no money that comes for a claim which its rail had said to be void: it is credit', async () => {
        holdRail();
        const from = rail.asked.length;
        const credential = scripted({ nonce: randomUUID() });
        const claiming = claim(credential).catch((error: unknown) => error);
        while (rail.asked.length === from) await new Promise(resolve => setTimeout(resolve, 2));
        const claimId = rail.asked.at(-1)!;
        await age([claimId], 211);
        await replicas[0].sweeper.sweep();
        await replicas[0].reconciler.round();
        expect([await statesOf([claimId]), await creditOf([claimId])]).toEqual([['void'], 0]);
        letGo();
        expect(await claiming).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
        expect([await statesOf([claimId]), await creditOf([claimId])]).toEqual([['credited'], 1_000]);
        // The payer is told of it when the rail says that the credential was used.
        rail.fault = 'refuse';
        expect(await claim(credential).catch((error: unknown) => error)).toMatchObject({
          code: 'PAYMENT_INVALID',
          payload: { extensions: { credit: { balanceMicroUsd: 1_000 } } },
        });
      });

      it('asks a rail that is away again after ever longer waits, and not in between', async () => {
        rail.fault = 'lost-after';
        rail.isAway = true;
        await claim(scripted({ nonce: randomUUID() })).catch(() => undefined);
        const claimId = rail.asked.at(-1)!;
        const { reconciler } = replicas[0];
        await age([claimId], 400);
        await payments.database.query(
          `UPDATE payment_claim SET claimed_at = claimed_at - interval '400 s' WHERE claim_id = $1`,
          [claimId],
        );
        expect(await reconciler.ask(claimId)).toBe(false);
        const [{ wait }] = await payments.database.query(
          `SELECT extract(epoch FROM lease_until - now())::float8 AS wait FROM payment_claim WHERE claim_id = $1`,
          [claimId],
        );
        expect([wait > 90, wait <= 101]).toEqual([true, true]);
        rail.isAway = false;
        expect(await reconciler.ask(claimId)).toBe(false);
        await age([claimId], 400);
        expect(await reconciler.ask(claimId)).toBe(true);
        expect(await statesOf([claimId])).toEqual(['credited']);
      });
    });

    describe('deliveries', () => {
      it('of many calls at once are each recorded by their own attempt, over several replicas', async () => {
        const claimIds = await paidClaims(60);
        const stale = claimIds.slice(0, 10);
        const outcomes = await Promise.all(
          claimIds.flatMap(claimId =>
            replicas.map(({ deliveries }, index) =>
              deliveries.deliver(claimId, stale.includes(claimId) ? 2 : 1, answer(`of replica ${index}`)),
            ),
          ),
        );
        expect(outcomes.filter(Boolean)).toHaveLength(100);
        expect(await statesOf(claimIds.slice(10))).toEqual(['delivered']);
        expect(await statesOf(stale)).toEqual(['claimed']);
        const [{ earned }] = await payments.database.query(
          `SELECT sum(amount_micro_usd)::int AS earned FROM ledger_entry WHERE claim_id = ANY($1) AND account = 'treasury'`,
          [claimIds],
        );
        expect(earned).toBe(50_000);
      });

      it('do not fail with one that cannot be recorded', async () => {
        const [good, bad] = await paidClaims(2);
        const { deliveries } = replicas[0];
        const [recorded, refused] = await Promise.allSettled([
          deliveries.deliver(good, 1, answer('good')),
          deliveries.deliver(bad, 1, { ...answer('bad'), status: 99_999 }),
        ]);
        expect([recorded.status, refused.status]).toEqual(['fulfilled', 'rejected']);
        expect([await statesOf([good]), await statesOf([bad])]).toEqual([['delivered'], ['claimed']]);
      });

      it('lie sealed in the table, and are opened for their payer alone', async () => {
        const { l402 } = await payChallenge(payments.bus);
        const { claimId } = await held(claim(l402));
        const secret = 'svc_live_0000000000000000_a-secret-of-the-answer';
        await payments.bus.call(paymentsContract.deliver, { claimId, attempt: 1, response: answer(secret) });
        const [{ body, sealed }] = await payments.database.query(
          `SELECT response_body AS body, response_sealed AS sealed FROM payment_claim WHERE claim_id = $1`,
          [claimId],
        );
        expect([sealed, (body as Buffer).includes('svc_live')]).toEqual([true, false]);
        const replay = await claim(l402);
        expect(replay.outcome === 'replayed' && Buffer.from(replay.response.body).toString()).toBe(secret);
      });
    });

    describe('upkeep', () => {
      it('goes on with its other rounds when one fails, and runs each once at a time', async () => {
        let [running, most, ran] = [0, 0, 0];
        let letGo = () => undefined as void;
        const gate = new Promise<void>(resolve => (letGo = resolve));
        const upkeep = new ClaimUpkeep(
          60_000,
          {
            fails: () => Promise.reject(new Error('away')),
            works: async () => {
              most = Math.max(most, ++running);
              await gate;
              running--;
              ran++;
            },
          },
          createLogger('payments', { level: 'silent' }),
        );
        const turns = [upkeep.turn(), upkeep.turn()];
        while (running === 0) await new Promise(resolve => setImmediate(resolve));
        letGo();
        await Promise.all(turns);
        await upkeep.turn();
        expect([most, ran]).toEqual([1, 2]);
      });
    });

    it('all of which leaves a ledger without a finding', async () => {
      const logger = createLogger('payments', { level: 'silent' });
      const reconciliation = new LedgerReconciliation(payments.database, new MeasurementRegistry(), {
        logger,
      } as never);
      expect(await reconciliation.run()).toMatchObject({
        balanced: true,
        imbalanceMicroUsd: 0,
        findings: [],
      });
    });
  });
}
