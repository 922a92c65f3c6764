import { ProblemError } from '../errors.js';

/** Bound of the wait after the first failure. */
export const FIRST_BACKOFF_MS = 500;
const LONGEST_MS = 15_000;
/** Longest that a server's `Retry-After` is waited out before the next try. */
const RETRY_AFTER_MS_MAX = 120_000;

/** Evenly spread over [0, 1). */
export const randomShare = (): number => crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;

/**
 * Milliseconds before the next try: at random below a bound that doubles with each failure, so that the peers of a replica
 * that is gone do not come back all at once ("full jitter"); never before the time that the server asked for.
 *
 * @param failures tries that failed since the last that did not
 * @param firstMs bound of the wait where none failed
 */
export function backoffMs(failures: number, error?: unknown, firstMs = FIRST_BACKOFF_MS): number {
  const bound = Math.min(LONGEST_MS, firstMs * 2 ** Math.min(failures, 16));
  const jitter = Math.round(randomShare() * bound);
  const seconds = error instanceof ProblemError ? error.retryAfterSeconds : undefined;
  return Math.min(RETRY_AFTER_MS_MAX, (seconds ?? 0) * 1_000) + jitter;
}
