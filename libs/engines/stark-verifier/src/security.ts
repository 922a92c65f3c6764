/**
 * Soundness of a proof from its parameters, in the one place where it is computed.
 *
 * Sources: batched FRI by BCHKS25 (ePrint 2025/2055), Theorem 4.2 with the factor 2 in m = ⌈√ρ/(2η)⌉ that its authors
 * confirmed to be missing, up to the Johnson bound, and Theorem 1.3 in the unique-decoding regime; DEEP-ALI by
 * ePrint 2022/1216, Theorem 8; each round of the interaction is charged, and the figure is that of the weakest
 * (round-by-round soundness, hence Fiat–Shamir). Nothing here relies on a proximity gap beyond the Johnson bound, which
 * ePrint 2025/2046 and 2025/2010 disprove up to capacity.
 */

/** Everything that soundness depends on. */
export interface SecurityModel {
  readonly traceLength: number;
  readonly blowupFactor: number;
  readonly queryCount: number;
  readonly grindingBits: number;
  /** Trace columns W. */
  readonly columnCount: number;
  /** Composition chunks K. */
  readonly chunkCount: number;
  /** Transition and boundary constraints, combined by powers of one challenge. */
  readonly constraintCount: number;
  readonly constraintDegree: number;
}

export interface SecurityFigures {
  /** Proven soundness in bits, at most 128 (collisions of the 256-bit hash). */
  readonly securityBits: number;
  /** Soundness in bits if FRI were sound up to capacity as conjectured in ePrint 2021/582, section 5.10; not proven. */
  readonly conjecturedSecurityBits: number;
}

/** Errors of the rounds as −log2, for one choice of the proximity parameter. */
export interface RoundBits {
  readonly ali: number;
  readonly deep: number;
  readonly batching: number;
  /** One a fold. */
  readonly folds: readonly number[];
  readonly query: number;
}

export const HASH_COLLISION_BITS = 128;
export const FOLDING_FACTOR = 8;
export const FINAL_LENGTH_MAX = 32;

/** Each column is opened at z and at h·z. */
const OPENING_POINTS = 2;
/**
 * FRI tests quotients (f − f(z))/(x − z) for degree < N, so the columns are words of the code of dimension N + 1; the list
 * bound is that code's. (Quotients at two points agree with polynomials on one set, so a second point adds nothing.)
 */
const DIMENSION_SLACK = 1;
const EXTENSION_BITS = 3 * Math.log2(2 ** 64 - 2 ** 32 + 1);
// Any multiplicity of at least 3 gives a valid bound; steps of a tenth come within a hundredth of a bit of the best.
const MULTIPLICITIES: readonly number[] = multiplicities(3, 4096);

/** The proven and the conjectured security of a proof. */
export function securityOf(model: SecurityModel): SecurityFigures {
  let proven = weakest(uniqueDecodingBits(model));
  for (const multiplicity of MULTIPLICITIES) {
    const bits = johnsonBits(model, multiplicity);
    if (bits) proven = Math.max(proven, weakest(bits));
  }
  const { blowupFactor, queryCount, grindingBits } = model;
  const conjectured = Math.min(EXTENSION_BITS, queryCount * Math.log2(blowupFactor) + grindingBits) - 1;
  return {
    securityBits: Math.max(0, Math.floor(Math.min(HASH_COLLISION_BITS, proven))),
    conjecturedSecurityBits: Math.max(0, Math.floor(Math.min(HASH_COLLISION_BITS, conjectured))),
  };
}

/** The least error exponent of a round, which bounds the whole. */
export function weakest({ ali, deep, batching, folds, query }: RoundBits): number {
  return Math.min(ali, deep, batching, ...folds, query);
}

/** Rounds in the unique-decoding regime, θ = (1 − ρ⁺)/2, list size 1. */
export function uniqueDecodingBits(model: SecurityModel): RoundBits {
  const { traceLength, blowupFactor } = model;
  const extendedRate = (traceLength + DIMENSION_SLACK) / (traceLength * blowupFactor);
  const theta = (1 - extendedRate) / 2;
  const correlatedAgreement = (dimension: number) => theta * dimension * blowupFactor + 1;
  return roundBits(model, theta, 1, correlatedAgreement);
}

