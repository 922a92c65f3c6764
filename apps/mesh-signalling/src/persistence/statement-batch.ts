import { Batch } from '@svc/platform';

/** What became of one call. */
type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

export interface StatementBatchOptions<Item> {
  /** Calls of one statement. */
  readonly sizeMax: number;
  /** What no two calls of one statement may have in common: the later one has to see what the earlier has done. */
  readonly apart?: (item: Item) => readonly string[];
}

/** How often a statement may run when Postgres asks to repeat it: serialization failure, deadlock. */
const TRIES_MAX = 5;
const REPEATABLE: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * Calls that come together are one statement, so one trip to the database and one flush of its log, and each gets its own
 * result, as if they had come one after the other in their order. What Postgres refuses for one of them it refuses for the
 * whole statement, of which nothing is written then: each is asked again alone, so that a call fails for its own fault only.
 *
 * @example
 * const finds = new StatementBatch<string, Row | undefined>(ids => findAll(ids), { sizeMax: 64 });
 * const row = await finds.add(id);
 */
export class StatementBatch<Item, Result> {
  private readonly batch: Batch<Item, Outcome<Result>>;

  /** @param run one statement, which commits by itself; gives each item's result, in the order of the items */
  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly options: StatementBatchOptions<Item>,
  ) {
    this.batch = new Batch(items => this.runAll(items), options);
  }

  /** The item's result. @throws what its statement is refused for; what was lost on the way is not asked again */
  async add(item: Item): Promise<Result> {
    const outcome = await this.batch.add(item);
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  }

  private async runAll(items: readonly Item[]): Promise<Outcome<Result>[]> {
    const outcomes: Outcome<Result>[] = [];
    for (const part of this.parts(items)) outcomes.push(...(await this.runPart(part)));
    return outcomes;
  }

  /** The items in their order, cut before each that has something in common with one before it. */
  private parts(items: readonly Item[]): (readonly Item[])[] {
    const { apart } = this.options;
    if (!apart || items.length === 1) return [items];
    const parts: Item[][] = [[]];
    let seen = new Set<string>();
    for (const item of items) {
      const names = apart(item);
      if (names.some(name => seen.has(name))) {
        parts.push([]);
        seen = new Set();
      }
      for (const name of names) seen.add(name);
      parts.at(-1)!.push(item);
    }
    return parts;
  }

  private async runPart(items: readonly Item[]): Promise<Outcome<Result>[]> {
    try {
      const results = await this.repeated(items);
      if (results.length !== items.length)
        throw new RangeError(`a statement of ${items.length} calls gave ${results.length} results`);
      return results.map(result => ({ result }));
    } catch (error) {
      if (items.length === 1 || sqlStateOf(error) === undefined) return items.map(() => ({ error }));
      const outcomes: Outcome<Result>[] = [];
      for (const item of items) outcomes.push(...(await this.runPart([item])));
      return outcomes;
    }
  }

  private async repeated(items: readonly Item[]): Promise<readonly Result[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.run(items);
      } catch (error) {
        if (tries >= TRIES_MAX || !REPEATABLE.has(sqlStateOf(error) ?? '')) throw error;
      }
    }
  }
}

/** Of what the database has answered with: nothing of the statement is written then. What the system says (`EPIPE`) has no digit. */
function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { driverError?: { code?: unknown } } | null)?.driverError?.code;
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
