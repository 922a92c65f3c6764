import { goldilocks } from '@svc/kernels';
import { commitmentOf } from '../own/gadgets.js';
import { memberLeaf, memberNullifier } from '../own/gallery.js';
import { type ControllerSettings, type Salt } from '../own/gallery-inputs.js';
import { type MerklePath, merkleRoot } from '../own/merkle-path.js';
import type { NamedElements, OwnStatement } from '../own/own-trace.js';

/**
 * Statements under the definitions of `other-gallery.json`, which somebody wrote from docs/own-statements.md and the table of its gallery,
 * and had not seen ours: other columns, other ranges, another order. Nothing is refused here: of a false statement this is the best trace that
 * a cheat would try. What does not fit the digits of a number is left in the one of weight 1.
 */
interface Digit {
  readonly weight: bigint;
  readonly most: bigint;
}

const BLOCK = 32;
const P = goldilocks.modulus;
export const elementOf = (value: bigint): bigint => ((value % P) + P) % P;
const signed = (value: bigint) => (elementOf(value) > P / 2n ? elementOf(value) - P : elementOf(value));

/** Digits 0 … 2, and one bit for what is left, whose sums are 0 … `max`, each of them and no other. */
function exactDigits(max: bigint): Digit[] {
  const digits: Digit[] = [];
  let reach = 0n;
  for (let weight = 1n; reach + 2n * weight <= max; weight *= 3n) {
    digits.push({ weight, most: 2n });
    reach += 2n * weight;
  }
  if (max > reach) digits.push({ weight: max - reach, most: 1n });
  return digits;
}
const powersOfTwo = (count: number): Digit[] =>
  Array.from({ length: count }, (_, i) => ({ weight: 2n ** BigInt(i), most: 1n }));

const [READING, WIDE, SETTING] = [powersOfTwo(16), powersOfTwo(32), powersOfTwo(20)];
const [WEIGHT, FEATURE, SCORE] = [exactDigits(2n ** 32n - 1n), exactDigits(2n ** 20n - 1n), powersOfTwo(56)];
const [SAMPLE, REST, ERRORS] = [2n ** 16n - 1n, 1_023n, 2n ** 24n - 1n].map(exactDigits);

/** What somebody says is public, other than what the hidden values come to. */
export type Claimed = NamedElements;

function digitsOf(value: bigint, digits: readonly Digit[]): bigint[] {
  const found = digits.map(() => 0n);
  let left = value < 0n ? 0n : value;
  // The odd bit goes first where all others do not hold the value.
  const top = digits.length - 1;
  const others = digits.slice(0, top).reduce((sum, { weight, most }) => sum + most * weight, 0n);
  const isOdd = digits[top].most === 1n && digits[0].most === 2n;
  if (isOdd && left > others) {
    found[top] = 1n;
    left -= digits[top].weight;
  }
  for (let i = isOdd ? top - 1 : top; i >= 0; i--) {
    const { weight, most } = digits[i];
    found[i] = left / weight < most ? left / weight : most;
    left -= found[i] * weight;
  }
  found[0] += value < 0n ? value : left;
  return found.map(elementOf);
}
const zeros = (rows: number) => Array.from({ length: rows }, () => 0n);
const put = (column: bigint[], from: number, values: readonly bigint[]) =>
  values.forEach((value, i) => (column[from + i] = value));
const numbered = (name: string, values: readonly bigint[]): Record<string, bigint> =>
  Object.fromEntries(values.map((value, i) => [`${name}_${i}`, elementOf(value)]));
/** Row 0 of a permutation's first lanes. */
const laned = (name: string, values: readonly bigint[]): Record<string, bigint> =>
  Object.fromEntries(values.map((value, i) => [`${name}_s${i}`, elementOf(value)]));
const elementsOf = (values: NamedElements): Record<string, bigint> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, elementOf(value)]));
/** The digest of values, by the names that it is public under. */
export const sealOf = (salt: Salt, blocks: readonly (readonly bigint[])[]) =>
  numbered(
    'seal',
    commitmentOf(
      'goldilocks',
      salt,
      blocks.map(block => block.map(elementOf)),
    ),
  );

function made(
  rows: number,
  publicInputs: NamedElements,
  start: NamedElements,
  given: Record<string, bigint[]>,
): OwnStatement {
  const filler = Object.fromEntries(Object.keys(given).map(name => [name, 0n]));
  return { rows, publicInputs, start, given, filler };
}

export function otherMean(readings: readonly bigint[], asked: bigint, salt: Salt, claimed: Claimed = {}) {
  const least = claimed['least'] ?? asked;
  const rows = BLOCK * (readings.length + 1);
  const given = { reading_bit: zeros(rows), least_bit: zeros(rows), excess_bit: zeros(rows) };
  readings.forEach((value, k) => put(given.reading_bit, BLOCK * k, digitsOf(value, READING)));
  const sum = readings.reduce((all, each) => all + each, 0n);
  // Rows 0 … 30 are looked at even where there is one block.
  put(given.least_bit, 0, digitsOf(least, WIDE.slice(0, 31)));
  put(given.excess_bit, 0, digitsOf(sum - least, WIDE.slice(0, 31)));
  const seal = sealOf(
    salt,
    readings.map(each => [each]),
  );
  const shown = { least: elementOf(least), ...seal, ...elementsOf(claimed) };
  return made(rows, shown, laned('seal', salt), given);
}

