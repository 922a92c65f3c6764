import { goldilocks } from '@svc/kernels';
import { committedRows } from './gadgets.js';
import { CONTROLLER_SCALE } from './gallery.js';
import type { MerklePath } from './merkle-path.js';
import type { NamedElements, OwnStatement } from './own-trace.js';

/** What hides what was committed to: four random elements. */
export type Salt = readonly bigint[];

const BLOCK = 32;
const P = goldilocks.modulus;
const element = (value: bigint): bigint => ((value % P) + P) % P;
/** Row 0 of a commitment, whose rate holds the salt. */
const saltOf = (salt: Salt): NamedElements =>
  Object.fromEntries(salt.map((value, i) => [`seal_s${i}`, value]));
const numbered = (name: string, values: readonly bigint[]): NamedElements =>
  Object.fromEntries(values.map((value, i) => [`${name}_${i}`, value]));
const bitsOf = (name: string, count: number) => ({
  bits: { of: name, into: Array.from({ length: count }, (_, i) => `bit_${i}`) },
});
/** A value in the row in which each block ends; no constraint asks what the other rows hold. */
const atBlockEnds = (values: readonly bigint[], rows: number): bigint[] =>
  Array.from({ length: rows }, (_, row) =>
    row % BLOCK === BLOCK - 1 ? element(values[(row - BLOCK + 1) / BLOCK] ?? 0n) : 0n,
  );
/** The bits of a value a block, one a row. */
const rowBits = (values: readonly bigint[], rows: number): bigint[] =>
  Array.from(
    { length: rows },
    (_, row) => ((values[Math.floor(row / BLOCK)] ?? 0n) >> BigInt(row % BLOCK)) & 1n,
  );

/** The hidden bits by which a sum exceeds what is claimed, spread over rows that weigh `weights`; more than they hold stays, and breaks the claim. */
function slackBits(excess: bigint, weights: readonly bigint[], rows: number): bigint[] {
  let left = excess;
  const list = Array.from({ length: rows }, () => 0n);
  const places = list
    .map((_, row) => row)
    .filter(row => row < rows - 1 && weights[row % weights.length] > 0n);
  for (const row of places.sort((one, other) =>
    Number(weights[other % weights.length] - weights[one % weights.length]),
  )) {
    const weight = weights[row % weights.length];
    if (weight > left) continue;
    list[row] = 1n;
    left -= weight;
  }
  return list;
}
const powers = (count: number, length: number) =>
  Array.from({ length }, (_, row) => (row < count ? 1n << BigInt(row) : 0n));

/** A statement of `meanOfReadings`. */
export function readingsAtLeast(readings: readonly bigint[], least: bigint, salt: Salt): OwnStatement {
  const rows = committedRows(readings.length);
  const excess = readings.reduce((sum, each) => sum + each, 0n) - least;
  return {
    ...{ rows, start: saltOf(salt), hints: [bitsOf('reading', 16)], publicInputs: { least: element(least) } },
    given: { reading: atBlockEnds(readings, rows), slack: slackBits(excess, powers(16, BLOCK), rows) },
  };
}

/** A statement of `balanceNeverNegative`. */
export function entriesFrom(opening: bigint, entries: readonly bigint[], salt: Salt): OwnStatement {
  const rows = committedRows(entries.length);
  return {
    ...{ rows, start: saltOf(salt), hints: [bitsOf('balance', 32)], publicInputs: { opening } },
    given: { entry: atBlockEnds(entries, rows) },
  };
}

/** A statement of `scoreOfFeatures`: 16 weights and 16 features. */
export function scoreAtLeast(
  weights: readonly bigint[],
  features: readonly bigint[],
  least: bigint,
  salt: Salt,
): OwnStatement {
  const rows = committedRows(4);
  const excess = weights.reduce((sum, weight, i) => sum + weight * features[i], 0n) - least;
  const given = Object.fromEntries(
    [0, 1, 2, 3].map(lane => {
      const values = [0, 1, 2, 3].map(block => weights[4 * block + lane]);
      return [`weight_${lane}_bit`, rowBits(values, rows)];
    }),
  );
  return {
    ...{
      rows,
      start: saltOf(salt),
      publicInputs: { ...numbered('feature', features), least: element(least) },
    },
    given: { ...given, slack: slackBits(excess, powers(60, 4 * BLOCK), rows) },
  };
}

/** A statement of `memberWithNullifier`. */
export function memberOf(
  secret: readonly bigint[],
  context: readonly bigint[],
  { siblings, isRight }: MerklePath,
): OwnStatement {
  const rows = BLOCK * (siblings.length + 3);
  const place = (row: number) => Math.floor(row / BLOCK) - 2;
  const given = [0, 1, 2, 3].map(i => [
    `sibling_${i}`,
    Array.from({ length: rows }, (_, row) => siblings[place(row)]?.[i] ?? 0n),
  ]);
  return {
    rows,
    start: {
      ...numbered('secret', secret),
      ...Object.fromEntries(secret.map((value, i) => [`hash_s${i}`, value])),
    },
    publicInputs: numbered('context', context),
    given: {
      ...(Object.fromEntries(given) as Record<string, bigint[]>),
      right: Array.from({ length: rows }, (_, row) => (isRight[place(row)] ? 1n : 0n)),
    },
  };
}

/** What a controller of `controllerKeptItsLaw` is set to. */
export interface ControllerSettings {
  readonly setpoint: bigint;
  readonly proportional: bigint;
  readonly integral: bigint;
}

/** The command that the law has, by the error and the integral of the errors before: nearest, and down from the middle. */
export function commandOf(
  { setpoint, proportional, integral }: ControllerSettings,
  y: bigint,
  errors: bigint,
): bigint {
  const wanted = -(proportional * (setpoint - y) + integral * errors);
  const above = 2n * wanted - CONTROLLER_SCALE;
  const whole = above / (2n * CONTROLLER_SCALE);
  return above > 0n && above % (2n * CONTROLLER_SCALE) !== 0n ? whole + 1n : whole;
}

/** A statement of `controllerKeptItsLaw`, of samples (y, u). */
export function samplesOf(
  settings: ControllerSettings,
  samples: readonly (readonly [y: bigint, u: bigint])[],
  salt: Salt,
): OwnStatement {
  const rows = committedRows(samples.length);
  let errors = 0n;
  const areas: bigint[] = [];
  const rests = samples.map(([y, u]) => {
    const error = settings.setpoint - y;
    const rest =
      u * CONTROLLER_SCALE +
      settings.proportional * error +
      settings.integral * errors +
      CONTROLLER_SCALE / 2n;
    areas.push(errors + 2n ** 23n);
    errors += error;
    return rest;
  });
  const committed = BLOCK * samples.length;
  return {
    ...{ rows, start: { ...saltOf(salt) }, publicInputs: { ...settings } },
    given: {
      y_bit: rowBits(
        samples.map(([y]) => y),
        rows,
      ),
      u_bit: rowBits(
        samples.map(([, u]) => u + 2n ** 15n),
        rows,
      ),
      rest_bit: rowBits(rests, rows),
      area_bit: rowBits(areas, rows),
      live: Array.from({ length: rows }, (_, row) => (row < committed ? 1n : 0n)),
    },
  };
}
