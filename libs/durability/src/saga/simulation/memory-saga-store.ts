import type { JsonValue, WalRecord } from '../../wal/wal-record.js';
import {
  LeaseLostError,
  type Advance,
  type DefinitionId,
  type HeldSaga,
  type SagaBirth,
  type SagaStore,
  type StoredSaga,
} from '../saga-store.js';

/** A transaction of {@link MemorySagaStore}: what it reads must not have changed by the time that it commits. */
export interface MemoryTx {
  get(key: string): JsonValue | undefined;
  put(key: string, value: JsonValue): void;
}

/** Another transaction changed what this one has read. */
export class SerializationError extends Error {
  readonly code = 'SERIALIZATION_FAILURE';
  constructor(key: string) {
    super(`another transaction changed ${key}`);
  }
}

/** A saga with its lease. */
export interface MemoryRow {
  saga: StoredSaga;
  owner: string;
  leaseUntilMs: number;
  readonly order: number;
}

export interface MemorySagaStoreOptions {
  /** The store's clock, milliseconds. */
  readonly now: () => number;
  readonly leaseMs: number;
}

const ENDS: ReadonlySet<string> = new Set(['COMPLETED', 'COMPENSATED', 'STUCK']);

/**
 * Sagas in memory, with the semantics of a database: transactions, a lock for each saga, leases and fences. It keeps the
 * promises of {@link SagaStore}, except that it forgets everything with its process: for tests and simulations.
 */
export class MemorySagaStore implements SagaStore<MemoryTx> {
  /** What transactions put, beside the sagas. */
  readonly table = new Map<string, JsonValue>();
  protected readonly rows = new Map<string, MemoryRow>();
  private readonly versions = new Map<string, number>();
  private readonly locks = new Map<string, Promise<void>>();

  constructor(protected readonly options: MemorySagaStoreOptions) {}

  async begin(owner: string, work: (tx: MemoryTx) => Promise<SagaBirth>): Promise<HeldSaga> {
    return this.transaction(async tx => {
      const { sagaId, name, version, records, kept } = await work(tx);
      return {
        value: { sagaId, name, version, records, kept, owner, state: 'RUNNING' as const, fence: 1 },
        commit: held => {
          if (this.rows.has(sagaId)) throw new Error(`saga ${sagaId} was begun before`);
          continues([], held.records);
          const { owner: _owner, ...saga } = held;
          this.rows.set(sagaId, {
            saga,
            owner,
            leaseUntilMs: this.leaseUntilMs(),
            order: this.rows.size,
          });
        },
      };
    });
  }

  async advance(held: Pick<HeldSaga, 'sagaId' | 'fence'>, advance: Advance): Promise<void> {
    await this.advanceWith(held, async () => advance);
  }

  async advanceWith(
    held: Pick<HeldSaga, 'sagaId' | 'fence'>,
    work: (tx: MemoryTx) => Promise<Advance>,
  ): Promise<Advance> {
    return this.locked(held.sagaId, () => {
      const row = this.heldRow(held);
      return this.transaction(async tx => ({
        value: await work(tx),
        commit: advance => {
          const { records, state, kept = row.saga.kept } = advance;
          if (records.some(record => record.fence !== held.fence)) throw new LeaseLostError(held.sagaId);
          continues(row.saga.records, records);
          row.saga = { ...row.saga, state, kept, records: [...row.saga.records, ...records] };
          if (!ENDS.has(state)) row.leaseUntilMs = this.leaseUntilMs();
        },
      }));
    });
  }

  async renew(held: readonly Pick<HeldSaga, 'sagaId' | 'fence'>[]): Promise<string[]> {
    const kept = held.filter(({ sagaId, fence }) => this.rows.get(sagaId)?.saga.fence === fence);
    for (const { sagaId } of kept) {
      const row = this.rows.get(sagaId);
      if (row) row.leaseUntilMs = this.leaseUntilMs();
    }
    return kept.map(({ sagaId }) => sagaId);
  }

