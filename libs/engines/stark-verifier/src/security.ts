/**
 * Soundness of a proof from its parameters, in the one place where it is computed.
 *
 * Sources: batched FRI by BCHKS25 (ePrint 2025/2055), Theorem 4.2 with the factor 2 in m = ⌈√ρ/(2η)⌉ that its authors
 * confirmed to be missing, up to the Johnson bound, and Theorem 1.3 in the unique-decoding regime; DEEP-ALI by
 * ePrint 2022/1216, Theorem 8; each round of the interaction is charged, and the figure is that of the weakest
 * (round-by-round soundness, hence Fiat–Shamir). Challenges that are drawn with no message between them are one round, whose
 * errors add. The proven figure relies on no proximity gap beyond the Johnson bound.
 *
 * On the circle (ePrint 2024/278): a function of total degree N/2 is a polynomial of degree N in the stereographic
 * parameter over a factor that is the same for all, so circle codes are generalised Reed–Solomon codes, and lists and
 * correlated agreement are theirs; a function of the space L_N has at most N zeros.
 */
import { FINAL_LENGTH_MAX, FOLDING_FACTOR, PROFILE_FACTS, type ProfileName } from './profile-facts.js';
import { maskingRowCount } from './trace-length.js';

/** Everything that soundness depends on. */
export interface SecurityModel {
  readonly profile: ProfileName;
  readonly traceLength: number;
  readonly blowupFactor: number;
  readonly queryCount: number;
  readonly grindingBits: number;
  readonly zeroKnowledge: boolean;
  /** Trace columns W. */
  readonly columnCount: number;
  /** Composition chunks K, without the random polynomial of zero knowledge. */
  readonly chunkCount: number;
  /** Transition and boundary constraints, combined by powers of one challenge. */
  readonly constraintCount: number;
  readonly constraintDegree: number;
}

