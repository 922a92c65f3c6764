/** The time that sagas are carried on by; leases are of the store's own. */
export interface SagaClock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after `ms`, or as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: SagaClock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
    }),
};

/** How long to wait before something is tried again. */
export interface Backoff {
  /** Before the second try; it doubles with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Exponential, and half of it by chance, so that those who failed together do not come back together.
 *
 * @param tries that have failed, from 1
 * @param random a byte, 0..255
 */
export function backoffMs({ firstMs, maxMs }: Backoff, tries: number, random: number): number {
  const wholeMs = Math.min(maxMs, firstMs * 2 ** Math.min(tries - 1, 30));
  return wholeMs / 2 + (wholeMs / 2) * (random / 255);
}
