import type { SagaClock } from './saga-clock.js';

/** It did not come back in its time: whether it had its effect is not known. */
export class TryTimeoutError extends Error {
  readonly code = 'TRY_TIMEOUT';
  constructor(name: string) {
    super(`${name} did not end in its time`);
  }
}

/** What bounds a try. */
export interface TryBounds {
  readonly name: string;
  readonly msMax: number;
  readonly clock: SagaClock;
  /** Ends it before its time. */
  readonly signal: AbortSignal;
}

/**
 * One try of what may never come back. Work that does not heed its signal is not waited for, and its outcome is nobody's.
 *
 * @throws TryTimeoutError, the reason of the signal, or what the work throws
 */
export async function inTime<T>(
  { name, msMax, clock, signal }: TryBounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw signal.reason;
  const attempt = new AbortController();
  const over = new AbortController();
  const aborted = () => attempt.abort(signal.reason);
  signal.addEventListener('abort', aborted);
  void clock.sleep(msMax, over.signal).then(() => {
    if (!over.signal.aborted) attempt.abort(new TryTimeoutError(name));
  });
  try {
    return await new Promise<T>((resolve, reject) => {
      attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason));
      work(attempt.signal).then(resolve, reject);
    });
  } finally {
    over.abort('over');
    signal.removeEventListener('abort', aborted);
  }
}
