import { type Mutant, type SagaPlan, Violation } from './saga-plan.js';
import type { JsonValue, WalRecord } from '../../wal/wal-record.js';
import { LeaseLostError, type Advance, type HeldSaga } from '../saga-store.js';
import { MemorySagaStore, type MemoryTx } from './memory-saga-store.js';
import { Prng } from './prng.js';
import { SimulatedReceiver } from './simulated-receiver.js';
import { VirtualTime, type Turn } from './virtual-time.js';
import { CALM, weatherOf, type Weather } from './weather.js';

export const PRICE = 100;
export const LEASE_MS = 10_000;

/** One seed's world: time, chance, the database, the receivers, and what is planned to go wrong. */
export class SagaWorld {
  readonly prng: Prng;
  readonly time: VirtualTime;
  readonly store: BreakableStore;
  readonly receiver: SimulatedReceiver;
  readonly steps: readonly ('local' | 'remote')[];
  readonly plans: SagaPlan[];
  /** How often what happened: a simulation in which nothing happens proves nothing. */
  readonly seen: Record<string, number> = {};
  /** Keys of effects that some process has asked for. */
  readonly sent = new Set<string>();
  weather: Weather;
  /** Until then the store does not answer. */
  awayUntilMs = 0;
  private violation?: Violation;

  constructor(
    readonly seed: number,
    turn: Turn,
    readonly mutant?: Mutant,
    private readonly trace?: (line: string) => void,
  ) {
    this.prng = new Prng(seed);
    this.time = new VirtualTime(this.prng, turn);
    this.weather = weatherOf(this.prng);
    this.store = new BreakableStore({ now: () => this.time.nowMs, leaseMs: LEASE_MS }, this);
    this.receiver = new SimulatedReceiver(this);
    this.steps = Array.from({ length: 1 + this.prng.int(4) }, () => this.prng.pick(['local', 'remote']));
    this.plans = Array.from({ length: 1 + this.prng.int(3) }, (_, index) => this.planOf(index));
    for (const { ticket } of this.plans) {
      this.store.table.set(`ticket:${ticket}`, 'unused');
      this.store.table.set('account:rail', this.account('rail') - PRICE);
      this.store.table.set('account:tickets', this.account('tickets') + PRICE);
    }
  }

  /** From now on nothing more goes wrong, but for what is planned. */
  clearUp(): void {
    this.weather = { ...CALM, skewMs: this.weather.skewMs };
    this.awayUntilMs = 0;
  }

  saw(what: string): void {
    this.seen[what] = (this.seen[what] ?? 0) + 1;
  }

  note(line: () => string): void {
    this.trace?.(`${String(this.time.nowMs - Date.UTC(2026, 0, 1)).padStart(9)} ${line()}`);
  }

  /** Also where the one who notices is a process that catches what it throws. */
  violate(what: string): Violation {
    this.violation ??= new Violation(what);
    return this.violation;
  }

  /** @throws Violation */
  check(): void {
    if (this.violation) throw this.violation;
  }

  account(name: string): number {
    return (this.store.table.get(`account:${name}`) as number | undefined) ?? 0;
  }

  private planOf(index: number): SagaPlan {
    const { prng, steps } = this;
    return {
      ticket: `t${index}`,
      failsAt: prng.chance(0.5) ? prng.int(steps.length) : -1,
      failsLate: prng.chance(0.5),
      failsUnsent: prng.chance(0.2),
      undoFailures: steps.map(() => prng.pick([0, 0, 0, 0, 1, 2, 9])),
      refusals: prng.int(2),
    };
  }
}

/** Double entry in the simulated database. */
export function moveMoney(tx: MemoryTx, from: string, to: string, amount: number): void {
  for (const [name, by] of [
    [from, -amount],
    [to, amount],
  ] as const) {
    const key = `account:${name}`;
    tx.put(key, ((tx.get(key) as number | undefined) ?? 0) + by);
  }
}

/** A store that can be broken as {@link MUTANTS} say. */
class BreakableStore extends MemorySagaStore {
  constructor(
    options: ConstructorParameters<typeof MemorySagaStore>[0],
    private readonly world: SagaWorld,
  ) {
    super(options);
  }

  override async advanceWith(
    held: Pick<HeldSaga, 'sagaId' | 'fence'>,
    work: (tx: MemoryTx) => Promise<Advance>,
  ): Promise<Advance> {
    const { mutant, prng } = this.world;
    if (mutant === 'store writes effects without their records')
      return super.advanceWith(held, this.leaky(work));
    if (mutant === 'store loses what it has acknowledged' && prng.chance(0.05)) {
      let given: Advance | undefined;
      const lost = super.advanceWith(held, async tx => {
        given = await work(tx);
        throw LOST;
      });
      return lost.catch(error => (error === LOST && given ? given : Promise.reject(error)));
    }
    try {
      return await super.advanceWith(held, work);
    } catch (error) {
      if (error instanceof LeaseLostError) this.world.saw('late writes refused');
      throw error;
    }
  }

  override async takeLapsed(...args: Parameters<MemorySagaStore['takeLapsed']>): Promise<HeldSaga[]> {
    if (this.world.mutant === 'store never lets a lease end') return [];
    const taken = await super.takeLapsed(...args);
    for (const _ of taken) this.world.saw('sagas taken over');
    return taken;
  }

  /** Whether this owner has the saga with an intent of an owner before it. */
  isInherited(sagaId: string, owner: string): boolean {
    const row = this.rows.get(sagaId);
    const last = row?.saga.records.at(-1);
    return row?.owner === owner && last?.kind === 'STEP_INTENT' && last.fence < row.saga.fence;
  }

  protected override heldRow(held: Pick<HeldSaga, 'sagaId' | 'fence'>) {
    const row = this.rows.get(held.sagaId);
    if (row && this.world.mutant === 'store forgets fences') return row;
    return super.heldRow(held);
  }

  protected override take(...[row, owner]: Parameters<MemorySagaStore['take']>): HeldSaga {
    const held = super.take(row, owner);
    if (this.world.mutant !== 'store gives a lapsed saga to two owners') return held;
    row.leaseUntilMs = this.options.now();
    row.saga = { ...row.saga, fence: held.fence - 1 };
    return { ...held, fence: held.fence - 1 };
  }

  /** Writes go to the table at once, whatever becomes of the transaction. */
  private leaky(work: (tx: MemoryTx) => Promise<Advance>): (tx: MemoryTx) => Promise<Advance> {
    const { table } = this;
    return tx =>
      work({
        get: key => (tx.get(key), table.get(key)),
        put: (key: string, value: JsonValue) => (tx.put(key, value), table.set(key, value), undefined),
      });
  }
}

const LOST = new Error('the disk has told a lie');

/** `STEP_INTENT prove 2`, as traces show a record. */
export const lineOf = ({ kind, step, attempt, fence }: WalRecord): string =>
  `${kind}${step ? ` ${step} ${attempt}` : ''} (fence ${fence})`;
