import { ProblemError } from '../problem-details/problem-error.js';

/** Whether the fault of a run may be that of one item: not where the database is away, or what it did is not known. */
export const isOfOneItem = (error: unknown): boolean =>
  !(error instanceof ProblemError && error.code === 'SERVICE_UNAVAILABLE');

/** Items of one run, where nothing else is said. */
const SIZE_MAX = 128;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Gathers calls into runs: one run is at work at a time, and what arrives meanwhile is the next one. A lone call waits
 * for nobody; under load many share one transaction, so one lock and one flush of the disk.
 *
 * @example
 * const deliveries = new Batch<Delivery, Date | undefined>(items => store.deliverAll(items), { sizeMax: 64 });
 * const deliveredAt = await deliveries.add({ claimId, attempt, response });
 */
export class Batch<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private running = false;

  /**
   * @param run gives each item's result, in the order of the items; where it rejects, every call of its run does
   * @param options.sizeMax items of one run
   * @param options.alone after which errors of a run of several each is run by itself, so that none fails with another: only where running
   *   again is harmless
   */
  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly options: {
      readonly sizeMax?: number;
      readonly alone?: (error: unknown) => boolean;
    } = {},
  ) {}

  /** The item's result, of the run that it came to be in. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.running) return;
      this.running = true;
      // Whatever else this turn of the event loop brings is in the first run too.
      setImmediate(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.answer(this.waiting.splice(0, this.options.sizeMax ?? SIZE_MAX));
    }
    this.running = false;
  }

  private async answer(taken: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(taken.map(({ item }) => item));
      if (results.length !== taken.length)
        throw new RangeError(`a run of ${taken.length} items gave ${results.length} results`);
      taken.forEach(({ resolve }, index) => resolve(results[index]));
    } catch (error) {
      if (taken.length > 1 && this.options.alone?.(error))
        await Promise.all(taken.map(one => this.answer([one])));
      else for (const { reject } of taken) reject(error);
    }
  }
}
