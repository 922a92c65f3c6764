import { problem } from '@svc/platform';

export interface BatcherOptions {
  /** Leaves of one batch. */
  readonly capacity: number;
  /** How long the first of a batch waits for others, milliseconds. */
  readonly windowMs: number;
  /** Leaves that may wait while a batch is proved. */
  readonly waitingMax: number;
}

interface Waiter<Item, Answer> {
  readonly item: Item;
  readonly leafCount: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Collects what is asked for at about the same time into batches, one batch at work at any time. The first of a batch waits
 * a short window for others; what arrives while a batch is at work goes into the next, which begins at once, so that batches
 * grow with the load up to their capacity.
 */
export class AuditBatcher<Item, Answer> {
  private readonly waiting: Waiter<Item, Answer>[] = [];
  private waitingLeaves = 0;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;

  /** @param work answers in the order of its items, or rejects for all of them */
  constructor(
    private readonly options: BatcherOptions,
    private readonly work: (items: readonly Item[]) => Promise<readonly Answer[]>,
  ) {}

  /**
   * @param leafCount leaves that the item takes, at most the capacity
   * @throws ProblemError OVERLOADED when no more may wait
   */
  add(item: Item, leafCount: number): Promise<Answer> {
    const { waitingMax, capacity, windowMs } = this.options;
    if (this.waitingLeaves + leafCount > waitingMax) {
      throw problem('OVERLOADED', `${this.waitingLeaves} audits wait to be proved`, { retryAfterSeconds: 1 });
    }
    const answer = new Promise<Answer>((resolve, reject) => {
      this.waiting.push({ item, leafCount, resolve, reject });
    });
    this.waitingLeaves += leafCount;
    if (!this.working && this.waitingLeaves >= capacity) this.begin();
    else if (!this.working) this.timer ??= setTimeout(() => this.begin(), windowMs);
    return answer;
  }

  /** Resolves when nothing waits and nothing is at work. */
  async drain(): Promise<void> {
    if (!this.working && this.waiting.length > 0) this.begin();
    while (this.working) await this.working;
  }

  private begin(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.working || this.waiting.length === 0) return;
    this.working = this.runBatch(this.takeBatch()).finally(() => {
      this.working = undefined;
      this.begin();
    });
  }

  /** In the order of arrival, so that nobody is passed over for ever. */
  private takeBatch(): Waiter<Item, Answer>[] {
    let leafCount = 0;
    let count = 0;
    for (const waiter of this.waiting) {
      if (leafCount + waiter.leafCount > this.options.capacity) break;
      leafCount += waiter.leafCount;
      count++;
    }
    this.waitingLeaves -= leafCount;
    return this.waiting.splice(0, count);
  }

  private async runBatch(batch: readonly Waiter<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.work(batch.map(({ item }) => item));
      batch.forEach((waiter, i) => waiter.resolve(answers[i]));
    } catch (error) {
      for (const waiter of batch) waiter.reject(error);
    }
  }
}
