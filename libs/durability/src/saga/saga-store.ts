import type { JsonObject, WalRecord } from '../wal/wal-record.js';

/** RUNNING forwards, COMPENSATING in reverse; the others are ends, STUCK until somebody has it tried again. */
export const SAGA_STATES = ['RUNNING', 'COMPENSATING', 'COMPLETED', 'COMPENSATED', 'STUCK'] as const;
export type SagaState = (typeof SAGA_STATES)[number];

/** A saga as it lies in the store. */
export interface StoredSaga {
  readonly sagaId: string;
  readonly name: string;
  readonly version: number;
  readonly state: SagaState;
  /** Whole, from seq 0. */
  readonly records: readonly WalRecord[];
  readonly kept: JsonObject;
  readonly fence: number;
}

/** A saga that this owner may carry on, as long as nobody has a higher fence. */
export interface HeldSaga extends StoredSaga {
  readonly owner: string;
}

/** Which definition a saga follows. */
export interface DefinitionId {
  readonly name: string;
  readonly version: number;
}

/** The first records of a saga. */
export interface SagaBirth {
  readonly sagaId: string;
  readonly name: string;
  readonly version: number;
  readonly records: readonly WalRecord[];
  readonly kept: JsonObject;
}

/** Records to append, and what the saga is then. */
export interface Advance {
  readonly records: readonly WalRecord[];
  readonly state: SagaState;
  /** What the saga keeps from now on, whole; left as it is where it is not given. */
  readonly kept?: JsonObject;
}

/** The saga is another's by now: nothing of the advance was recorded. */
export class LeaseLostError extends Error {
  readonly code = 'LEASE_LOST';
  constructor(readonly sagaId: string) {
    super(`the lease of saga ${sagaId} was lost`);
    this.name = 'LeaseLostError';
  }
}

/**
 * Where sagas and their logs lie. What it promises: an advance, with its effect, is recorded wholly or not at all, and
 * only while the fence is the highest and its first record continues the log; a record is never altered; of any number
 * of owners that take a lapsed saga exactly one gets it. Any error but {@link LeaseLostError} and what an effect throws
 * leaves it unknown whether it was recorded: load, and look.
 *
 * An advance whose first record does not continue the log is refused with an error of its own, not with
 * {@link LeaseLostError}, once every transaction that was begun on the saga before has ended. Leases are of the store's
 * own clock.
 *
 * @typeParam Tx a transaction of the store's database
 */
export interface SagaStore<Tx> {
  /** Begins a saga in one transaction with `work`, and holds it under fence 1. */
  begin(owner: string, work: (tx: Tx) => Promise<SagaBirth>): Promise<HeldSaga>;
  /** Appends records; many that come together may share a transaction. Renews the lease. */
  advance(held: Pick<HeldSaga, 'sagaId' | 'fence'>, advance: Advance): Promise<void>;
  /** Appends what `work` gives, in one transaction with its effects. Renews the lease. */
  advanceWith(held: Pick<HeldSaga, 'sagaId' | 'fence'>, work: (tx: Tx) => Promise<Advance>): Promise<Advance>;
  /** Holds sagas for another lease; returns the ids of those that are still the owner's, none of them left out. */
  renew(held: readonly Pick<HeldSaga, 'sagaId' | 'fence'>[]): Promise<string[]>;
  /** Gives a saga up for now: from `afterMs` on anybody may take it. Nothing happens where the lease was lost. */
  release(held: Pick<HeldSaga, 'sagaId' | 'fence'>, afterMs: number): Promise<void>;
  /**
   * Takes sagas over whose lease has ended and which have not, oldest first, each under a higher fence.
   *
   * @param known the definitions whose sagas are taken; all where it is not given
   */
  takeLapsed(owner: string, limit: number, known?: readonly DefinitionId[]): Promise<HeldSaga[]>;
  /** Takes a stuck saga over, to try its compensation again; it is stuck until it advances. Undefined where it is not. */
  takeStuck(owner: string, sagaId: string): Promise<HeldSaga | undefined>;
  load(sagaId: string): Promise<StoredSaga | undefined>;
}
