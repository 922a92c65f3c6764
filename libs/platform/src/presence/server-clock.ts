import { performance } from 'node:perf_hooks';

const ROUNDING_MS = 1;

/**
 * What a server's clock says now, between two bounds, from one answer of it that had the time (F. Cristian, Probabilistic
 * clock synchronization, 1989). In between the machine's monotonic clock goes on, so neither a wrong wall clock here nor one
 * that is set makes a difference.
 */
export class ServerClock {
  private earliestOffsetMs: number | undefined;
  private latestOffsetMs: number | undefined;

  /** @param local a clock that never goes back, milliseconds from any time on */
  constructor(readonly local: () => number = () => performance.now()) {}

  /** The server said `serverMs`, cut to milliseconds, at some time between `sentMs` and `receivedMs` of the local clock. */
  note(serverMs: number, sentMs: number, receivedMs: number): void {
    if (!Number.isFinite(serverMs)) throw new RangeError(`the server’s time is ${serverMs}`);
    this.earliestOffsetMs = serverMs - receivedMs;
    this.latestOffsetMs = serverMs + ROUNDING_MS - sentMs;
  }

  /** It is surely not earlier than that there, milliseconds since 1970. */
  earliestMs(): number {
    return this.local() + known(this.earliestOffsetMs);
  }

  /** It is surely not later than that there, milliseconds since 1970. */
  latestMs(): number {
    return this.local() + known(this.latestOffsetMs);
  }
}

function known(offsetMs: number | undefined): number {
  if (offsetMs === undefined) throw new Error('the server has not said its time');
  return offsetMs;
}
