import type { MatchedMode } from './match-modes.js';

/**
 * A struck piece is silent after a few seconds: a line that takes this long to 1/e of its amplitude, 14 s to a thousandth, is
 * a tone that somebody plays.
 */
export const DECAY_SECONDS_MAX = 2;

/** Whether a mode was heard to die away. */
export function diesAway({ measuredHz, q }: Pick<MatchedMode, 'measuredHz' | 'q'>): boolean {
  return measuredHz !== null && q !== null && q <= Math.PI * measuredHz * DECAY_SECONDS_MAX;
}
