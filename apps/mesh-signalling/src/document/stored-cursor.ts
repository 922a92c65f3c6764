import type { Seq, StoredRange } from './document-store.js';

/** Ranges that wait for the ones before them; beyond that they are read again from where they are stored. */
const RANGES_KEPT_MAX = 256;

/**
 * Up to where a replica has all that is stored. Ranges may come in any order: what it stores itself is told by the commit, what
 * others store by their notices, and a notice can be lost.
 */
export class StoredCursor {
  private at: Seq = 0;
  private readonly ahead = new Map<Seq, Seq>();

  /** Everything up to here is in the document. */
  get seq(): Seq {
    return this.at;
  }

  /** Whether something behind the cursor is in the document, but not all that is before it. */
  get hasGap(): boolean {
    return this.ahead.size > 0;
  }

  /** A range is in the document. */
  take({ after, upto }: StoredRange): void {
    if (upto <= this.at) return;
    if (after > this.at && this.ahead.size < RANGES_KEPT_MAX) this.ahead.set(after, upto);
    if (after <= this.at) this.moveTo(upto);
  }

  /** Everything up to a place is in the document. */
  moveTo(seq: Seq): void {
    this.at = Math.max(this.at, seq);
    let moved = true;
    while (moved) {
      moved = false;
      for (const [after, upto] of this.ahead) {
        if (after > this.at) continue;
        this.ahead.delete(after);
        moved ||= upto > this.at;
        this.at = Math.max(this.at, upto);
      }
    }
  }

  /** Begins anew, with a document that has nothing. */
  reset(): void {
    this.at = 0;
    this.ahead.clear();
  }
}