  async release({ sagaId, fence }: Pick<HeldSaga, 'sagaId' | 'fence'>, afterMs: number): Promise<void> {
    await this.locked(sagaId, async () => {
      const row = this.rows.get(sagaId);
      if (row?.saga.fence === fence) row.leaseUntilMs = this.options.now() + afterMs;
    });
  }

  async takeLapsed(owner: string, limit: number, known?: readonly DefinitionId[]): Promise<HeldSaga[]> {
    const isKnown = ({ name, version }: DefinitionId) =>
      !known || known.some(one => one.name === name && one.version === version);
    const lapsed = [...this.rows.values()]
      .filter(row => row.leaseUntilMs <= this.options.now() && !ENDS.has(row.saga.state))
      // As SKIP LOCKED: a transaction is at work on it.
      .filter(row => !this.locks.has(row.saga.sagaId) && isKnown(row.saga))
      .sort((a, b) => a.order - b.order)
      .slice(0, limit);
    return lapsed.map(row => this.take(row, owner));
  }

  async takeStuck(owner: string, sagaId: string): Promise<HeldSaga | undefined> {
    return this.locked(sagaId, async () => {
      const row = this.rows.get(sagaId);
      return row?.saga.state === 'STUCK' ? this.take(row, owner) : undefined;
    });
  }

  async load(sagaId: string): Promise<StoredSaga | undefined> {
    return this.rows.get(sagaId)?.saga;
  }

  /** All sagas, in the order in which they were begun. */
  get sagas(): StoredSaga[] {
    return [...this.rows.values()].map(row => row.saga);
  }

  /** @throws LeaseLostError */
  protected heldRow({ sagaId, fence }: Pick<HeldSaga, 'sagaId' | 'fence'>): MemoryRow {
    const row = this.rows.get(sagaId);
    if (row?.saga.fence !== fence) throw new LeaseLostError(sagaId);
    return row;
  }

  protected take(row: MemoryRow, owner: string): HeldSaga {
    row.saga = { ...row.saga, fence: row.saga.fence + 1 };
    row.owner = owner;
    row.leaseUntilMs = this.leaseUntilMs();
    return { ...row.saga, owner };
  }

  private leaseUntilMs(): number {
    return this.options.now() + this.options.leaseMs;
  }

  private async transaction<T>(
    work: (tx: MemoryTx) => Promise<{ value: T; commit: (value: T) => void }>,
  ): Promise<T> {
    const read = new Map<string, number>();
    const written = new Map<string, JsonValue>();
    const see = (key: string) => {
      if (!read.has(key)) read.set(key, this.versions.get(key) ?? 0);
    };
    const { value, commit } = await work({
      get: key => {
        see(key);
        return written.get(key) ?? this.table.get(key);
      },
      put: (key, item) => {
        see(key);
        written.set(key, item);
      },
    });
    for (const [key, version] of read)
      if ((this.versions.get(key) ?? 0) !== version) throw new SerializationError(key);
    commit(value);
    for (const [key, item] of written) {
      this.table.set(key, item);
      this.versions.set(key, (this.versions.get(key) ?? 0) + 1);
    }
    return value;
  }

  /** One at a time for each saga, in the order in which they came. */
  private async locked<T>(sagaId: string, work: () => Promise<T>): Promise<T> {
    const before = this.locks.get(sagaId);
    let unlock: () => void = () => undefined;
    const lock = new Promise<void>(resolve => (unlock = resolve));
    this.locks.set(sagaId, lock);
    try {
      await before;
      return await work();
    } finally {
      if (this.locks.get(sagaId) === lock) this.locks.delete(sagaId);
      unlock();
    }
  }
}

/** @throws {Error} where the records do not go on from the log, or from each other, or the log has ended */
function continues(log: readonly WalRecord[], records: readonly WalRecord[]): void {
  let last = log.at(-1);
  if (records.length === 0) throw new Error('an advance has at least one record');
  if (last?.kind === 'SAGA_COMMIT' || last?.kind === 'SAGA_ABORTED') throw new Error('the log has ended');
  for (const record of records) {
    if (record.seq !== (last?.seq ?? -1) + 1 || (last && record.prevHash !== last.hash))
      throw new Error(`record ${record.seq} does not continue a log of ${log.length}`);
    last = record;
  }
}
