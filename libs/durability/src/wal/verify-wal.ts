import { WalGrammar } from '../saga/wal-grammar.js';
import { PayloadError } from './canonical-json.js';
import { genesisHash, genesisOf, malformation, recordHash } from './wal-codec.js';
import type { WalRecord } from './wal-record.js';

/** What a log is held to beside its hashes: which record may follow which. */
export interface LogGrammar {
  /** @returns why the record may not follow; undefined where it may */
  next(record: WalRecord): string | undefined;
}

/** A chain that holds, or the first record that does not, and why. */
export type ChainVerdict =
  | { readonly valid: true; readonly count: number; readonly head: string }
  | { readonly valid: false; readonly seq: number; readonly reason: string };

/** What is wrong with a chain: the first record that does not hold, or that is missing. */
export interface ChainFault {
  readonly seq: number;
  readonly reason: string;
}

/**
 * Checks one chain record by record, in constant memory: form, numbers without gaps, links, hashes, fences and times that
 * never fall, the genesis that the first record states, and that a saga writes such a log. It cannot know that records
 * at the end are missing: that is for checkpoints.
 */
export class ChainVerifier {
  private last?: WalRecord;
  private fault?: ChainFault;

  /** @param grammar of one log; by default that of sagas */
  constructor(private readonly grammar: LogGrammar = new WalGrammar()) {}

  /** Takes the next record. After a fault nothing more is looked at. */
  next(record: WalRecord): ChainFault | undefined {
    if (this.fault) return this.fault;
    const reason = this.reasonOf(record);
    // Where a record is missing it is that one which is named, not the one that was found in its place.
    if (reason !== undefined)
      this.fault = { seq: reason === 'record-missing' ? this.seq : record.seq, reason };
    else this.last = record;
    return this.fault;
  }

  get verdict(): ChainVerdict {
    if (this.fault) return { valid: false, ...this.fault };
    if (!this.last) return { valid: false, seq: 0, reason: 'record-missing' };
    return { valid: true, count: this.seq, head: this.last.hash };
  }

  /** That of the record which comes next. */
  private get seq(): number {
    return this.last ? this.last.seq + 1 : 0;
  }

  private reasonOf(record: WalRecord): string | undefined {
    const { last } = this;
    const malformed = malformation(record);
    if (malformed) return malformed;
    if (last && record.sagaId !== last.sagaId) return 'saga-differs';
    if (record.seq !== this.seq) return record.seq > this.seq ? 'record-missing' : 'record-repeated';
    if (last && record.fence < last.fence) return 'fence-fell';
    if (last && record.at < last.at) return 'at-fell';
    try {
      if (record.prevHash !== (last ? last.hash : startOf(record)))
        return last ? 'prev-hash-differs' : 'genesis-differs';
      if (recordHash(record) !== record.hash) return 'hash-differs';
    } catch (error) {
      if (error instanceof PayloadError) return 'payload-not-canonical';
      throw error;
    }
    return this.grammar.next(record);
  }
}

/** Where the chain of a first record begins; undefined where that states no genesis. */
function startOf({ payload }: WalRecord): string | undefined {
  const genesis = genesisOf(payload);
  return genesis && genesisHash(genesis);
}

/**
 * Checks one whole chain.
 * @example
 * const verdict = verifyChain(records);
 * if (!verdict.valid) console.log(`record ${verdict.seq}: ${verdict.reason}`);
 */
export function verifyChain(records: Iterable<WalRecord>, grammar?: LogGrammar): ChainVerdict {
  const verifier = new ChainVerifier(grammar);
  for (const record of records) if (verifier.next(record)) break;
  return verifier.verdict;
}
