import type { WalRecord } from '../wal/wal-record.js';
import { hasEnded } from './saga-action.js';
import { follow, type SagaPosition } from './saga-machine.js';

/**
 * Whether a log is one that a saga writes, record by record and in constant memory. A log that has not ended is as good
 * as one that has.
 *
 * @example
 * const grammar = new WalGrammar();
 * for (const record of records) if (grammar.next(record)) break;
 */
export class WalGrammar {
  private position?: SagaPosition;

  /** @returns why the record may not follow; undefined where it may */
  next(record: WalRecord): string | undefined {
    const next = follow(this.position, record);
    if (typeof next === 'string') return next;
    this.position = next;
    return undefined;
  }

  /** Whether the log has its SAGA_COMMIT or SAGA_ABORTED. */
  get ended(): boolean {
    return this.position !== undefined && hasEnded(this.position);
  }
}

/** What {@link walGrammar} found. */
export type GrammarVerdict =
  | { readonly valid: true; readonly ended: boolean }
  | { readonly valid: false; readonly seq: number; readonly reason: string };

/** {@link WalGrammar} over a whole log. */
export function walGrammar(records: readonly WalRecord[]): GrammarVerdict {
  const grammar = new WalGrammar();
  for (const record of records) {
    const reason = grammar.next(record);
    if (reason) return { valid: false, seq: record.seq, reason };
  }
  return { valid: true, ended: grammar.ended };
}
