import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@svc/kernels';
import { drawMaxCut, maxCut, type MaxCutProblem, totalWeight, weighCut } from './max-cut.js';
import { type AlgebraAnswer, type AlgebraProblem, checkAlgebra, drawAlgebra } from './modular-algebra.js';
import { RandomSource, SEED_BYTES, SeedLengthError } from './random-source.js';
import { drawSat, satisfiedClauses, type SatProblem } from './satisfiability.js';
import { progressPpm } from './score.js';
import { drawShortestPath, shortestPath, type ShortestPathProblem, weighPath } from './shortest-path.js';

export const FAMILIES = ['shortest-path', 'max-cut', 'sat', 'modular-algebra'] as const;
export type Family = (typeof FAMILIES)[number];
export const LEVEL_MAX = 10;

const COMMITMENT_TAG = new TextEncoder().encode('svc.arena/v1/commitment');

/** A problem with its family: `problem` is all that is needed to answer. */
export type ArenaProblem =
  | { readonly family: 'shortest-path'; readonly problem: ShortestPathProblem }
  | { readonly family: 'max-cut'; readonly problem: MaxCutProblem }
  | { readonly family: 'sat'; readonly problem: SatProblem }
  | { readonly family: 'modular-algebra'; readonly problem: AlgebraProblem };

/** What a seed makes: the problem, and what the best answer to it attains. */
export type DrawnChallenge = ArenaProblem & {
  readonly level: number;
  /** Weight of the lightest path, weight of the heaviest cut, clauses that can hold at once, 1. */
  readonly optimum: number;
};

/** Answers as they are graded. */
export type ArenaAnswer =
  | { readonly path: readonly number[] }
  | { readonly side: string }
  | { readonly assignment: string }
  | { readonly x: AlgebraAnswer };

/** What an answer is worth, time apart. */
export interface Verdict {
  /** Whether it is an answer to the problem at all: a path of its edges, a value in range. */
  readonly isValid: boolean;
  /** Why not, or what it attains. */
  readonly reason: string;
  readonly achieved: number | null;
  readonly correctness: 0 | 1;
  readonly optimalityPpm: number;
}

/** Level out of range. */
export class LevelError extends Error {
  readonly code = 'LEVEL_OUT_OF_RANGE';
  readonly max = LEVEL_MAX;
  constructor(readonly got: number) {
    super(`a level is a whole number from 1 to ${LEVEL_MAX}, not ${got}`);
    this.name = 'LevelError';
  }
}

/**
 * The challenge of a seed: always the same.
 * @throws LevelError, SeedLengthError
 * @example drawChallenge('sat', 3, seed).problem.clauses
 */
export function drawChallenge(family: Family, level: number, seed: Uint8Array): DrawnChallenge {
  if (!Number.isInteger(level) || level < 1 || level > LEVEL_MAX) throw new LevelError(level);
  const random = new RandomSource(seed);
  switch (family) {
    case 'shortest-path': {
      const problem = drawShortestPath(level, random);
      return { family, level, problem, optimum: shortestPath(problem)!.weight };
    }
    case 'max-cut': {
      const { problem, order } = drawMaxCut(level, random);
      return { family, level, problem, optimum: maxCut(problem, order).weight };
    }
    case 'sat': {
      const problem = drawSat(level, random);
      return { family, level, problem, optimum: problem.clauses.length };
    }
    case 'modular-algebra':
      return { family, level, problem: drawAlgebra(level, random), optimum: 1 };
  }
}

/**
 * What a challenge is bound to before it is answered: SHA-256(`svc.arena/v1/commitment` ‖ seed ‖ `family/level`). The
 * seed is shown with the grading.
 * @throws SeedLengthError
 */
export function seedCommitment(family: Family, level: number, seed: Uint8Array): Uint8Array {
  if (seed.length !== SEED_BYTES) throw new SeedLengthError(seed.length);
  return sha256(concatBytes(COMMITMENT_TAG, seed, new TextEncoder().encode(`${family}/${level}`)));
}