/**
 * Rounds up to the Johnson bound with multiplicity m: θ = 1 − √ρ·(1 + 1/(2m)). Undefined if the columns' own code, whose
 * dimension is larger by the opening points that are divided out, has no list bound at that radius.
 */
export function johnsonBits(model: SecurityModel, multiplicity: number): RoundBits | undefined {
  const { traceLength, blowupFactor } = model;
  const rate = 1 / blowupFactor;
  const sqrtRate = Math.sqrt(rate);
  const agreement = sqrtRate * (1 + 1 / (2 * multiplicity));
  const theta = 1 - agreement;
  const sqrtExtendedRate = Math.sqrt(((traceLength + DIMENSION_SLACK) / traceLength) * rate);
  const slack = agreement / sqrtExtendedRate - 1;
  if (slack <= 0 || theta <= 0) return undefined;
  const extendedMultiplicity = Math.ceil(1 / (2 * slack));
  const listSize = (extendedMultiplicity + 0.5) / sqrtExtendedRate;

  const shifted = multiplicity + 0.5;
  const correlatedAgreement = (dimension: number) => {
    const size = dimension * blowupFactor;
    const leading = ((2 * shifted ** 5 + 3 * shifted * theta * rate) * size) / (3 * rate * sqrtRate);
    return leading + shifted / sqrtRate;
  };
  return roundBits(model, theta, listSize, correlatedAgreement);
}

/** The least number of queries that proves `targetBits` for traces of 64 and of 2^20 rows of a wide degree-3 AIR. */
export function queriesForSecurity(targetBits: number, blowupFactor: number, grindingBits: number): number {
  const wide = { columnCount: 64, chunkCount: 2, constraintCount: 256, constraintDegree: 3 };
  // Up to the Johnson bound a query is worth at most half of log2 of the blowup, so the search starts there.
  let queryCount = Math.ceil((2 * (targetBits - grindingBits)) / Math.log2(blowupFactor));
  const reached = () =>
    [2 ** 6, 2 ** 20].every(
      traceLength =>
        securityOf({ traceLength, blowupFactor, queryCount, grindingBits, ...wide }).securityBits >=
        targetBits,
    );
  while (!reached()) queryCount++;
  return queryCount;
}

function multiplicities(min: number, max: number): number[] {
  const values: number[] = [];
  for (let m = min; m <= max; m = Math.ceil(m * 1.1)) values.push(m);
  return values;
}

function roundBits(
  model: SecurityModel,
  theta: number,
  listSize: number,
  correlatedAgreement: (dimension: number) => number,
): RoundBits {
  // Every field by name: one that is added to the model fails to compile here until it is charged.
  const {
    traceLength,
    blowupFactor: _alreadyInTheta,
    queryCount,
    grindingBits,
    columnCount,
    chunkCount,
    constraintCount,
    constraintDegree,
    ...rest
  } = model;
  rest satisfies Record<string, never>;

  const bits = (numerator: number) => EXTENSION_BITS - Math.log2(numerator);
  const batchedFunctions = OPENING_POINTS * columnCount + chunkCount;
  const folds: number[] = [];
  for (let dimension = traceLength; dimension > FINAL_LENGTH_MAX; dimension /= FOLDING_FACTOR) {
    folds.push(bits((FOLDING_FACTOR - 1) * correlatedAgreement(dimension / FOLDING_FACTOR)));
  }
  // The challenge z avoids the base field, hence both domains: 2^192 less 2^64 points, a difference far below a bit.
  const deepNumerator = constraintDegree * (traceLength + OPENING_POINTS - 1) + (traceLength - 1);
  return {
    ali: bits(listSize * constraintCount),
    deep: bits(listSize * deepNumerator),
    batching: bits((batchedFunctions - 1) * correlatedAgreement(traceLength)),
    folds,
    query: -queryCount * Math.log2(1 - theta) + grindingBits,
  };
}
