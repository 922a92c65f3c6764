import { queueTurn } from './caller-turn.js';

interface Kept<Result> {
  readonly result: Promise<Result>;
  /** Who asked for it last. */
  readonly subject: string;
}

/**
 * What was worked out lately, by what it was worked out from: one call asks for the same file twice or thrice, before the price is
 * named, before it is paid, and for the answer. A call that asks while it is under way waits for the same result. Where there is no room,
 * the result goes that was asked for longest ago by the caller with the most: one with many files pushes no other's out.
 *
 * @example
 * const heard = new KeptResults<Heard>(8);
 * heard.get(digest, () => listen(file)); // listens once, however often it is asked
 */
export class KeptResults<Result> {
  /** Those that were asked for longest ago first. */
  private readonly kept = new Map<string, Kept<Result>>();

  /** @param keptMax of all callers together */
  constructor(private readonly keptMax: number) {}

  /** @param make asked where nothing is kept; what it throws is not kept: too many waiting now may be few in a second */
  get(key: string, make: () => Promise<Result>): Promise<Result> {
    const result = this.kept.get(key)?.result ?? make();
    this.kept.delete(key);
    this.kept.set(key, { result, subject: queueTurn().subject });
    result.catch(() => this.kept.get(key)?.result === result && this.kept.delete(key));
    if (this.kept.size > this.keptMax) this.kept.delete(this.oldestOfMost());
    return result;
  }

  private oldestOfMost(): string {
    const counts = new Map<string, number>();
    for (const { subject } of this.kept.values()) counts.set(subject, (counts.get(subject) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const [oldest] = [...this.kept].find(([, { subject }]) => counts.get(subject) === most)!;
    return oldest;
  }
}
