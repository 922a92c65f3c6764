/** How long a replica answers to its name at no look, before it is gone: a lost connection to the bus is back long before. */
const SILENT_MS = 8_000;
/** Between two looks, at most: what was so before says nothing of what was in between. */
const LOOKS_APART_MS = 15_000;

/** Replicas that did not answer to their names when they were asked, and since when. */
export class SilentReplicas {
  private readonly silent = new Map<string, { readonly sinceMs: number; readonly lookedMs: number }>();
  private readonly silentMs: number;

  /** @param presenceTtlMs where that is shorter it is long enough @param now a clock that never goes back, milliseconds */
  constructor(
    presenceTtlMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.silentMs = Math.min(SILENT_MS, presenceTtlMs);
  }

  heard(node: string): void {
    this.silent.delete(node);
  }

  /** It was not heard; returns whether it was not at any look for long enough. */
  unheard(node: string): boolean {
    const nowMs = this.now();
    for (const [each, { lookedMs }] of this.silent)
      if (nowMs - lookedMs > LOOKS_APART_MS) this.silent.delete(each);
    const sinceMs = this.silent.get(node)?.sinceMs ?? nowMs;
    this.silent.set(node, { sinceMs, lookedMs: nowMs });
    return nowMs - sinceMs >= this.silentMs;
  }
}
