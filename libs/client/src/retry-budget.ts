/** How often, and for how long in all, a call waits and tries again. */
export interface RetryPolicy {
  /** Tries after the first; 0 switches retries off. */
  readonly retriesMax: number;
  /** Milliseconds of waiting over all retries of one call. */
  readonly waitMsMax: number;
  /** Milliseconds before the first retry, where the server does not say when; each further one waits twice as long. */
  readonly firstDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { retriesMax: 5, waitMsMax: 60_000, firstDelayMs: 250 };

/** Seconds of a `Retry-After` header: a number or an HTTP date (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value.length > 64) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - nowMs) / 1_000));
}

/** Counts one call's retries. */
export class RetryBudget {
  private retries = 0;
  private waitedMs = 0;

  constructor(private readonly policy: RetryPolicy) {}

  /**
   * Milliseconds to wait before the next try, or undefined when there is none: the tries are used
   * up, or the server asks for a longer wait than is left.
   */
  next(retryAfter: number | undefined): number | undefined {
    const { retriesMax, waitMsMax, firstDelayMs } = this.policy;
    const delayMs = retryAfter === undefined ? firstDelayMs * 2 ** this.retries : retryAfter * 1_000;
    if (this.retries >= retriesMax || this.waitedMs + delayMs > waitMsMax) return undefined;
    this.retries++;
    this.waitedMs += delayMs;
    return delayMs;
  }
}

/** Waits; ends early by throwing the signal's reason. */
export function wait(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', cancel, { once: true });
  });
}
