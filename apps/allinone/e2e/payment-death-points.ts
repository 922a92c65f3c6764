import type { QueryRunner } from 'typeorm';
import type { MortalServices, Victim } from './payment-death-fixture.js';
import { until } from './processes.js';

/**
 * Where a purchase is when somebody dies:
 * - `claiming`: the claim waits to be put on record.
 * - `untaken`: the claim is on record, and the card processor has taken nothing yet.
 * - `taken`: the card processor has taken the money, and its answer is lost.
 * - `booking`: the money was taken, or debited, and its entry in the ledger waits.
 * - `running`: the money is held, and the handler is at work.
 * - `delivering`: the answer is there, and the record of its delivery waits.
 * - `answering`: the delivery is on record, and the answer has not left.
 * - `sold`: work that ran before it was paid for is sold, and the gateway has not heard of it.
 */
export type Point =
  'claiming' | 'untaken' | 'taken' | 'booking' | 'running' | 'delivering' | 'answering' | 'sold';

/** What keeps purchases at a point: whether they are held there, and how to let them go on. */
interface Obstacle {
  readonly isReached: () => Promise<boolean>;
  readonly letGo: () => Promise<void>;
}

const CHARGES = '/v1/payment_intents';
/** What a purchase waits with, of all that Postgres is asked at the same time by others. */
const CLAIMING = 'buy_by_key|INSERT INTO payment_claim';
const BOOKING = 'buy_by_key|settle_held|INSERT INTO ledger_entry';
const DELIVERING = 'WITH wanted AS';

/** Brings purchases to a point, and kills somebody of those who serve them. */
export class DeathPoints {
  constructor(private readonly services: MortalServices) {}

  /**
   * Buys, kills when every purchase is at the point, and brings back who died; what became of the purchases is for the
   * caller to find out. Points after `running` are those of one purchase.
   */
  async dieAt(point: Point, victim: Victim, purchases: readonly (() => Promise<unknown>)[]): Promise<void> {
    const { services } = this;
    const isLate = point === 'delivering' || point === 'answering';
    const from = point === 'sold' ? 'claiming' : point;
    const obstacle = await this.obstacle(isLate ? 'running' : from, purchases.length);
    for (const buy of purchases) void buy().catch(() => undefined);
    await until(obstacle.isReached, () => `the purchase to be ${isLate ? 'running' : point}`);
    const letGo = isLate ? await this.goOnTo(point, obstacle.letGo) : obstacle.letGo;
    if (point === 'sold') await this.sellBehindFrozenGateway(obstacle);
    await services.kill(victim);
    // Only now: what waited is not to go on before somebody is dead.
    await letGo();
    if (['answering', 'sold'].includes(point) && victim !== 'gateway') services.freezeGateway(false);
    services.script.before = async () => undefined;
    services.emulator.control.clearFaults();
    await services.revive(victim);
  }

  /** Ids of claims. */
  async claims(where: string): Promise<string[]> {
    const rows: { claim_id: string }[] = await this.services.database.query(
      `SELECT claim_id FROM payment_claim WHERE ${where}`,
    );
    return rows.map(row => row.claim_id);
  }

  private async obstacle(point: Point, purchaseCount: number): Promise<Obstacle> {
    const { emulator, script } = this.services;
    if (point === 'claiming')
      return this.lock('LOCK TABLE payment_claim IN SHARE ROW EXCLUSIVE MODE', CLAIMING);
    if (point === 'booking') return this.lock('LOCK TABLE ledger_entry IN SHARE ROW EXCLUSIVE MODE', BOOKING);
    if (point === 'untaken' || point === 'taken') {
      const before = (await this.services.charges()).length;
      emulator.control.fault({ method: 'POST', path: CHARGES, hang: true, after: point === 'taken' });
      const isReached = async () =>
        point === 'taken'
          ? (await this.services.charges()).length > before
          : (await this.claims(`settlement = 'pending'`)).length > 0;
      return { isReached, letGo: async () => undefined };
    }
    const before = script.provedCount;
    let open = () => {};
    const gate = new Promise<void>(resolve => (open = resolve));
    script.before = () => gate;
    return {
      isReached: async () => script.provedCount === before + purchaseCount,
      letGo: async () => open(),
    };
  }

  /** Lets the sale commit while the gateway is stopped and cannot receive the reply. */
  private async sellBehindFrozenGateway({ letGo }: Obstacle): Promise<void> {
    const before = (await this.claims(`state = 'delivered'`)).length;
    this.services.freezeGateway(true);
    await letGo();
    await until(
      async () => (await this.claims(`state = 'delivered'`)).length > before,
      () => 'the sale to be on record',
    );
  }

  /** From the running handler on: the record of the delivery waits, or is made while the gateway hears nothing of it. */
  private async goOnTo(point: Point, letRun: () => Promise<void>): Promise<() => Promise<void>> {
    const [claimId, another] = await this.claims(
      `state = 'claimed' AND settlement = 'settled' AND lease_until > now()`,
    );
    if (another !== undefined) throw new Error('more than one purchase is running');
    const held = await this.lock(
      `SELECT 1 FROM payment_claim WHERE claim_id = '${claimId}' FOR UPDATE`,
      DELIVERING,
    );
    await letRun();
    await until(held.isReached, () => 'the delivery to wait');
    if (point === 'delivering') return held.letGo;
    this.services.freezeGateway(true);
    await held.letGo();
    await until(
      async () => (await this.claims(`claim_id = '${claimId}' AND state = 'delivered'`)).length > 0,
      () => 'the delivery to be on record',
    );
    return async () => undefined;
  }

  /** A lock of our own, and whether a statement of the pattern waits for it. */
  private async lock(statement: string, waiting: string): Promise<Obstacle> {
    const runner: QueryRunner = this.services.database.createQueryRunner();
    await runner.startTransaction();
    await runner.query(statement);
    const isReached = async () => {
      const rows = await this.services.database.query(
        `SELECT 1 FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND usename = 'payments' AND query ~ $1`,
        [waiting],
      );
      return rows.length > 0;
    };
    // Where Postgres died, the lock died with it.
    const letGo = async () => {
      await runner.rollbackTransaction().catch(() => undefined);
      await runner.release().catch(() => undefined);
    };
    return { isReached, letGo };
  }
}