export interface SecurityFigures {
  /** Proven soundness in bits, at most 128 (collisions of the 256-bit hash). */
  readonly securityBits: number;
  /** A heuristic, which no proof supports: what the best attack that is known leaves, in bits; see `heuristicBits`. */
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

/** Each column is opened at z and at h·z. */
const OPENING_POINTS = 2;
/**
 * By how much the dimension of a code exceeds the trace length N: of the code that FRI tests, and of the one whose words the
 * columns then are.
 *
 * Multiplicative: FRI tests quotients (f − f(z))/(x − z) for degree < N, so f is a word of the code of dimension N + 1.
 * (Quotients at two points agree with polynomials on one set, so a second point adds nothing.) Circle: the space that FRI
 * tests has dimension N but no code of its own; it lies in L_N, of dimension N + 1. Quotients are by the line through z and
 * its conjugate, so f lies in L_(N+2), of dimension N + 3.
 */
const DIMENSION_SLACK = {
  multiplicative: { tested: 0, columns: 1 },
  circle: { tested: 1, columns: 3 },
} as const;
/** Coefficients of the composition over K·N that a circle proof holds in clear, and then some. */
const CIRCLE_OVERFLOW_MAX = 16;
const MULTIPLICITY_MIN = 3;
const MULTIPLICITY_MAX = 4096;

/** The proven and the conjectured security of a proof. */
export function securityOf(model: SecurityModel): SecurityFigures {
  const proven = provenBits(model);
  return {
    securityBits: wholeBits(proven),
    conjecturedSecurityBits: wholeBits(Math.max(proven, weakest(heuristicBits(model)))),
  };
}

/**
 * The proven error exponent, not rounded: the better of unique decoding and of the best multiplicity. A larger one lets
 * a query count for more and every other round for less, so the best lies where the two meet.
 */
export function provenBits(model: SecurityModel): number {
  let [below, above] = [MULTIPLICITY_MIN, MULTIPLICITY_MAX];
  while (above - below > 1) {
    const middle = (below + above) >> 1;
    const bits = johnsonBits(model, middle);
    if (bits && bits.query <= weakest(bits)) below = middle;
    else above = middle;
  }
  const regimes = [uniqueDecodingBits(model), johnsonBits(model, below), johnsonBits(model, above)];
  return Math.max(...regimes.map(bits => (bits ? weakest(bits) : 0)));
}

/**
 * The least error exponent of a round, which bounds the whole. γ and λ_0 are one verifier message, since layer 0 has no
 * commitment: the errors of batching and of the first fold add.
 */
export function weakest({ ali, deep, batching, folds: [firstFold, ...folds], query }: RoundBits): number {
  return Math.min(ali, deep, -Math.log2(2 ** -batching + 2 ** -firstFold), ...folds, query);
}

/** Rounds in the unique-decoding regime, θ = (1 − ρ⁺)/2, list size 1. */
export function uniqueDecodingBits(model: SecurityModel): RoundBits {
  const { traceLength, blowupFactor } = model;
  const domainSize = traceLength * blowupFactor;
  const extendedRate = (traceLength + slackOf(model).columns) / domainSize;
  const theta = (1 - extendedRate) / 2;
  const exceptional = (size: number) => theta * size + 1;
  return roundBits(model, theta, 1, exceptional(domainSize), exceptional);
}

/**
 * Rounds up to the Johnson bound with multiplicity m: θ = 1 − √ρ·(1 + 1/(2m)). Undefined if the longer code of the columns
 * has no list bound at that radius.
 */
export function johnsonBits(model: SecurityModel, multiplicity: number): RoundBits | undefined {
  const { traceLength, blowupFactor } = model;
  const slack = slackOf(model);
  const domainSize = traceLength * blowupFactor;
  const rate = (traceLength + slack.tested) / domainSize;
  const agreement = Math.sqrt(rate) * (1 + 1 / (2 * multiplicity));
  const theta = 1 - agreement;

  const columnRate = (traceLength + slack.columns) / domainSize;
  const margin = agreement / Math.sqrt(columnRate) - 1;
  if (margin <= 0 || theta <= 0) return undefined;
  const columnMultiplicity = Math.ceil(1 / (2 * margin));
  const listSize = (columnMultiplicity + 0.5) / Math.sqrt(columnRate);
  return roundBits(
    model,
    theta,
    listSize,
    johnsonExceptional(domainSize, rate, multiplicity, theta),
    // A folded code has the rate 1/β and is a Reed–Solomon code in every profile, decoded no further than m allows.
    size => johnsonExceptional(size, 1 / blowupFactor, multiplicity, theta),
  );
}

/**
 * Rounds by the random-words heuristic of ePrint 2025/2010, section 1.5: a query is passed with the share ρ + η of points that
 * a random word has in common with its nearest codeword, η = ρ·log2(e/ρ) / log2|E|. The query round has one bit less (ePrint
 * 2021/582, section 5.10); the list is one, and n challenges are exceptional for a combination.
 *
 * The conjecture that this replaces, η = 0, is refuted: random words are that close to the code, and beyond the list-decoding
 * capacity, where the |E|-ary entropy of θ is 1 − ρ, there are no proximity gaps, no correlated agreement and no short lists (ePrint
 * 2025/2010 and 2025/2046). That there is nothing worse than random words is not proven, and the authors advise to use proven
 * bounds.
 */
export function heuristicBits(model: SecurityModel): RoundBits {
  const { profile, traceLength, blowupFactor } = model;
  const rate = 1 / blowupFactor;
  const entropy = (rate * Math.log2(Math.E / rate)) / PROFILE_FACTS[profile].extensionBits;
  const rounds = roundBits(model, 1 - rate - entropy, 1, traceLength * blowupFactor, size => size);
  return { ...rounds, query: rounds.query - 1 };
}

/**
 * The query round by the refuted conjecture, log2 of the blowup factor for each query and one bit less: it says how many queries
 * the set has that was made by it, and how secure nothing is.
 */
export function refutedQueryBits({
  blowupFactor,
  queryCount,
  grindingBits,
}: Pick<SecurityModel, 'blowupFactor' | 'queryCount' | 'grindingBits'>): number {
  return queryCount * Math.log2(blowupFactor) + grindingBits - 1;
}

function wholeBits(bits: number): number {
  return Math.max(0, Math.floor(Math.min(HASH_COLLISION_BITS, bits)));
}

function slackOf({ profile }: SecurityModel): { tested: number; columns: number } {
  return DIMENSION_SLACK[PROFILE_FACTS[profile].domain];
}

// Challenges for which two words of `size` points may seem closer to the code together than they are: BCHKS25, Theorem 4.2.
function johnsonExceptional(size: number, rate: number, multiplicity: number, theta: number): number {
  const shifted = multiplicity + 0.5;
  const sqrtRate = Math.sqrt(rate);
  const leading = ((2 * shifted ** 5 + 3 * shifted * theta * rate) * size) / (3 * rate * sqrtRate);
  return leading + shifted / sqrtRate;
}

/**
 * @param batchingExceptional exceptional challenges of the first code, for a pair of words
 * @param foldExceptional those of a folded code on a domain of the given size
 */
function roundBits(
  model: SecurityModel,
  theta: number,
  listSize: number,
  batchingExceptional: number,
  foldExceptional: (domainSize: number) => number,
): RoundBits {
  // Every field by name: one that is added to the model fails to compile here until it is charged.
  const {
    profile,
    traceLength,
    blowupFactor,
    queryCount,
    grindingBits,
    zeroKnowledge,
    columnCount,
    chunkCount,
    constraintCount,
    constraintDegree: _inDeepDegree,
    ...rest
  } = model;
  rest satisfies Record<string, never>;
  const facts = PROFILE_FACTS[profile];
  const { name: _name, code: _code, base: _base, extensionDegree, extensionBits, domain, ...more } = facts;
  more satisfies Record<string, never>;

  const bits = (exceptional: number) => extensionBits - Math.log2(exceptional);
  // On the circle a column over the extension is its coordinates, each a column over the base field.
  const widthOfChunk = domain === 'circle' ? extensionDegree : 1;
  const extensionColumns = chunkCount + (zeroKnowledge ? 1 : 0);
  const batchedFunctions = OPENING_POINTS * columnCount + widthOfChunk * extensionColumns;
  const folds: number[] = [];
  let dimension = traceLength;
  do {
    dimension /= FOLDING_FACTOR;
    folds.push(bits((FOLDING_FACTOR - 1) * foldExceptional(dimension * blowupFactor)));
  } while (dimension > FINAL_LENGTH_MAX);
  return {
    ali: bits(listSize * constraintCount),
    // z avoids the base field (on the circle its points): a share of 2^−62 at most, a difference far below a bit.
    deep: bits(listSize * deepDegree(model)),
    batching: bits((batchedFunctions - 1) * batchingExceptional),
    folds,
    query: -queryCount * Math.log2(1 - theta) + grindingBits,
  };
}

/**
 * The most points z at which a composition that differs from the constraints' agrees with it: the degree of their
 * difference, denominators cleared.
 */
function deepDegree(model: SecurityModel): number {
  const { profile, traceLength, chunkCount, constraintDegree, zeroKnowledge } = model;
  const masks = maskingRowCount(model);
  if (PROFILE_FACTS[profile].domain === 'circle') {
    const { columns } = DIMENSION_SLACK.circle;
    // A function of L_k has at most k zeros. The exclusion is a tangent and lines through two masked rows each; chunks
    // are three quarters of the trace length apart under zero knowledge.
    const stride = zeroKnowledge ? (3 / 4) * traceLength : traceLength;
    const column = traceLength + columns - 1;
    const constraints = constraintDegree * column + (masks + 2) + traceLength;
    const committed = (chunkCount - 1) * stride + column + CIRCLE_OVERFLOW_MAX + traceLength;
    return Math.max(constraints, committed);
  }
  const theorem8 = constraintDegree * (traceLength + OPENING_POINTS - 1) + (traceLength - 1);
  // The exclusion polynomial adds a degree for each masking row; the chunks are a stride of N − t apart.
  const constraints = constraintDegree * traceLength + masks + 1;
  const committed = (chunkCount - 1) * (traceLength - masks) + 2 * traceLength;
  return Math.max(theorem8, constraints, committed);
}