export function otherBalance(opening: bigint, entries: readonly bigint[], salt: Salt, claimed: Claimed = {}) {
  const rows = BLOCK * (entries.length + 1);
  const given = { entry: zeros(rows), b: zeros(rows) };
  let balance = claimed['opening'] ?? opening;
  for (let k = 0; k <= entries.length; k++) {
    put(given.b, BLOCK * k, digitsOf(balance, WIDE).reverse());
    // The last one is in no commitment: it takes the balance to 0, which the bits of the filler have.
    given.entry[BLOCK * k + BLOCK - 1] = elementOf(entries[k] ?? -balance);
    balance += k < entries.length ? signed(entries[k]) : 0n;
  }
  const closing = entries.reduce((all, entry) => all + signed(entry), opening);
  const seal = sealOf(
    salt,
    entries.map(each => [each]),
  );
  const shown = { opening: elementOf(opening), closing: elementOf(closing), ...seal, ...elementsOf(claimed) };
  return made(rows, shown, laned('sponge', salt), given);
}

export function otherScore(
  weights: readonly bigint[],
  asked: readonly bigint[],
  askedLeast: bigint,
  salt: Salt,
  claimed: Claimed = {},
) {
  const features = asked.map((feature, i) => claimed[`feature_${i}`] ?? feature);
  const least = claimed['least'] ?? askedLeast;
  const rows = BLOCK * 5;
  const given: Record<string, bigint[]> = { least_bit: zeros(rows), excess_bit: zeros(rows) };
  for (let i = 0; i < 16; i++) {
    const [lane, at] = [i % 4, BLOCK * Math.floor(i / 4)];
    put((given[`weight_digit_${lane}`] ??= zeros(rows)), at, digitsOf(weights[i], WEIGHT));
    put((given[`shown_digit_${lane}`] ??= zeros(rows)), at, digitsOf(features[i], FEATURE));
  }
  const score = weights.reduce((sum, weight, i) => sum + weight * features[i], 0n);
  put(given['least_bit'], 0, digitsOf(least, SCORE));
  put(given['excess_bit'], 0, digitsOf(score - least, SCORE));
  const seal = sealOf(
    salt,
    [0, 4, 8, 12].map(k => weights.slice(k, k + 4)),
  );
  const shown = {
    least: elementOf(least),
    ...numbered('feature', features),
    ...seal,
    ...elementsOf(claimed),
  };
  return made(rows, shown, laned('seal', salt), given);
}

export function otherMember(
  secret: readonly bigint[],
  context: readonly bigint[],
  path: MerklePath,
  claimed: Claimed = {},
) {
  const { siblings, isRight } = path;
  const depth = siblings.length;
  const rows = BLOCK * (depth + 3);
  const given: Record<string, bigint[]> = { is_right: zeros(rows), turn: zeros(rows) };
  for (let i = 0; i < 4; i++) given[`sibling_${i}`] = zeros(rows);
  siblings.forEach((sibling, k) => {
    const row = BLOCK * k + BLOCK - 1;
    sibling.forEach((value, i) => (given[`sibling_${i}`][row] = value));
    given['is_right'][row] = isRight[k] ? 1n : 0n;
  });
  given['turn'][BLOCK * depth + BLOCK - 1] = 1n;
  const shown = {
    ...numbered('root', merkleRoot(memberLeaf(secret), path)),
    ...numbered('nullifier', memberNullifier(secret, context)),
    ...numbered('context', context),
    ...elementsOf(claimed),
  };
  return made(rows, shown, { ...numbered('secret', secret), ...laned('hash', secret) }, given);
}

export function otherController(
  asked: ControllerSettings,
  samples: readonly (readonly [y: bigint, u: bigint])[],
  salt: Salt,
  claimed: Claimed = {},
) {
  const settings = { ...asked, ...claimed } as ControllerSettings;
  const { setpoint, proportional, integral } = settings;
  const rows = BLOCK * (samples.length + 1);
  const given: Record<string, bigint[]> = { digit_a: zeros(rows), digit_b: zeros(rows), live: zeros(rows) };
  given['live'].fill(1n, 0, BLOCK * samples.length);
  for (const [name, value] of Object.entries({ setpoint, proportional, integral }))
    put((given[`${name}_bit`] = zeros(rows)), 0, digitsOf(value, SETTING));
  let total = 0n;
  samples.forEach(([y, command], k) => {
    const [u, error] = [signed(command), setpoint - y];
    const rest = error * proportional + total * integral + 1_024n * u + 512n;
    put(given['digit_a'], BLOCK * k, [...digitsOf(y, SAMPLE), ...digitsOf(rest, REST)]);
    put(given['digit_b'], BLOCK * k, [
      ...digitsOf(u + 2n ** 15n, SAMPLE),
      ...digitsOf(total + 2n ** 23n, ERRORS),
    ]);
    total += error;
  });
  const shown = {
    ...elementsOf({ setpoint, proportional, integral }),
    ...sealOf(salt, samples),
    ...elementsOf(claimed),
  };
  return made(rows, shown, { ...laned('seal', salt), was_live: 0n }, given);
}
