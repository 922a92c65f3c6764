// commit: none, only a kill of the process shows it; see ../../payments/e2e/late-claims.e2e.spec.ts, ./credentials.e2e.spec.ts
// watches: apps/payments/src/claim, apps/payments/src/reconcile, libs/edge/src
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findNatsServer } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { insist, letLeasesEnd } from './insist.js';
import { type Credential, MortalServices, PRICE_MICRO_USD, type Victim } from './payment-death-fixture.js';
import { DeathPoints, type Point } from './payment-death-points.js';
import { until } from './processes.js';

/** What pays: a rail, or an account's credit or quota by its key. */
type Payer = 'lightning' | 'card' | 'credit' | 'quota';

/** Who may be where. */
const PAYERS: Readonly<Record<Exclude<Point, 'sold'>, readonly Payer[]>> = {
  claiming: ['lightning', 'card', 'credit', 'quota'],
  untaken: ['card'],
  taken: ['card'],
  booking: ['card', 'credit'],
  running: ['credit', 'lightning', 'quota', 'card'],
  delivering: ['quota', 'credit', 'card', 'lightning'],
  answering: ['quota', 'lightning', 'card', 'credit'],
};
const VICTIMS: readonly Victim[] = ['gateway', 'payments', 'postgres'];
type Death = readonly [payer: Payer, point: Point, victim: Victim];

/** Every victim at every point once, the payers by turns: each is at all but one of the points that all share. */
const DEATHS: readonly Death[] = Object.entries(PAYERS).flatMap(([point, payers], shift) =>
  VICTIMS.map((_, turn) => {
    const victim = VICTIMS[(turn + shift) % VICTIMS.length];
    return [payers[turn % payers.length], point as Point, victim] as const;
  }),
);

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('a purchase somebody of whom is killed', () => {
    const services = new MortalServices('payment-death');
    const points = new DeathPoints(services);
    beforeAll(() => services.open());
    afterAll(() => services.close());
    beforeEach(() => {
      services.emulator.control.clearFaults();
      services.script.before = async () => undefined;
    });
    // Whoever died, and wherever the purchase is by now.
    afterEach(async () => {
      expect(await services.findings()).toEqual([]);
    });

    let bodies = 0;
    const nextBody = () => ({ traceData: `death ${++bodies}`, degree: 64, friBlowup: 8 });
    async function credentialOf(payer: Payer): Promise<Credential> {
      if (payer === 'lightning') return services.payByLightning();
      if (payer === 'card') return services.payByCard();
      return { 'x-svc-key': await services.openAccount(payer), 'idempotency-key': randomUUID() };
    }
    const isKey = (payer: Payer): payer is 'credit' | 'quota' => payer === 'credit' || payer === 'quota';
    /** What an account has after its calls: the credit of one call was on it, or its plan was new. */
    const seen = (payer: 'credit' | 'quota', calls: number) =>
      payer === 'credit'
        ? { balanceMicroUsd: PRICE_MICRO_USD * (1 - calls), quota: { used: 0 } }
        : { balanceMicroUsd: 0, quota: { used: calls } };

    /** Lets the time pass in which a charge that was asked for may still come. */
    const letChargesEnd = () =>
      services.database.query(
        `UPDATE payment_claim SET claimed_at = claimed_at - interval '1 hour' WHERE state IN ('claimed', 'unknown')`,
      );

    it.each(DEATHS)(
      'by %s, while it is %s: %s; the credential brings its answer, once',
      async (payer, point, victim) => {
        const body = nextBody();
        const credential = await credentialOf(payer);
        await points.dieAt(point, victim, [() => services.prove(body, credential)]);
        // Whatever died, its payer waits no longer than this.
        const [{ seconds }] = await services.database.query(
          `SELECT coalesce(max(extract(epoch FROM lease_until - now())), 0)::float8 AS seconds
             FROM payment_claim WHERE state = 'claimed'`,
        );
        expect(seconds).toBeLessThanOrEqual(10);
        if (point === 'untaken') await letChargesEnd();
        const answer = await insist(
          () => services.prove(body, credential),
          () => services.database,
        );
        const again = await services.prove(body, credential);
        expect([again.status, again.text]).toEqual([200, answer.text]);
        if (isKey(payer))
          expect(await services.account(credential['x-svc-key'])).toMatchObject(seen(payer, 1));
      },
    );

    /** Until what the claims have held is where it came from, or on the payment's credit. */
    async function untilReturned(count: number): Promise<string[]> {
      const open = await points.claims(`state IN ('claimed', 'unknown')`);
      expect(open).toHaveLength(count);
      const ids = open.map(id => `'${id}'`).join();
      await until(
        async () => {
          await letLeasesEnd(services.database);
          const returned = await points.claims(`claim_id IN (${ids}) AND state = 'credited'`);
          return returned.length === count;
        },
        () => 'the credit',
      );
      return open;
    }

    it.each(['gateway'] as const)(
      'whose payers never come back after the death of %s: every amount is theirs again, and buys another call',
      async victim => {
        const payers = ['lightning', 'credit', 'quota'] as const;
        const credentials = await Promise.all(payers.map(credentialOf));
        const purchases = credentials.map(credential => () => services.prove(nextBody(), credential));
        await points.dieAt('running', victim, purchases);
        for (const payer of ['credit', 'quota'] as const) {
          const key = credentials[payers.indexOf(payer)]['x-svc-key'];
          expect(await services.account(key)).toMatchObject(seen(payer, 1));
        }
        await untilReturned(payers.length);
        for (const payer of ['credit', 'quota'] as const) {
          const key = credentials[payers.indexOf(payer)]['x-svc-key'];
          expect(await services.account(key)).toMatchObject(seen(payer, 0));
          expect((await services.prove(nextBody(), { 'x-svc-key': key })).status).toBe(200);
          expect(await services.account(key)).toMatchObject(seen(payer, 1));
        }
      },
    );

    it('by card, and whose payer never comes back: what was taken lies on its credit', async () => {
      const credential = await credentialOf('card');
      await points.dieAt('taken', 'payments', [() => services.prove(nextBody(), credential)]);
      const [claimId] = await untilReturned(1);
      const [{ credit, charged }] = await services.database.query(
        `SELECT sum(ledger_entry.amount_micro_usd)::int AS credit, max(charged_micro_usd)::int AS charged
           FROM ledger_entry JOIN payment_claim USING (claim_id) WHERE claim_id = $1 AND account LIKE 'customer:%'`,
        [claimId],
      );
      expect([credit, charged]).toEqual([500_000, 500_000]);
    });

    it('has sold each payment once, was paid for each answer, and has lost nothing of what came: as its history says', async () => {
      const { paidAnswers, money } = await services.history.judge(services.books);
      expect([paidAnswers > 0, money > 0]).toEqual([true, true]);
    });
  });
}
