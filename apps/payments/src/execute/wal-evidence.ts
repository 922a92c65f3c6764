import type { WalCheckpoint, WalInclusion } from '@svc/contracts';
import type { z } from 'zod';

/** What is published of the log outside of the database, for answers to name. */
export interface WalEvidence {
  /** Where a saga's head lies in the newest signed checkpoint that covers it; undefined until one does. */
  inclusionOf(sagaId: string): Promise<z.infer<typeof WalInclusion> | undefined>;
  /** The newest signed checkpoint; undefined before the first. */
  newestCheckpoint(): WalCheckpoint | undefined;
}

/** Injection token of the {@link WalEvidence}. */
export const WAL_EVIDENCE = Symbol('WAL_EVIDENCE');

/** Injection token of who waits in this process for the log to go on: `Waiters`. */
export const LOG_WAITERS = Symbol('LOG_WAITERS');

/** Injection token of what is to be told that this process has recorded something: `() => void`. */
export const ON_RECORDED = Symbol('ON_RECORDED');
