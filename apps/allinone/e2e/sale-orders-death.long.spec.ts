// commit: none, only a kill of the process shows it; see ../../payments/e2e/answered-sales.cases.ts
// watches: apps/payments/src/claim, libs/edge/src/payment
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findNatsServer } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { insist } from './insist.js';
import { MortalServices, type Victim } from './payment-death-fixture.js';
import { DeathPoints, type Point } from './payment-death-points.js';

/** Rounds of every death; each is some 3 seconds. */
const ROUNDS = Number(process.env.SALE_DEATH_ROUNDS ?? 1);

/** A call of each order, and where its purchase may be when somebody dies. */
const ORDERS = {
  'run-first': {
    path: '/v1/tools/evaluate_spatial_parcel_fep',
    body: (n: number) => ({ parcelId: `parcel-${n}`, elevationContour: [1, 2, 3] }),
    points: ['running', 'claiming', 'sold'] as Point[],
  },
  'hold-lazily': {
    path: '/v1/zk/prove',
    body: (n: number) => ({ traceData: `order ${n}`, degree: 64, friBlowup: 8 }),
    points: ['claiming', 'running', 'delivering', 'answering'] as Point[],
  },
};
const FUNDINGS = ['credit', 'quota'] as const;
const VICTIMS: readonly Victim[] = ['gateway', 'payments', 'postgres'];

const DEATHS = Array.from({ length: ROUNDS }, (_, round) =>
  Object.entries(ORDERS).flatMap(([order, { points }], shift) =>
    points.flatMap(point =>
      VICTIMS.map((victim, turn) => {
        const funding = FUNDINGS[(round + shift + turn) % FUNDINGS.length];
        return { order: order as keyof typeof ORDERS, point, victim, funding, round };
      }),
    ),
  ),
).flat();

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('a call in an order of its own, somebody of whom is killed', () => {
    const services = new MortalServices('sale-orders-death', { SALE_ORDERS: 'declared' });
    const points = new DeathPoints(services);
    beforeAll(() => services.open());
    afterAll(() => services.close());
    beforeEach(() => {
      services.script.before = async () => undefined;
    });
    afterEach(async () => {
      expect(await services.findings()).toEqual([]);
    });
    let calls = 0;

    it.each(DEATHS)(
      '$order by $funding, $point: $victim dies (round $round); its answer is bought once',
      async ({ order, point, victim, funding }) => {
        const { path, body } = ORDERS[order];
        const key = await services.openAccount(funding, 2);
        const buy = (what: object, idempotencyKey: string) =>
          services.call(path, what, { 'x-svc-key': key, 'idempotency-key': idempotencyKey });
        // By which the gateway learns what the account has left.
        expect((await buy(body(++calls), randomUUID())).status).toBe(200);
        const before = await claimsOf(key);
        const asked = [body(++calls), randomUUID()] as const;
        await points.dieAt(point, victim, [() => buy(...asked)]);
        const answer = await insist(
          () => buy(...asked),
          () => services.database,
        );
        const again = await buy(...asked);
        expect([again.status, again.text]).toEqual([200, answer.text]);
        const { balanceMicroUsd, quota } = await services.account(key);
        expect([balanceMicroUsd, quota.used]).toEqual([0, funding === 'quota' ? 2 : 0]);
        expect((await claimsOf(key)) - before).toBe(1);
      },
    );

    it('was answered by all that were paid for, and paid for by all that were answered: as its history says', async () => {
      const { paidAnswers, claims } = await services.history.judge(services.books);
      expect([paidAnswers > 0, claims > 0]).toEqual([true, true]);
    });

    /** Deliveries to the account of a key. */
    async function claimsOf(key: string): Promise<number> {
      const [{ count }] = await services.database.query(
        `SELECT count(*)::int FROM payment_claim JOIN api_key ON payer = 'account:' || account_id
          WHERE key_id = $1 AND payment_claim.state = 'delivered'`,
        [key.split('_')[2]],
      );
      return count as number;
    }
  });
}
