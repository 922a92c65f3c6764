/**
 * What was worked out lately, by what it was worked out from: one call asks for the same file twice or thrice, before the price is
 * named, before it is paid, and for the answer. Whoever asks while it is under way waits for the same result.
 *
 * @example
 * const heard = new KeptResults<Heard>(8);
 * heard.get(digest, () => listen(file)); // listens once, however often it is asked
 */
export class KeptResults<Result> {
  private readonly kept = new Map<string, Promise<Result>>();

  /** @param keptMax of them; those that were asked for longest ago go first */
  constructor(private readonly keptMax: number) {}

  /** @param make asked where nothing is kept; what it throws is not kept: too many waiting now may be few in a second */
  get(key: string, make: () => Promise<Result>): Promise<Result> {
    const result = this.kept.get(key) ?? make();
    this.kept.delete(key);
    this.kept.set(key, result);
    result.catch(() => this.kept.get(key) === result && this.kept.delete(key));
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.keptMax) break;
      this.kept.delete(oldest);
    }
    return result;
  }
}
