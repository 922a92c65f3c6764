import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findNatsServer } from '@svc/platform';
import type { QueryRunner } from 'typeorm';
import { type Credential, MortalServices, type Victim } from './payment-death-fixture.js';
import { until } from './processes.js';

type Rail = 'lightning' | 'card';

/**
 * Where a purchase is when somebody dies:
 * - `claiming`: the claim waits to be put on record.
 * - `untaken`: the claim is on record, and the card processor has taken nothing yet.
 * - `taken`: the card processor has taken the money, and its answer is lost.
 * - `booking`: the money was taken, and its entry in the ledger waits.
 * - `running`: the money is held, and the handler is at work.
 * - `delivering`: the answer is there, and the record of its delivery waits.
 * - `answering`: the delivery is on record, and the answer has not left.
 */
type Point = 'claiming' | 'untaken' | 'taken' | 'booking' | 'running' | 'delivering' | 'answering';

const POINTS: Readonly<Record<Rail, readonly Point[]>> = {
  lightning: ['claiming', 'running', 'delivering', 'answering'],
  card: ['claiming', 'untaken', 'taken', 'booking', 'running', 'delivering', 'answering'],
};
const VICTIMS: readonly Victim[] = ['gateway', 'payments', 'postgres'];
const EVERY_DEATH = (['lightning', 'card'] as const).flatMap(rail =>
  POINTS[rail].flatMap(point => VICTIMS.map(victim => [rail, point, victim] as const)),
);
/** Each point and each victim of each rail at least once; all of them with FULL_TESTS=1. */
const SAMPLED: readonly (typeof EVERY_DEATH)[number][] = [
  ['lightning', 'claiming', 'postgres'],
  ['lightning', 'running', 'gateway'],
  ['lightning', 'delivering', 'payments'],
  ['lightning', 'answering', 'gateway'],
  ['card', 'untaken', 'payments'],
  ['card', 'taken', 'gateway'],
  ['card', 'taken', 'payments'],
  ['card', 'booking', 'postgres'],
  ['card', 'running', 'postgres'],
  ['card', 'delivering', 'payments'],
];
const DEATHS = process.env.FULL_TESTS === '1' ? EVERY_DEATH : SAMPLED;

