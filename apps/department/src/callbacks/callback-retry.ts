const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits before the second try and each one after it, milliseconds: with their jitter less than a day in all. */
const WAITS_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  14 * HOUR_MS,
] as const;

/** Tries in all. */
export const CALLBACK_TRIES_MAX = WAITS_MS.length + 1;

/** A wait is that much longer or shorter than the table has it, so that many that failed together come apart. */
const JITTER = 0.1;

/**
 * Milliseconds until the next try, or undefined where there is none.
 * @param tries that there have been, at least 1
 * @param random from 0 to 1
 */
export function nextCallbackTryMs(tries: number, random: number): number | undefined {
  if (tries >= CALLBACK_TRIES_MAX) return undefined;
  return Math.round(WAITS_MS[tries - 1] * (1 - JITTER + 2 * JITTER * random));
}
