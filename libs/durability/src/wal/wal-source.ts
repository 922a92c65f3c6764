import type { SagaState } from '../saga/saga-store.js';
import type { Checkpoint, SealedHeads, WalHead } from './checkpoint.js';
import type { WalRecord } from './wal-record.js';

/** What the store says of a saga beside its log. */
export interface SagaRow extends WalHead {
  readonly state: SagaState;
}

/** A head as it was sealed, and by which checkpoint. */
export interface SealedHead extends WalHead {
  readonly checkpoint: number;
}

/**
 * Everything a database says of its logs, as it was at one moment. Rows come as they are, in batches of any size, in the
 * order that each names; none is held back for being wrong.
 */
export interface WalSource {
  /** By saga id, then seq. */
  records(): AsyncIterable<readonly WalRecord[]>;
  /** By saga id. */
  sagas(): AsyncIterable<readonly SagaRow[]>;
  /** By saga id, then count. */
  sealedHeads(): AsyncIterable<readonly SealedHead[]>;
  /** By number, each with its leaves in the order of the tree. */
  checkpoints(): AsyncIterable<readonly SealedHeads[]>;
  /** Those of the numbers that there are. */
  checkpointsOf(numbers: readonly number[]): Promise<readonly Checkpoint[]>;
}

/** Something that does not hold, by the names of what it is about. */
export interface WalFinding {
  readonly reason: string;
  readonly sagaId?: string;
  /** Of the first record that does not hold, or is missing. */
  readonly seq?: number;
  /** Number of the checkpoint. */
  readonly checkpoint?: number;
  /** Of the checkpoint file. */
  readonly line?: number;
}
