import { multiplicativeChunkCount } from './chunk-count.js';
import type { ProfileName } from './profile-facts.js';
import { provenBits, refutedQueryBits, type SecurityModel, uniqueDecodingBits } from './security.js';
import { leastTraceLength, TRACE_LENGTH_MAX } from './trace-length.js';

/** What the queries of a parameter set are to reach. */
export interface SecurityTarget {
  readonly bits: number;
  /**
   * `proven`: proven security for every trace length and AIRs of up to 64 columns and 256 constraints.
   * `provenReference`: proven security of the reference statement alone: 2^16 rows, 25 columns, 47 constraints of degree 3.
   * `uniqueDecodingQueries`: the query round alone, where the field and not the queries bounds longer or wider statements.
   * `refutedQueries`: the same by a conjecture that no longer stands; what it gives is less by some bits.
   */
  readonly figure: 'proven' | 'provenReference' | 'uniqueDecodingQueries' | 'refutedQueries';
}

const REFERENCE = { columnCount: 25, chunkCount: 2, constraintCount: 47, constraintDegree: 3 };
const REFERENCE_LENGTH = 65_536;
const WIDE = { columnCount: 64, constraintCount: 256, constraintDegree: 3 };

/**
 * The least number of queries that reaches a target.
 * @throws RangeError if no number of queries does, since another round falls short
 */
export function queriesForSecurity(
  profile: ProfileName,
  blowupFactor: number,
  grindingBits: number,
  { bits, figure }: SecurityTarget,
): number {
  const reaches = (queryCount: number) => {
    const base = { profile, blowupFactor, queryCount, grindingBits };
    const reference: SecurityModel = {
      ...base,
      ...REFERENCE,
      traceLength: REFERENCE_LENGTH,
      zeroKnowledge: false,
    };
    switch (figure) {
      case 'refutedQueries':
        return refutedQueryBits(reference) >= bits;
      case 'uniqueDecodingQueries':
        return uniqueDecodingBits(reference).query >= bits;
      case 'provenReference':
        return provenBits(reference) >= bits;
      case 'proven':
        return widestStatements(base).every(model => provenBits(model) >= bits);
    }
  };
  // A query is worth at most log2 of the blowup factor, and at least a fifth of a bit.
  let [tooFew, enough] = [0, Math.ceil(bits / 0.2)];
  if (!reaches(enough)) throw new RangeError(`no number of queries over ${profile} reaches ${bits} bits`);
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1;
    if (reaches(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

// The shortest and the longest traces, with and without masks: every other statement lies between. (Only P100 and P128 are
// held to so much, so the domain is multiplicative.)
function widestStatements(
  base: Pick<SecurityModel, 'profile' | 'blowupFactor' | 'queryCount' | 'grindingBits'>,
): SecurityModel[] {
  return [false, true].flatMap(zeroKnowledge =>
    [leastTraceLength({ ...base, zeroKnowledge }), TRACE_LENGTH_MAX].map(traceLength => {
      const parameters = { ...base, zeroKnowledge, traceLength };
      return { ...parameters, ...WIDE, chunkCount: multiplicativeChunkCount(WIDE, parameters) };
    }),
  );
}
