import { problem } from '@svc/platform';
import type { BatchPace } from './batch-pace.js';

export interface BatcherOptions {
  /** Leaves of a batch that is soon made. */
  readonly shortCapacity: number;
  /** Leaves of the largest batch, which takes longer. */
  readonly longCapacity: number;
  /** Leaves that may wait while a batch is made. */
  readonly waitingMax: number;
  /** Default: a batch begins as soon as the one before it is made. */
  readonly pace?: BatchPace;
  /** Waits for the turn in which a batch is made. Default: it is made at once. */
  readonly inTurn?: <T>(make: () => Promise<T>) => Promise<T>;
}

/** How a batch comes about: one is made at any time, and the one before it completed meanwhile. */
export interface BatchStages<Item, Made, Answer> {
  make(items: readonly Item[]): Promise<Made>;
  /** @returns answers in the order of the items */
  complete(made: Made): Promise<readonly Answer[]>;
}

interface Waiter<Item, Answer> {
  readonly item: Item;
  readonly leafCount: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** More short batches than this in a row would keep the last of them waiting longer than a long one. */
const SHORT_BATCHES_MAX = 2;

/**
 * Collects what is asked for at about the same time into batches. Whoever finds nothing at work does not wait for others;
 * what arrives while a batch is made goes into the next, so that batches grow with the load. A stage that rejects does so for
 * its batch alone.
 */
export class AuditBatcher<Item, Made, Answer> {
  private readonly waiting: Waiter<Item, Answer>[] = [];
  private waitingLeaves = 0;
  private starting: NodeJS.Immediate | undefined;
  private pausing: NodeJS.Timeout | undefined;
  private isDraining = false;
  private making: Promise<void> | undefined;
  private completing: Promise<void> | undefined;

  constructor(
    private readonly options: BatcherOptions,
    private readonly stages: BatchStages<Item, Made, Answer>,
  ) {}

  /**
   * @param leafCount leaves that the item takes, at most the larger capacity
   * @throws ProblemError OVERLOADED when no more may wait
   */
  add(item: Item, leafCount: number): Promise<Answer> {
    if (this.waitingLeaves + leafCount > this.options.waitingMax) {
      throw problem('OVERLOADED', `${this.waitingLeaves} audits wait to be proved`, { retryAfterSeconds: 1 });
    }
    const answer = new Promise<Answer>((resolve, reject) => {
      this.waiting.push({ item, leafCount, resolve, reject });
    });
    this.waitingLeaves += leafCount;
    // Not before what has arrived together has been read.
    if (!this.making) this.starting ??= setImmediate(() => this.begin());
    return answer;
  }

  /** Resolves when nothing waits and nothing is at work; what waits for its pace goes at once. */
  async drain(): Promise<void> {
    this.isDraining = true;
    this.begin();
    while (this.making ?? this.completing) await (this.making ?? this.completing);
    this.isDraining = false;
  }

  private begin(): void {
    clearImmediate(this.starting);
    this.starting = undefined;
    clearTimeout(this.pausing);
    if (this.making || this.waiting.length === 0) return;
    const { pace } = this.options;
    const waitMs = this.isDraining ? 0 : (pace?.waitMs(performance.now()) ?? 0);
    if (waitMs > 0) {
      this.pausing = setTimeout(() => this.begin(), Math.ceil(waitMs));
      return;
    }
    pace?.begun(performance.now());
    this.making = this.runBatch().finally(() => {
      this.making = undefined;
      this.begin();
    });
  }

  /** In the order of arrival, so that nobody is passed over for ever. */
  private takeBatch(): Waiter<Item, Answer>[] {
    const { shortCapacity, longCapacity } = this.options;
    const isShort =
      this.waitingLeaves <= SHORT_BATCHES_MAX * shortCapacity && this.waiting[0].leafCount <= shortCapacity;
    const capacity = isShort ? shortCapacity : longCapacity;
    let leafCount = 0;
    let count = 0;
    for (const waiter of this.waiting) {
      if (leafCount + waiter.leafCount > capacity) break;
      leafCount += waiter.leafCount;
      count++;
    }
    this.waitingLeaves -= leafCount;
    return this.waiting.splice(0, count);
  }

  /**
   * Makes a batch, of all that has come until its turn, and hands it on when the one before it has been completed: so no more than
   * two are at work.
   */
  private async runBatch(): Promise<void> {
    const { inTurn = make => make() } = this.options;
    let batch: readonly Waiter<Item, Answer>[] = [];
    const fail = (error: unknown) => {
      for (const waiter of batch) waiter.reject(error);
    };
    try {
      const made = await inTurn(() => {
        batch = this.takeBatch();
        return this.stages.make(batch.map(({ item }) => item));
      });
      await this.completing;
      const completing = this.stages
        .complete(made)
        .then(answers => batch.forEach((waiter, i) => waiter.resolve(answers[i])), fail)
        .finally(() => {
          if (this.completing === completing) this.completing = undefined;
        });
      this.completing = completing;
    } catch (error) {
      fail(error);
    }
  }
}
