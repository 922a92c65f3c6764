import { mergeStored } from '@svc/mesh';

/** An update that is stored, and whoever it came through here. */
export interface StoredUpdate {
  readonly bytes: Uint8Array;
  readonly from?: object;
}

/** What is made one must go in one message of a data channel, with its head. */
const MERGED_BYTES_MAX = 192 * 1024;
/** Making updates one takes time for each pair of them. */
const MERGED_UPDATES_MAX = 512;

/**
 * Updates that were stored together, as each peer is told of them: none of its own, and as few messages as may be. Nearly all
 * peers have written none of them, and for those they are made one update, once.
 */
export class StoredNews {
  private readonly writers: ReadonlySet<object | undefined>;
  private whole: readonly Uint8Array[] | undefined;

  /** @param updates in the order in which they were stored */
  constructor(private readonly updates: readonly StoredUpdate[]) {
    this.writers = new Set(updates.map(({ from }) => from));
  }

  /** @returns updates, in an order in which each builds on nothing behind it */
  for(peer: object): readonly Uint8Array[] {
    if (!this.writers.has(peer)) return (this.whole ??= this.merged());
    return this.updates.flatMap(({ bytes, from }) => (from === peer ? [] : bytes));
  }

  private merged(): readonly Uint8Array[] {
    const all = this.updates.map(({ bytes }) => bytes);
    const sizeBytes = all.reduce((sum, { length }) => sum + length, 0);
    const isSmall = sizeBytes <= MERGED_BYTES_MAX && all.length <= MERGED_UPDATES_MAX;
    return isSmall && all.length > 1 ? [mergeStored(all)] : all;
  }
}
