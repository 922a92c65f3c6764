/** What a call that sends something takes the event loop and its threads, milliseconds: of itself, and for each 8 KiB. */
const [CALL_MS, PART_MS] = [4, 1];
const PART_BYTES = 8_192;
/** Bytes of an answer that take a millisecond: to be written as text, to be copied, and to be sent. */
const SENT_BYTES_OF_MS = 16_384;
/** Calls that come at once go on at once as far as they take no more than this together, milliseconds. */
export const PROMPT_MS = 128;
/** Who would wait longer is refused, milliseconds: longer than the longest body takes. */
export const WAIT_MS_MAX = 10_000;

/** What a call takes by the bytes that it sends, milliseconds. */
export const paceOf = (bytes: number): number => CALL_MS + (PART_MS * bytes) / PART_BYTES;

/** What an answer takes by its bytes, milliseconds. */
export const paceOfAnswer = (bytes: number): number => bytes / SENT_BYTES_OF_MS;

/**
 * Spaces the calls of one caller by what they take (the generic cell rate algorithm, ITU-T I.371): what is allowed in ten
 * seconds does not come in the first of them, where it would be all that others wait for.
 */
export class Pace {
  /** When all that was begun of a caller has been done at its pace, milliseconds; who was late last is last. */
  private readonly ends = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @returns how long a call is to wait, milliseconds; undefined where that is too long, and nothing is counted */
  take(caller: string, takesMs: number): number | undefined {
    const nowMs = this.now();
    const waitMs = Math.max(0, this.beginsMs(caller, nowMs) - nowMs - PROMPT_MS);
    if (waitMs > WAIT_MS_MAX) return undefined;
    this.add(caller, takesMs);
    return waitMs;
  }

  /** Counts what a call turned out to take beside: the next ones wait for it. */
  add(caller: string, takesMs: number): void {
    const nowMs = this.now();
    const endsMs = this.beginsMs(caller, nowMs) + takesMs;
    this.ends.delete(caller);
    this.ends.set(caller, endsMs);
    this.forget(nowMs);
  }

  get size(): number {
    return this.ends.size;
  }

  private beginsMs(caller: string, nowMs: number): number {
    return Math.max(this.ends.get(caller) ?? 0, nowMs);
  }

  private forget(nowMs: number): void {
    for (const [caller, endsMs] of this.ends) {
      if (endsMs > nowMs) return;
      this.ends.delete(caller);
    }
  }
}
