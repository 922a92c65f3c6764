import { problem } from '../problem-details/problem-error.js';

/** What of one kind of work is taken, and how it is spoken of. */
export interface WorkLaneLimits {
  /** What waits here, in the plural: `proofs of this size`. */
  readonly name: string;
  /** How many may wait for the one that is under way. */
  readonly waitingMax: number;
  /** Who would begin later than this is refused: its caller would have given up. */
  readonly waitMsMax: number;
  /** What a unit of cost takes, until work of this lane has been measured. */
  readonly unitMsFirst: number;
}

/** How work waits for its turn. */
export interface TurnOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** However many wait: whoever asks bounds how many those are. */
  readonly waitsForRoom?: boolean;
}

/** Weight of the newest work in the running mean of the time that a unit of cost takes. */
const NEWEST_WEIGHT = 0.3;

/**
 * Work that takes a machine whole: one piece at a time, in the order it came, with a bound on how many wait and an
 * estimate of how long, which past work has taught.
 */
export class WorkLane {
  /** Each begins one piece that waits. */
  private readonly waiting: (() => void)[] = [];
  private isBusy = false;
  private costAhead = 0;
  private unitMs: number;

  constructor(private readonly limits: WorkLaneLimits) {
    this.unitMs = limits.unitMsFirst;
  }

  /** Estimate of the time that work of a cost takes here, milliseconds. */
  millisecondsOf(cost: number): number {
    return cost * this.unitMs;
  }

  /**
   * Estimate of the wait before another piece would begin, milliseconds.
   * @throws ProblemError QUEUE_FULL when it would not be taken now
   */
  assertRoom(): number {
    const { name, waitingMax, waitMsMax } = this.limits;
    const waitMs = this.costAhead * this.unitMs;
    if (this.waiting.length < waitingMax && waitMs <= waitMsMax) return waitMs;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    const count = this.waiting.length + Number(this.isBusy);
    throw problem(
      'QUEUE_FULL',
      `${count} ${name} are ahead, which take about ${retryAfterSeconds} s; at most ${waitingMax} may wait, for ${waitMsMax / 1_000} s`,
      { retryAfterSeconds },
    );
  }

  /**
   * Does the work when its turn comes. What ends early teaches nothing.
   * @param cost above 0, in the lane's own unit
   * @throws ProblemError QUEUE_FULL, as {@link assertRoom}, unless it waits for room; the signal's reason where it is aborted while it waits
   */
  async run<T>(cost: number, work: () => Promise<T>, options: TurnOptions = {}): Promise<T> {
    const { signal, waitsForRoom } = options;
    signal?.throwIfAborted();
    if (!waitsForRoom) this.assertRoom();
    this.costAhead += cost;
    try {
      await this.takeTurn(signal);
      try {
        const startedAt = performance.now();
        const value = await work();
        this.unitMs += NEWEST_WEIGHT * ((performance.now() - startedAt) / cost - this.unitMs);
        return value;
      } finally {
        this.isBusy = false;
        this.waiting.shift()?.();
      }
    } finally {
      this.costAhead -= cost;
    }
  }

  private takeTurn(signal?: AbortSignal): Promise<void> {
    if (!this.isBusy) {
      this.isBusy = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        this.isBusy = true;
        resolve();
      };
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        reject(signal?.reason);
      };
      this.waiting.push(begin);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