const INSTRUCTIONS: Readonly<Record<Family, string>> = {
  'shortest-path':
    'Find a path of least total weight from source to target along directed edges [from, to, weight] or [from, to, weight, toll]; with tollMax, its tolls may sum to at most tollMax. Answer {"path":[source, …, target]}.',
  'max-cut':
    'Put each vertex on side 0 or 1 so that the edges [one, other, weight] between the sides weigh as much as possible together; weights may be negative. Answer {"side":"0110…"}, one character a vertex, in order.',
  sat: 'Satisfy every clause: literal v is variable v being 1, −v its being 0, variables from 1. It is known that this is possible. Answer {"assignment":"0110…"}, one character a variable, in order.',
  'modular-algebra':
    'chinese-remainder: the x from 0 to the product of the moduli − 1 with x mod moduli[i] = residues[i]. linear-system: the vector x with matrix · x = values modulo the prime. discrete-logarithm: the x below order with base^x = power modulo the prime. Numbers are decimal text. Answer {"x":"123"}, or {"x":["1","2",…]} for a linear system.',
};

/** What is asked, and how it is answered, in words. */
export const instructionOf = (family: Family): string => INSTRUCTIONS[family];

/** Grades an answer exactly. An answer that is none to the problem is graded too: it is worth nothing. */
export function gradeAnswer(challenge: DrawnChallenge, answer: ArenaAnswer): Verdict {
  switch (challenge.family) {
    case 'shortest-path':
      return gradePath(challenge, answer);
    case 'max-cut':
      return gradeCut(challenge, answer);
    case 'sat':
      return gradeAssignment(challenge, answer);
    case 'modular-algebra':
      return gradeAlgebra(challenge, answer);
  }
}

const invalid = (reason: string): Verdict => ({
  ...{ isValid: false, reason, achieved: null },
  ...{ correctness: 0, optimalityPpm: 0 },
});

function valid(achieved: number, optimum: number, optimalityPpm: number): Verdict {
  const isBest = achieved === optimum;
  const reason = isBest ? 'attains the optimum' : `attains ${achieved}, the optimum is ${optimum}`;
  return { isValid: true, reason, achieved, correctness: isBest ? 1 : 0, optimalityPpm };
}

function gradePath(
  { problem, optimum }: DrawnChallenge & { family: 'shortest-path' },
  answer: ArenaAnswer,
): Verdict {
  if (!('path' in answer)) return invalid('the answer needs `path`');
  const weighed = weighPath(problem, answer.path);
  if ('fault' in weighed) return invalid(weighed.fault);
  const { weight } = weighed;
  return valid(weight, optimum, Math.floor((1_000_000 * optimum) / weight));
}

function gradeCut(
  { problem, optimum }: DrawnChallenge & { family: 'max-cut' },
  answer: ArenaAnswer,
): Verdict {
  if (!('side' in answer)) return invalid('the answer needs `side`');
  if (answer.side.length !== problem.vertices) {
    return invalid(`side has ${answer.side.length} characters, the problem ${problem.vertices} vertices`);
  }
  const weight = weighCut(problem, answer.side);
  // Twice everything, so that half of the total is a whole number.
  return valid(weight, optimum, progressPpm(2 * weight, totalWeight(problem), 2 * optimum));
}

function gradeAssignment(
  { problem, optimum }: DrawnChallenge & { family: 'sat' },
  answer: ArenaAnswer,
): Verdict {
  if (!('assignment' in answer)) return invalid('the answer needs `assignment`');
  const { length } = answer.assignment;
  if (length !== problem.variables) {
    return invalid(`assignment has ${length} characters, the problem ${problem.variables} variables`);
  }
  const held = satisfiedClauses(problem, answer.assignment);
  // By chance seven of eight clauses of three literals hold.
  return valid(held, optimum, progressPpm(8 * held, 7 * optimum, 8 * optimum));
}

function gradeAlgebra(
  { problem, optimum }: DrawnChallenge & { family: 'modular-algebra' },
  answer: ArenaAnswer,
): Verdict {
  if (!('x' in answer)) return invalid('the answer needs `x`');
  const checked = checkAlgebra(problem, answer.x);
  if ('fault' in checked) return invalid(checked.fault);
  const achieved = checked.solves ? 1 : 0;
  return valid(achieved, optimum, 1_000_000 * achieved);
}
