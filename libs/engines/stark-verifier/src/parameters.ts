import { queriesForSecurity } from './security.js';

/** The numbers a proof is made under; everything else is fixed by the profile. */
export interface ProofParameters {
  /** Rows of the trace, a power of two, 64 … 2^20. */
  readonly traceLength: number;
  /** Inverse of the code's rate: 2, 4, 8, 16 or 32. */
  readonly blowupFactor: number;
  /** 1 … 512. */
  readonly queryCount: number;
  /** 0 … 32. */
  readonly grindingBits: number;
}

export const TRACE_LENGTH_MIN = 64;
export const TRACE_LENGTH_MAX = 2 ** 20;
export const BLOWUP_FACTORS: readonly number[] = [2, 4, 8, 16, 32];
export const QUERY_COUNT_MAX = 512;
export const GRINDING_BITS_MAX = 32;

/** A level of security by name: queries follow from the blowup factor, the rest is fixed. */
export interface ParameterSet {
  readonly id: string;
  readonly grindingBits: number;
  /** Queries by blowup factor; a factor that is not listed is not offered. */
  readonly queryCounts: Readonly<Record<number, number>>;
}

export type ParameterSetId = 'P100' | 'P128';

/** The published sets: proven security of at least 100 and 128 bits for traces of up to 2^20 rows. */
export const PARAMETER_SETS: Readonly<Record<ParameterSetId, ParameterSet>> = {
  P100: parameterSet('P100', 100, 16),
  P128: parameterSet('P128', 128, 20),
};

/** A parameter that no proof can be made under. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
  readonly code = 'invalid-parameters';

  constructor(
    readonly field: keyof ProofParameters | 'degree',
    bound: string,
    readonly got: number,
  ) {
    super(`${field} must be ${bound}, got ${got}`);
  }
}

/**
 * The parameters that a set prescribes.
 * @throws ParameterError if the trace length or the blowup factor is out of range
 */
export function parametersOf(set: ParameterSet, traceLength: number, blowupFactor: number): ProofParameters {
  const queryCount = set.queryCounts[blowupFactor];
  if (queryCount === undefined) {
    throw new ParameterError('blowupFactor', `one of ${BLOWUP_FACTORS.join(', ')}`, blowupFactor);
  }
  const parameters = { traceLength, blowupFactor, queryCount, grindingBits: set.grindingBits };
  checkParameters(parameters);
  return parameters;
}

/** @throws ParameterError naming the first parameter that is out of range */
export function checkParameters({
  traceLength,
  blowupFactor,
  queryCount,
  grindingBits,
}: ProofParameters): void {
  if (
    !isBetween(traceLength, TRACE_LENGTH_MIN, TRACE_LENGTH_MAX) ||
    !Number.isInteger(Math.log2(traceLength))
  ) {
    throw new ParameterError(
      'traceLength',
      `a power of two from ${TRACE_LENGTH_MIN} to ${TRACE_LENGTH_MAX}`,
      traceLength,
    );
  }
  if (!BLOWUP_FACTORS.includes(blowupFactor)) {
    throw new ParameterError('blowupFactor', `one of ${BLOWUP_FACTORS.join(', ')}`, blowupFactor);
  }
  if (!isBetween(queryCount, 1, QUERY_COUNT_MAX)) {
    throw new ParameterError('queryCount', `an integer from 1 to ${QUERY_COUNT_MAX}`, queryCount);
  }
  if (!isBetween(grindingBits, 0, GRINDING_BITS_MAX)) {
    throw new ParameterError('grindingBits', `an integer from 0 to ${GRINDING_BITS_MAX}`, grindingBits);
  }
}

function isBetween(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function parameterSet(id: string, targetBits: number, grindingBits: number): ParameterSet {
  const queryCounts = BLOWUP_FACTORS.map(blowup => [
    blowup,
    queriesForSecurity(targetBits, blowup, grindingBits),
  ]);
  return { id, grindingBits, queryCounts: Object.fromEntries(queryCounts) };
}
