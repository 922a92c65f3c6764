import { FairQueue, NOBODYS_TURN, type Turn } from '@svc/kernels/node';
import { problem } from '../problem-details/problem-error.js';
import { queueTurn } from './caller-turn.js';

/** What of one kind of work is taken, and how it is spoken of. */
export interface WorkLaneLimits {
  /** What waits here, in the plural: `proofs of this size`. */
  readonly name: string;
  /** How many of one caller may wait for the one that is under way, where no other's do; of all, twice as many. */
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
  /** However many wait: whoever asks bounds how many those are. Nobody waits for it: it goes behind what somebody waits for. */
  readonly waitsForRoom?: boolean;
}

/** Weight of the newest work in the running mean of the time that a unit of cost takes. */
const NEWEST_WEIGHT = 0.3;
/** Work that nobody waits for. */
const NOBODY_WAITS: Turn = { ...NOBODYS_TURN, isFirst: false };

/** Work that waits. */
interface Waiting {
  readonly cost: number;
  readonly begin: () => void;
}

/**
 * Work that takes a machine whole: one piece at a time, with a bound on how many wait and an estimate of how long, which past work
 * has taught. Callers take turns, as {@link queueTurn} tells them apart, and what is paid for goes first.
 *
 * Whoever asks for room while a payment is about to be taken has a place kept; and work that is paid for is not refused.
 */
export class WorkLane {
  private readonly waiting: FairQueue<Waiting>;
  /** Cost of what is under way. */
  private running: number | undefined;
  private unitMs: number;

  constructor(private readonly limits: WorkLaneLimits) {
    this.unitMs = limits.unitMsFirst;
    this.waiting = new FairQueue(limits.waitingMax);
  }

  /** Estimate of the time that work of a cost takes here, milliseconds. */
  millisecondsOf(cost: number): number {
    return cost * this.unitMs;
  }

  /**
   * Estimate of the wait before another piece of the caller's would begin, milliseconds.
   * @throws ProblemError QUEUE_FULL when it would not be taken now
   */
  assertRoom(): number {
    const { name, waitingMax, waitMsMax } = this.limits;
    const turn = queueTurn();
    const waitMs = this.waitMsOf(turn);
    const isSoon = turn.payment === 'settled' || waitMs <= waitMsMax;
    if (isSoon && this.waiting.admits(turn)) {
      this.waiting.keep(turn);
      return waitMs;
    }
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    const count = this.waiting.size + this.waiting.keptCount + Number(this.running !== undefined);
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
    const turn = waitsForRoom ? NOBODY_WAITS : queueTurn();
    if (!waitsForRoom) this.assertRoom();
    this.waiting.giveKept(turn);
    await this.takeTurn(cost, turn, signal);
    try {
      const startedAt = performance.now();
      const value = await work();
      this.unitMs += NEWEST_WEIGHT * ((performance.now() - startedAt) / cost - this.unitMs);
      return value;
    } finally {
      this.running = undefined;
      this.waiting.shift()?.begin();
    }
  }

  private waitMsOf(turn: Turn): number {
    let cost = this.running ?? 0;
    for (const ahead of this.waiting.ahead(turn)) cost += ahead.cost;
    return cost * this.unitMs;
  }

  private takeTurn(cost: number, turn: Turn, signal?: AbortSignal): Promise<void> {
    if (this.running === undefined) {
      this.running = cost;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        this.running = cost;
        resolve();
      };
      const waiting = { cost, begin };
      const leave = () => {
        this.waiting.remove(waiting);
        reject(signal?.reason);
      };
      this.waiting.push(waiting, turn);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
