/** What kind of fault an input has; each is found before anything is computed, but for `IMPOSSIBLE`. */
export type InferenceInputFault =
  /** Not of the type that is asked for: no number, no array. */
  | 'TYPE'
  /** A number that is not finite, not whole where it must be, or out of its bounds. */
  | 'RANGE'
  /** Lengths that do not fit each other or their bounds. */
  | 'SHAPE'
  /** Probabilities that do not sum to 1. */
  | 'NOT_STOCHASTIC'
  /** More work or a larger answer than one call may have. */
  | 'TOO_LARGE'
  /** Well formed, and of probability 0 under the model that is given. */
  | 'IMPOSSIBLE';

/** What was broken: the bound as a number or in words, and what stands against it. */
export interface InferenceInputBound {
  readonly bound?: number | string;
  readonly got?: number | string;
}

/** An input that a model cannot be computed on. `path` names the place in the input, as in `B[1][0][2]`. */
export class InferenceInputError extends Error {
  override readonly name = 'InferenceInputError';
  readonly bound?: number | string;
  readonly got?: number | string;

  constructor(
    readonly code: InferenceInputFault,
    readonly path: string,
    message: string,
    { bound, got }: InferenceInputBound = {},
  ) {
    super(`${path} ${message}`);
    if (bound !== undefined) this.bound = bound;
    if (got !== undefined) this.got = got;
  }
}

const GOT_LENGTH_MAX = 40;

/** A value short enough to be repeated in a message; of arrays and objects the kind alone. */
function shown(value: unknown): number | string {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return JSON.stringify(value.slice(0, GOT_LENGTH_MAX));
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** @throws InferenceInputError `TYPE` unless `value` is an object that is no array */
export function requireObject(path: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  const got = shown(value);
  throw new InferenceInputError('TYPE', path, `must be an object, not ${got}`, { bound: 'object', got });
}

/** @throws InferenceInputError `TYPE` or `RANGE` unless `value` is a finite number from `min` to `max` */
export function requireNumber(path: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number') {
    const got = shown(value);
    throw new InferenceInputError('TYPE', path, `must be a number, not ${got}`, { bound: 'number', got });
  }
  if (!(value >= min)) fail(path, value, `must be at least ${min}`, min);
  if (!(value <= max)) fail(path, value, `must be at most ${max}`, max);
  return value;
}

/** @throws InferenceInputError unless `value` is a whole number from `min` to `max` */
export function requireInteger(path: string, value: unknown, min: number, max: number): number {
  const number = requireNumber(path, value, min, max);
  if (!Number.isInteger(number)) fail(path, number, 'must be a whole number', 'a whole number');
  return number;
}

function fail(path: string, value: number, rule: string, bound: number | string): never {
  const got = shown(value);
  throw new InferenceInputError('RANGE', path, `${rule}, got ${got}`, { bound, got });
}

/** @throws InferenceInputError `TYPE` or `SHAPE` unless `value` is an array of `min` to `max` entries */
export function requireArray(path: string, value: unknown, min: number, max: number): readonly unknown[] {
  if (!Array.isArray(value)) {
    const got = shown(value);
    throw new InferenceInputError('TYPE', path, `must be an array, not ${got}`, { bound: 'array', got });
  }
  const got = value.length;
  if (got < min || got > max) {
    const rule = min === max ? `exactly ${min}` : got < min ? `at least ${min}` : `at most ${max}`;
    const bound = got < min ? min : max;
    throw new InferenceInputError('SHAPE', path, `must have ${rule} entries, got ${got}`, { bound, got });
  }
  return value;
}
