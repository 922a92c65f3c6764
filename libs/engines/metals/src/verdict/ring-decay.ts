/**
 * A struck piece is silent after a few seconds: a line that takes this long to 1/e of its amplitude, 14 s to a thousandth, is
 * a tone that somebody plays.
 */
export const DECAY_SECONDS_MAX = 2;

/** A line, or a mode, with what its decay was measured as. */
interface HeardDecay {
  readonly measuredHz: number | null;
  /** Quality factor π f τ; null where the decay could not be measured. */
  readonly q: number | null;
}

/** Whether something was heard to die away. */
export function diesAway({ measuredHz, q }: HeardDecay): boolean {
  return measuredHz !== null && q !== null && q <= Math.PI * measuredHz * DECAY_SECONDS_MAX;
}