const PRICE_MICRO_USD = 1_000;
const CHARGES = '/v1/payment_intents';

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('a purchase somebody of whom is killed', () => {
    const services = new MortalServices();
    beforeAll(() => services.open(), 180_000);
    afterAll(() => services.close(), 60_000);
    beforeEach(() => {
      services.emulator.control.clearFaults();
      services.script.before = async () => undefined;
    });

    const deaths: { rail: Rail; count: number }[] = [];
    let bodies = 0;
    const nextBody = () => ({ traceData: `death ${++bodies}`, degree: 64, friBlowup: 8 });
    const pay = (rail: Rail) => (rail === 'lightning' ? services.payByLightning() : services.payByCard());

    /** Lets all leases of now run out. */
    const letTimePass = () =>
      services.database.query(
        `UPDATE payment_claim SET lease_until = lease_until - interval '1 hour' WHERE state IN ('claimed', 'unknown')`,
      );
    /** Lets the time pass in which a charge that was asked for may still come. */
    const letChargesEnd = () =>
      services.database.query(
        `UPDATE payment_claim SET claimed_at = claimed_at - interval '1 hour' WHERE state IN ('claimed', 'unknown')`,
      );

    /** Buys until somebody stands at the point; resolves with how to let go whatever holds them there. */
    async function standAt(point: Point, body: object, credential: Credential): Promise<() => Promise<void>> {
      const release = await obstacle(point);
      void services.prove(body, credential).catch(() => undefined);
      await reached(point, release.waitsForUs);
      return release.letGo;
    }

    /** What keeps a purchase at a point, put in its way. */
    async function obstacle(point: Point) {
      const { control } = services.emulator;
      const none = { waitsForUs: async () => true, letGo: async () => undefined };
      if (point === 'claiming') return lock('LOCK TABLE payment_claim IN SHARE ROW EXCLUSIVE MODE');
      if (point === 'booking') return lock('LOCK TABLE ledger_entry IN SHARE ROW EXCLUSIVE MODE');
      if (point === 'untaken' || point === 'taken') {
        control.fault({ method: 'POST', path: CHARGES, hang: true, after: point === 'taken' });
        return none;
      }
      let open = () => {};
      const gate = new Promise<void>(resolve => (open = resolve));
      services.script.before = () => gate;
      if (point === 'running') return { ...none, letGo: async () => open() };
      throw new RangeError(`${point} is gone on to from the running handler`);
    }

    /** A lock of our own on the tables, and whether somebody waits for it. */
    async function lock(statement: string) {
      const runner: QueryRunner = services.database.createQueryRunner();
      await runner.startTransaction();
      await runner.query(statement);
      return {
        waitsForUs: () => somebodyWaits(),
        // Where Postgres died, the lock died with it.
        letGo: async () => {
          await runner.rollbackTransaction().catch(() => undefined);
          await runner.release().catch(() => undefined);
        },
      };
    }
    const somebodyWaits = async () => {
      const rows = await services.database.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = current_user`,
      );
      return rows.length > 0;
    };

    const proved = () => services.script.provedCount;
    const charges = async () => (await services.charges()).length;
    const openClaims = async (where: string): Promise<string[]> => {
      const rows: { claim_id: string }[] = await services.database.query(
        `SELECT claim_id FROM payment_claim WHERE ${where}`,
      );
      return rows.map(row => row.claim_id);
    };

    async function reached(point: Point, waitsForUs: () => Promise<boolean>): Promise<void> {
      const what = () => `the purchase to be ${point}`;
      if (point === 'claiming' || point === 'booking') return until(waitsForUs, what);
      if (point === 'untaken')
        return until(async () => (await openClaims(`settlement = 'pending'`)).length > 0, what);
      if (point === 'taken') {
        const before = takenBefore;
        return until(async () => (await charges()) > before, what);
      }
      const ran = provedBefore;
      return until(() => proved() > ran, what);
    }
    let provedBefore = 0;
    let takenBefore = 0;

    /** Brings a purchase to the point, kills, revives, and lets all else go on. */
    async function dieAt(point: Point, victim: Victim, body: object, credential: Credential): Promise<void> {
      [provedBefore, takenBefore] = [proved(), await charges()];
      const early: Point = point === 'delivering' || point === 'answering' ? 'running' : point;
      let letGo = await standAt(early, body, credential);
      if (early !== point) letGo = await goOnTo(point, letGo);
      await services.kill(victim);
      // Only now: what waited is not to go on before somebody is dead.
      await letGo();
      if (point === 'answering' && victim !== 'gateway') services.freezeGateway(false);
      services.script.before = async () => undefined;
      services.emulator.control.clearFaults();
      await services.revive(victim);
    }

    /** From the running handler on: the record of the delivery waits, or is made while the gateway hears nothing of it. */
    async function goOnTo(point: Point, letRun: () => Promise<void>): Promise<() => Promise<void>> {
      const [claimId] = await openClaims(
        `state = 'claimed' AND settlement = 'settled' AND lease_until > now()`,
      );
      const held = await lock(`SELECT 1 FROM payment_claim WHERE claim_id = '${claimId}' FOR UPDATE`);
      await letRun();
      await until(somebodyWaits, () => 'the delivery to wait');
      if (point === 'delivering') return held.letGo;
      services.freezeGateway(true);
      await held.letGo();
      await until(
        async () => (await openClaims(`claim_id = '${claimId}' AND state = 'delivered'`)).length > 0,
        () => 'the delivery to be on record',
      );
      return async () => undefined;
    }

    it.each(DEATHS)(
      'over %s, while it is %s: %s; the credential brings its answer, once',
      async (rail, point, victim) => {
        const [body, credential] = [nextBody(), await pay(rail)];
        await dieAt(point, victim, body, credential);
        if (point === 'untaken') await letChargesEnd();
        let answer = await services.prove(body, credential).catch(() => undefined);
        await until(
          async () => {
            if (answer?.status === 200) return true;
            // Nobody is ever asked to pay again.
            if (answer && ![409, 503].includes(answer.status))
              throw new Error(`${answer.status} ${answer.text}`);
            await letTimePass();
            answer = await services.prove(body, credential).catch(() => undefined);
            return answer?.status === 200;
          },
          () => `the answer; the last was ${answer?.status} ${answer?.text}`,
        );
        const again = await services.prove(body, credential);
        expect([again.status, again.text]).toEqual([200, answer!.text]);
        deaths.push({ rail, count: 1 });
      },
      90_000,
    );

    it.each(['lightning', 'card'] as const)(
      'over %s, and whose payer never comes back: what was paid lies on its credit',
      async rail => {
        const [body, credential] = [nextBody(), await pay(rail)];
        await dieAt(rail === 'card' ? 'taken' : 'running', 'payments', body, credential);
        const [claimId] = await openClaims(`state IN ('claimed', 'unknown')`);
        await until(
          async () => {
            await letTimePass();
            return (await openClaims(`claim_id = '${claimId}' AND state = 'credited'`)).length > 0;
          },
          () => 'the credit',
        );
        const [{ credit, charged }] = await services.database.query(
          `SELECT sum(ledger_entry.amount_micro_usd)::int AS credit, max(charged_micro_usd)::int AS charged
             FROM ledger_entry JOIN payment_claim USING (claim_id) WHERE claim_id = $1 AND account LIKE 'customer:%'`,
          [claimId],
        );
        expect([credit, charged]).toEqual(rail === 'card' ? [500_000, 500_000] : [1_000, 1_000]);
      },
      90_000,
    );

    it('leaves a ledger that sums to zero, one delivery for each payment, and no money without an owner', async () => {
      await letTimePass();
      const [{ total, holds, treasury }] = await services.database.query(
        `SELECT sum(amount_micro_usd)::int AS total,
                coalesce(sum(amount_micro_usd) FILTER (WHERE account = 'holds'), 0)::int AS holds,
                coalesce(sum(amount_micro_usd) FILTER (WHERE account = 'treasury'), 0)::int AS treasury
           FROM ledger_entry`,
      );
      expect([total, holds, treasury]).toEqual([0, 0, deaths.length * PRICE_MICRO_USD]);
      const claims: { state: string; count: number }[] = await services.database.query(
        `SELECT state, count(*)::int AS count FROM payment_claim WHERE state <> 'void' GROUP BY 1 ORDER BY 1`,
      );
      expect(claims).toEqual([
        { state: 'credited', count: 2 },
        { state: 'delivered', count: deaths.length },
      ]);
      // What the card processor took is what the ledger says came in.
      const [{ came }] = await services.database.query(
        `SELECT coalesce(-sum(amount_micro_usd), 0)::int AS came FROM ledger_entry WHERE account = 'processor-clearing'`,
      );
      const cards = deaths.filter(({ rail }) => rail === 'card').length + 1;
      expect([await charges(), came]).toEqual([cards, cards * 500_000]);
    });
  });
}
