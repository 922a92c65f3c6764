import type { ProofParameters } from './proof-parameters.js';
import { FOLDING_FACTOR, PROFILE_FACTS } from './profile-facts.js';

export const TRACE_LENGTH_MIN = 64;
export const TRACE_LENGTH_MAX = 2 ** 20;
/** Least trace length of a proof in zero knowledge. */
export const MASKED_TRACE_LENGTH_MIN = 2048;
/**
 * How often the masks must fit into a trace. Multiplicative: a chunk has N − t coefficients and hides the t masks of another
 * among them, so they are half of it at most. Circle: the masks of a chunk are what it has beyond 3N/4, with a margin.
 */
const MASKED_SHARE = {
  multiplicative: { times: 2, margin: 0 },
  circle: { times: 4, margin: 12 },
} as const;
/** A constraint looks at a row and the next. */
const OPENING_ROWS = 2;
const SPARE_ROWS = 16;

/** What the number of masking rows depends on. */
export type MaskingParameters = Pick<ProofParameters, 'profile' | 'queryCount' | 'zeroKnowledge'>;

/**
 * Rows t at the end of the trace that hold uniform elements, so that what a proof opens tells nothing of the rows before;
 * zero without zero knowledge.
 *
 * A column is opened at the 8 points of each queried coset and at z and h·z, each worth e base elements. The composition,
 * opened at the same 8 points, tells of the column at the next row too, at h·x: in all 16q + 2e linear functionals, which
 * as many masks make uniform. On the circle FRI shows one more, the highest coefficient, which the random polynomial does not
 * reach. Of the 16 rows beyond, one is for that; the others are to spare.
 */
export function maskingRowCount({ profile, queryCount, zeroKnowledge }: MaskingParameters): number {
  const { extensionDegree } = PROFILE_FACTS[profile];
  return zeroKnowledge ? OPENING_ROWS * (FOLDING_FACTOR * queryCount + extensionDegree) + SPARE_ROWS : 0;
}

/** Rows U that the statement may use: the trace's, less the masking rows. */
export function usableRowCount(parameters: MaskingParameters & Pick<ProofParameters, 'traceLength'>): number {
  return parameters.traceLength - maskingRowCount(parameters);
}

/** Least trace length of any statement, a power of two: 64, or what holds the masks. */
export function leastTraceLength(parameters: MaskingParameters): number {
  if (!parameters.zeroKnowledge) return TRACE_LENGTH_MIN;
  const { times, margin } = MASKED_SHARE[PROFILE_FACTS[parameters.profile].domain];
  let length = MASKED_TRACE_LENGTH_MIN;
  while (length < times * maskingRowCount(parameters) + margin) length *= 2;
  return length;
}

/**
 * The trace length N that a statement of `rowsNeeded` rows is proved at: the least power of two whose usable rows hold it
 * and that is no less than `traceLengthMin`, the AIR's own. It may exceed `TRACE_LENGTH_MAX`: checkParameters refuses that.
 */
export function traceLengthFor(
  parameters: MaskingParameters,
  rowsNeeded: number,
  traceLengthMin: number = TRACE_LENGTH_MIN,
): number {
  const masks = maskingRowCount(parameters);
  let length = Math.max(leastTraceLength(parameters), traceLengthMin);
  while (length - masks < rowsNeeded) length *= 2;
  return length;
}
