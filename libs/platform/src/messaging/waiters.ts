/** One question that is held open. */
export interface Wait<News = void> {
  /** Resolves when there may be an answer, with what is known of it by then, or after so long. */
  within(ms: number): Promise<News | undefined>;
  /** The question is answered: nothing of it is kept. */
  end(): void;
}

/**
 * Who waits in this process for the next news of one thing, as at a condition variable: whoever is woken looks again.
 *
 * @example
 * const wait = waiters.expect(); // before the look: what comes after it wakes the wait
 * try {
 *   if (!(await look())) await wait.within(1_000);
 * } finally {
 *   wait.end();
 * }
 */
export class Waiters<News = void> {
  private readonly wakes = new Set<(news?: News) => void>();

  /** How many wait. */
  get count(): number {
    return this.wakes.size;
  }

  /** Waits from now on: news that comes before {@link Wait.within} is asked is not missed. */
  expect(): Wait<News> {
    let wake: (news?: News) => void = () => undefined;
    const woken = new Promise<News | undefined>(resolve => (wake = resolve));
    this.wakes.add(wake);
    return {
      within: ms => {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<undefined>(resolve => (timer = setTimeout(() => resolve(undefined), ms)));
        return Promise.race([woken, late]).finally(() => clearTimeout(timer));
      },
      end: () => void this.wakes.delete(wake),
    };
  }

  /** Resolves at the next news, with what is known of it, or after so long. */
  next(withinMs: number): Promise<News | undefined> {
    const wait = this.expect();
    return wait.within(withinMs).finally(() => wait.end());
  }

  /** There may be news. @param news what they are, where that is known */
  wake(news?: News): void {
    for (const wake of this.wakes) wake(news);
  }
}
