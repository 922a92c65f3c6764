import type { ProofParameters } from './proof-parameters.js';
import type { ProfileName } from './profile-facts.js';
import { queriesForSecurity, type SecurityTarget } from './query-count.js';
import { leastTraceLength, TRACE_LENGTH_MAX } from './trace-length.js';

export const BLOWUP_FACTORS: readonly number[] = [2, 4, 8, 16, 32];
export const QUERY_COUNT_MAX = 512;
export const GRINDING_BITS_MAX = 32;

/** A level of security by name: queries follow from the blowup factor, the rest is fixed. */
export interface ParameterSet {
  readonly id: string;
  readonly profile: ProfileName;
  readonly grindingBits: number;
  /** Queries by blowup factor; a factor that is not listed is not offered. */
  readonly queryCounts: Readonly<Record<number, number>>;
}

export type ParameterSetId = 'conjectured96' | 'P100' | 'P128' | 'udr100' | 'm31' | 'm31-fast';

/** The published sets (docs/stark-format.md, section 2). */
export const PARAMETER_SETS: Readonly<Record<ParameterSetId, ParameterSet>> = {
  conjectured96: parameterSet('conjectured96', 'gl2', 16, { figure: 'refutedQueries', bits: 96 }),
  P100: parameterSet('P100', 'gl3', 16, { figure: 'proven', bits: 100 }),
  P128: parameterSet('P128', 'gl3', 20, { figure: 'proven', bits: 128 }),
  udr100: parameterSet('udr100', 'gl2', 20, { figure: 'uniqueDecodingQueries', bits: 103 }),
  m31: parameterSet('m31', 'm31', 16, { figure: 'provenReference', bits: 85 }),
  'm31-fast': parameterSet('m31-fast', 'm31', 16, { figure: 'provenReference', bits: 60 }),
};

/** The parameters that provers are compared at: 42 queries and 16 bits of grinding over the quadratic extension. */
export const COMPARISON_SET: ParameterSet = {
  id: 'comparison',
  profile: 'gl2',
  grindingBits: 16,
  queryCounts: { 8: 42 },
};

/** A parameter that no proof can be made under. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
  readonly code = 'invalid-parameters';

  constructor(
    readonly field: keyof ProofParameters | 'degree' | 'parameterSet' | 'rows',
    readonly bound: string,
    readonly got: number | boolean | string,
  ) {
    super(`${field} must be ${bound}, got ${got}`);
  }
}

/**
 * The parameters that a set prescribes.
 * @throws ParameterError if the trace length or the blowup factor is out of range
 */
export function parametersOf(
  set: ParameterSet,
  traceLength: number,
  blowupFactor: number,
  zeroKnowledge = false,
): ProofParameters {
  const parameters = { ...setParameters(set, blowupFactor, zeroKnowledge), traceLength };
  checkParameters(parameters);
  return parameters;
}

/**
 * What a set prescribes before the trace length is known, which follows from it (`traceLengthFor`).
 * @throws ParameterError if the set does not offer the blowup factor
 */
export function setParameters(
  set: ParameterSet,
  blowupFactor: number,
  zeroKnowledge: boolean,
): Omit<ProofParameters, 'traceLength'> {
  const queryCount = set.queryCounts[blowupFactor];
  if (queryCount === undefined) {
    const offered = Object.keys(set.queryCounts).join(', ');
    throw new ParameterError('blowupFactor', `one of ${offered}`, blowupFactor);
  }
  const { profile, grindingBits } = set;
  return { profile, blowupFactor, queryCount, grindingBits, zeroKnowledge };
}

/** @throws ParameterError naming the first parameter that is out of range */
export function checkParameters(parameters: ProofParameters): void {
  const { traceLength, blowupFactor, queryCount, grindingBits } = parameters;
  if (!BLOWUP_FACTORS.includes(blowupFactor)) {
    throw new ParameterError('blowupFactor', `one of ${BLOWUP_FACTORS.join(', ')}`, blowupFactor);
  }
  if (!isBetween(queryCount, 1, QUERY_COUNT_MAX)) {
    throw new ParameterError('queryCount', `an integer from 1 to ${QUERY_COUNT_MAX}`, queryCount);
  }
  if (!isBetween(grindingBits, 0, GRINDING_BITS_MAX)) {
    throw new ParameterError('grindingBits', `an integer from 0 to ${GRINDING_BITS_MAX}`, grindingBits);
  }
  const least = leastTraceLength(parameters);
  if (!isBetween(traceLength, least, TRACE_LENGTH_MAX) || !Number.isInteger(Math.log2(traceLength))) {
    throw new ParameterError(
      'traceLength',
      `a power of two from ${least} to ${TRACE_LENGTH_MAX}`,
      traceLength,
    );
  }
}

function isBetween(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function parameterSet(
  id: string,
  profile: ProfileName,
  grindingBits: number,
  target: SecurityTarget,
): ParameterSet {
  const queryCounts = BLOWUP_FACTORS.map(blowup => [
    blowup,
    queriesForSecurity(profile, blowup, grindingBits, target),
  ]);
  return { id, profile, grindingBits, queryCounts: Object.fromEntries(queryCounts) };
}
