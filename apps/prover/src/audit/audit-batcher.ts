import { FairQueue, problem, queueTurn } from '@svc/platform';

export interface BatcherOptions {
  /** Leaves of a batch that is soon made. */
  readonly shortCapacity: number;
  /** Leaves of the largest batch, which takes longer. */
  readonly longCapacity: number;
  /** Answers that share one leaf of a batch. Default: 0, every answer has leaves of its own. */
  readonly innerCapacity?: number;
  /** Leaves and answers within one of one caller that may wait while a batch is made, where no other's do; of all, twice as many. */
  readonly waitingMax: number;
  /** Waits for the turn in which a batch is made. Default: it is made at once. */
  readonly inTurn?: <T>(make: () => Promise<T>) => Promise<T>;
}

/** How a batch comes about: one is made at any time, and the one before it completed meanwhile. */
export interface BatchStages<Item, Made, Answer> {
  make(items: readonly Item[]): Promise<Made>;
  /** @returns answers in the order of the items */
  complete(made: Made): Promise<readonly Answer[]>;
}

/** What an item takes of a batch: leaves of its own, and places within the one leaf that answers share. */
export interface ItemSize {
  readonly leaves: number;
  readonly inner: number;
}

/** Leaves that so much takes together. */
export const leavesOf = ({ leaves, inner }: ItemSize): number => leaves + Math.min(inner, 1);

interface Waiter<Item, Answer> {
  readonly item: Item;
  readonly size: ItemSize;
  readonly subject: string;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

const NOTHING: ItemSize = { leaves: 0, inner: 0 };
const placesOf = ({ leaves, inner }: ItemSize): number => leaves + inner;
const sum = (one: ItemSize, other: ItemSize): ItemSize => ({
  leaves: one.leaves + other.leaves,
  inner: one.inner + other.inner,
});

/** More short batches than this in a row would keep the last of them waiting longer than a long one. */
const SHORT_BATCHES_MAX = 2;

/**
 * Collects what is asked for at about the same time into batches. Whoever finds nothing at work does not wait for others;
 * what arrives while a batch is made goes into the next, so that batches grow with the load. Callers take turns at the places of a
 * batch, as {@link queueTurn} tells them apart, and each may have as many leaves waiting as are free. A stage that rejects does so
 * for its batch alone.
 */
export class AuditBatcher<Item, Made, Answer> {
  private readonly waiting: FairQueue<Waiter<Item, Answer>>;
  /** Whose turn it was when the batch had no place for it: the first of the next one. */
  private leftOver: Waiter<Item, Answer> | undefined;
  private waits: ItemSize = NOTHING;
  private readonly waitingOf = new Map<string, number>();
  private starting: NodeJS.Immediate | undefined;
  private making: Promise<void> | undefined;
  private completing: Promise<void> | undefined;

  constructor(
    private readonly options: BatcherOptions,
    private readonly stages: BatchStages<Item, Made, Answer>,
  ) {
    // What may wait is bounded by its leaves, here.
    this.waiting = new FairQueue(Infinity);
  }

  /**
   * @param size what the item takes, at most what the larger batch has
   * @throws ProblemError OVERLOADED when no more may wait
   */
  add(item: Item, size: ItemSize): Promise<Answer> {
    const turn = queueTurn();
    const { subject } = turn;
    const own = this.waitingOf.get(subject) ?? 0;
    const waiting = placesOf(this.waits);
    if (own + waiting + placesOf(size) > 2 * this.options.waitingMax) {
      throw problem('OVERLOADED', `${waiting} audits wait to be proved`, { retryAfterSeconds: 1 });
    }
    const answer = new Promise<Answer>((resolve, reject) => {
      this.waiting.push({ item, size, subject, resolve, reject }, turn);
    });
    this.waits = sum(this.waits, size);
    this.waitingOf.set(subject, own + placesOf(size));
    // Not before what has arrived together has been read.
    if (!this.making) this.starting ??= setImmediate(() => this.begin());
    return answer;
  }

  /** Resolves when nothing waits and nothing is at work. */
  async drain(): Promise<void> {
    this.begin();
    while (this.making ?? this.completing) await (this.making ?? this.completing);
  }

  private begin(): void {
    clearImmediate(this.starting);
    this.starting = undefined;
    if (this.making || placesOf(this.waits) === 0) return;
    this.making = this.runBatch().finally(() => {
      this.making = undefined;
      this.begin();
    });
  }

  /** Those whose turn it is, as many as have a place; what has none goes first into the next batch, so that nobody is passed over. */
  private takeBatch(): Waiter<Item, Answer>[] {
    const { shortCapacity, longCapacity, innerCapacity = 0 } = this.options;
    const waiting = leavesOf(this.waits);
    const batch: Waiter<Item, Answer>[] = [];
    let [room, next] = [0, this.leftOver ?? this.waiting.shift()];
    if (next) {
      const isShort = waiting <= SHORT_BATCHES_MAX * shortCapacity && leavesOf(next.size) <= shortCapacity;
      room = isShort ? shortCapacity : longCapacity;
    }
    let taken = NOTHING;
    for (; next; next = this.waiting.shift()) {
      const size = sum(taken, next.size);
      if (leavesOf(size) > room || size.inner > innerCapacity) break;
      taken = size;
      batch.push(next);
      this.countTaken(next);
    }
    this.leftOver = next;
    return batch;
  }

  private countTaken({ subject, size: { leaves, inner } }: Waiter<Item, Answer>): void {
    this.waits = sum(this.waits, { leaves: -leaves, inner: -inner });
    const left = this.waitingOf.get(subject)! - leaves - inner;
    if (left > 0) this.waitingOf.set(subject, left);
    else this.waitingOf.delete(subject);
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
