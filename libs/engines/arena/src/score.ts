/** Version of the rules by which answers are graded. */
export const ARENA_RULESET_ID = 'arena-score/v1';

/** Parts of a million. */
const PPM = 1_000_000;
/** What each part of the score counts for, of 100. */
export const SCORE_WEIGHTS = { correctness: 50, optimality: 30, time: 20 } as const;
/** Whoever answers within this time loses nothing for time. */
export const PAR_MS = 5_000;

/** Time from the issue of a challenge until it can no longer be answered, milliseconds. */
export const limitMsOf = (level: number): number => (2 + level) * 60_000;

/** What a score is made of. */
export interface ScoreParts {
  /** 1 where the answer attains the optimum, else 0. */
  readonly correctness: 0 | 1;
  /** How far it comes from an answer by chance to the optimum, millionths. */
  readonly optimalityPpm: number;
  /** How much of the time was left, millionths; 0 where the answer is not correct: haste alone is worth nothing. */
  readonly timePpm: number;
}

/**
 * What of the time was left: all of it up to {@link PAR_MS}, nothing at the limit, evenly between.
 * @returns millionths, rounded down
 */
export function timePpm(elapsedMs: number, limitMs: number): number {
  const left = (limitMs - Math.max(elapsedMs, PAR_MS)) / (limitMs - PAR_MS);
  return Math.floor(PPM * Math.max(0, left));
}

/** The sum of the parts with their weights, in millionths of a point. */
export const scorePpm = ({ correctness, optimalityPpm, timePpm: time }: ScoreParts): number =>
  SCORE_WEIGHTS.correctness * correctness * PPM +
  SCORE_WEIGHTS.optimality * optimalityPpm +
  SCORE_WEIGHTS.time * time;

/** The score, whole points from 0 to 100, rounded down. */
export const scoreOf = (parts: ScoreParts): number => Math.floor(scorePpm(parts) / PPM);

/**
 * The share of the way from an answer by chance to the optimum, in millionths, rounded down; less than nothing is nothing.
 * All three are whole numbers.
 */
export function progressPpm(achieved: number, chance: number, optimum: number): number {
  if (achieved >= optimum) return PPM;
  return Math.max(0, Math.floor((PPM * (achieved - chance)) / (optimum - chance)));
}

/** A rule as an audit proof has it: whether value ≥ threshold. */
export interface ScoreRule {
  readonly id: string;
  readonly statement: string;
  readonly decimals: number;
  readonly value: string;
  readonly threshold: string;
}

/** A number of millionths as decimal text. */
const points = (ppm: number) => `${Math.floor(ppm / PPM)}.${String(ppm % PPM).padStart(6, '0')}`;

/** The rules that made a score, as an audit proof states them. */
export function scoreRules(
  parts: ScoreParts & { isValid: boolean; score: number; elapsedMs: number; limitMs: number },
): ScoreRule[] {
  const { isValid, correctness, optimalityPpm, score, elapsedMs, limitMs } = parts;
  const sum = points(scorePpm(parts));
  const whole = (value: number) => String(value);
  return [
    {
      ...{ id: 'arena.in-time', statement: 'elapsedMs is at most limitMs', decimals: 0 },
      ...{ value: whole(limitMs), threshold: whole(elapsedMs) },
    },
    {
      ...{ id: 'arena.valid', statement: 'the answer is one to the problem', decimals: 0 },
      ...{ value: isValid ? '1' : '0', threshold: '1' },
    },
    {
      ...{ id: 'arena.correct', statement: 'the answer attains the optimum', decimals: 0 },
      ...{ value: whole(correctness), threshold: '1' },
    },
    {
      ...{ id: 'arena.optimal', statement: 'optimality is at least 1', decimals: 6 },
      ...{ value: points(optimalityPpm), threshold: '1' },
    },
    {
      ...{ id: 'arena.score-at-most', decimals: 6 },
      statement: '50 × correctness + 30 × optimality + 20 × time is at least the score',
      ...{ value: sum, threshold: whole(score) },
    },
    {
      ...{ id: 'arena.score-at-least', decimals: 6 },
      statement: 'the score + 0.999999 is at least 50 × correctness + 30 × optimality + 20 × time',
      ...{ value: `${score}.999999`, threshold: sum },
    },
  ];
}
