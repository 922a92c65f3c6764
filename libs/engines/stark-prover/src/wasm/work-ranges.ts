/** A part of a vector: the half-open range of `count` elements from `first`. */
export interface WorkRange {
  readonly first: number;
  readonly count: number;
}

/** Shorter parts cost more to hand out than to compute. */
const ELEMENTS_MIN = 2048;

/**
 * Splits `total` elements, a power of two, into equal ranges for threads that may run at different speeds: two a thread,
 * fewer where they would be short.
 */
export function workRanges(total: number, concurrency: number): WorkRange[] {
  const wanted = concurrency === 1 ? 1 : 2 ** Math.ceil(Math.log2(2 * concurrency));
  const parts = Math.max(1, Math.min(wanted, total / ELEMENTS_MIN));
  const count = total / parts;
  return Array.from({ length: parts }, (_, i) => ({ first: i * count, count }));
}
