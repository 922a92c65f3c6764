/** Digits after the point of every figure that a verdict compares. */
export const FIGURE_DECIMALS = 4;
/** What is off by more than this is off beyond all measure. */
const FIGURE_MAGNITUDE_MAX = 1e9;

/**
 * A figure as rules compare it. Verdicts are made of these and of nothing finer, so that the rule that is proved and the verdict
 * never part at a bound.
 */
export function roundToRule(value: number): number {
  return Number(figureText(value));
}

/** The same as decimal text, `-12.5`. */
export function figureText(value: number): string {
  const bounded = Math.max(-FIGURE_MAGNITUDE_MAX, Math.min(FIGURE_MAGNITUDE_MAX, value));
  const text = bounded.toFixed(FIGURE_DECIMALS).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}
