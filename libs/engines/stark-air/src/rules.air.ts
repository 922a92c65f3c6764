import { type Field, poseidon2Goldilocks as P } from '@svc/kernels';
import type { Air, BoundaryConstraint, Execution, TransitionFrame } from './air.js';
import { elementsFromJson, elementToJson, PublicInputError, recordFromJson } from './public-input.js';
import { LEAF_TAG, RULES_LEAVES_MAX, type RulesDigest } from './rules-leaf.js';
import {
  ACCUMULATOR,
  CUBE,
  DIGIT,
  DIGITS_PER_ROW,
  DIRECTION,
  HELD,
  HOLDS,
  INDEX,
  INPUT,
  PARTIAL_ROUNDS,
  Periodic,
  PERIODIC_COLUMNS,
  ROUND_KEYS,
  ROWS_PER_LEAF,
  RULES_COLUMN_COUNT,
  SBOX_COUNT,
  SEVENTH,
  STATE,
  WIDTH,
} from './rules-layout.js';
import { WitnessError } from './witness-error.js';
import { type RulesWitness, rulesTrace, rulesTraceOperations } from './rules-trace.js';

/** What a proof of rules states: every one of the first `leafCount` leaves under `root` has its verdicts right. */
export interface RulesPublicInputs {
  readonly root: RulesDigest;
  /** 1 … 16. */
  readonly leafCount: number;
}

const [PARTIAL_FULL, , PARTIAL_END] = PARTIAL_ROUNDS;
const DIGEST_LANES = 4;
const BASE = 3n ** BigInt(DIGITS_PER_ROW);

const indices = (count: number) => Array.from({ length: count }, (_, i) => i);
const LANES = indices(WIDTH);
const SBOXES = indices(SBOX_COUNT);
const RULES = [0, 1] as const;

/**
 * A Merkle tree of rules applied: each leaf is hashed from its salt, its digests and its comparisons, every comparison is
 * checked by the range of a difference, and the leaf's path to the root is walked. See docs/stark-format.md, section 11.
 */
export const rulesAir: Air<RulesPublicInputs, RulesWitness> = {
  id: 'rules/v1',
  field: 'goldilocks',
  zeroKnowledge: 'always',
  columnCount: RULES_COLUMN_COUNT,
  constraintDegree: 3,
  transitionNames: [
    ...SBOXES.map(k => `input of S-box ${k}`),
    ...SBOXES.map(k => `cube of S-box ${k}`),
    ...SBOXES.map(k => `seventh power of S-box ${k}`),
    ...LANES.map(i => `step of lane ${i}`),
    ...indices(DIGEST_LANES).map(i => `held element ${i}`),
    ...indices(2 * DIGITS_PER_ROW).map(i => `ternary digit ${i}`),
    ...RULES.map(j => `sum of digits ${j}`),
    ...RULES.map(j => `verdict ${j} is a bit`),
    ...RULES.map(j => `comparison ${j}`),
    'direction is a bit',
    'index',
    ...['tag of a leaf', 'first zero of a leaf', 'second zero of a leaf', 'index starts at zero'],
  ],
  traceLengthMin: 2_048,
  periodicColumns: PERIODIC_COLUMNS,
  transitionOperations: { additions: 373, multiplications: 203 },

  evaluateTransition<E>(field: Field<E>, frame: TransitionFrame<E>): E[] {
    const inputs = frame.current.slice(INPUT, INPUT + SBOX_COUNT);
    const cubes = frame.current.slice(CUBE, CUBE + SBOX_COUNT);
    const sevenths = frame.current.slice(SEVENTH, SEVENTH + SBOX_COUNT);
    const state = frame.current.slice(STATE, STATE + WIDTH);
    const partial = partialRounds(field, state, sevenths);
    return [
      ...evaluateSboxInputs(field, frame, inputs, partial.inputs),
      ...inputs.map((x, k) => field.sub(cubes[k], field.mul(field.mul(x, x), x))),
      ...inputs.map((x, k) => field.sub(sevenths[k], field.mul(field.mul(cubes[k], cubes[k]), x))),
      ...evaluateSteps(field, frame, sevenths, partial),
      ...evaluateHeld(field, frame),
      ...evaluateComparisons(field, frame),
      ...evaluateIndex(field, frame),
      ...evaluateLeafStart(field, frame),
    ];
  },

  boundaryConstraints({ root, leafCount }, rowCount): BoundaryConstraint[] {
    const max = Math.min(RULES_LEAVES_MAX, Math.floor(rowCount / ROWS_PER_LEAF));
    if (leafCount > max) {
      throw new PublicInputError(
        'leafCount',
        `must be at most ${max} for ${rowCount} rows, got ${leafCount}`,
      );
    }
    return indices(leafCount).flatMap(leaf => {
      const row = (leaf + 1) * ROWS_PER_LEAF - 1;
      const reached = root.map((value, i) => ({ column: STATE + i, row, value }));
      return [...reached, { column: INDEX, row, value: BigInt(leaf) }];
    });
  },

  publicInputElements: ({ root, leafCount }) => [...root, BigInt(leafCount)],

  publicInputsFromJson(json): RulesPublicInputs {
    const { root, leafCount } = recordFromJson(json, ['root', 'leafCount']);
    if (
      !Number.isInteger(leafCount) ||
      (leafCount as number) < 1 ||
      (leafCount as number) > RULES_LEAVES_MAX
    ) {
      throw new PublicInputError('leafCount', `must be an integer from 1 to ${RULES_LEAVES_MAX}`);
    }
    return { root: elementsFromJson(root, 'root', DIGEST_LANES), leafCount: leafCount as number };
  },

  publicInputsToJson: ({ root, leafCount }) => ({
    root: root.map(element => elementToJson(element)),
    leafCount,
  }),

  rowsNeeded: ({ leaves }) => rulesRowsNeeded(leaves.length),

  execute(field, witness, rowCount): Execution<RulesPublicInputs> {
    assertVerdicts(witness);
    const { columns, root } = rulesTrace(field, witness, rowCount);
    return { columns, publicInputs: { root, leafCount: witness.leaves.length } };
  },

  executionOperations: (_rowCount, { leafCount }) => rulesTraceOperations(leafCount),
};

function assertVerdicts({ leaves }: RulesWitness): void {
  leaves.forEach(({ rules }, leaf) =>
    rules.forEach(({ value, threshold, holds }, rule) => {
      if (holds === value >= threshold) return;
      throw new WitnessError('constraint-violated', `leaves.${leaf}.rules.${rule}`, `is not ${holds}`);
    }),
  );
}

/** Leaves that a trace of so many usable rows holds. */
export function rulesLeafCapacity(rowCount: number): number {
  return Math.min(RULES_LEAVES_MAX, Math.floor(rowCount / ROWS_PER_LEAF));
}

/** Rows that so many leaves take. */
export function rulesRowsNeeded(leafCount: number): number {
  return leafCount * ROWS_PER_LEAF;
}

// What each S-box is fed: a lane in a full round, lane 0 of one partial round after the other, zero in rows of no round.
function evaluateSboxInputs<E>(
  field: Field<E>,
  { current, periodic }: TransitionFrame<E>,
  inputs: readonly E[],
  lanesZero: readonly E[],
): E[] {
  const { add, sub, mul } = bind(field);
  const state = current.slice(STATE, STATE + WIDTH);
  const mixed = P.externalMatrix(field, state);
  const partial = periodic[Periodic.partial];
  const everyPartial = add(partial, periodic[Periodic.partialEnd]);
  return inputs.map((x, k) => {
    const first = mul(periodic[Periodic.first], mixed[k]);
    const full = mul(periodic[Periodic.full], state[k]);
    const inPartial = k < PARTIAL_END ? everyPartial : partial;
    const fed = add(add(first, full), mul(inPartial, lanesZero[k]));
    // The keys are zero wherever no round is.
    return sub(x, add(fed, periodic[ROUND_KEYS + k]));
  });
}

interface PartialRounds<E> {
  /** Lane 0 before each round, its key not yet added. */
  readonly inputs: readonly E[];
  readonly afterSix: readonly E[];
  readonly afterEight: readonly E[];
}

function partialRounds<E>(field: Field<E>, state: readonly E[], sevenths: readonly E[]): PartialRounds<E> {
  const inputs: E[] = [];
  let lanes = state;
  let afterSix = state;
  for (let k = 0; k < PARTIAL_FULL; k++) {
    if (k === PARTIAL_END) afterSix = lanes;
    inputs.push(lanes[0]);
    lanes = P.internalMatrix(field, [sevenths[k], ...lanes.slice(1)]);
  }
  return { inputs, afterSix, afterEight: lanes };
}

// From one row's state to the next one's. The selectors exclude one another, so the sum of the cases vanishes only if the
// case in force does; where a leaf starts, none is in force.
function evaluateSteps<E>(
  field: Field<E>,
  { current, next, periodic }: TransitionFrame<E>,
  sevenths: readonly E[],
  { afterSix, afterEight }: PartialRounds<E>,
): E[] {
  const { add, sub, mul } = bind(field);
  const state = current.slice(STATE, STATE + WIDTH);
  const rounds = add(periodic[Periodic.first], periodic[Periodic.full]);
  const full = P.externalMatrix(field, sevenths);
  const direction = next[DIRECTION];
  return LANES.map(i => {
    const target = next[STATE + i];
    const moved = sub(target, state[i]);
    const permuted = add(
      mul(rounds, sub(target, full[i])),
      add(
        mul(periodic[Periodic.partial], sub(target, afterEight[i])),
        mul(periodic[Periodic.partialEnd], sub(target, afterSix[i])),
      ),
    );
    const step = add(permuted, mul(periodic[Periodic.output], moved));
    // The capacity passes to the next block; in a compression, the node enters on the side that the direction says.
    if (i >= DIGEST_LANES) return add(step, mul(periodic[Periodic.absorbNext], moved));
    const fedForward = mul(periodic[Periodic.compressed], current[HELD + i]);
    const swapped = mul(direction, sub(next[STATE + DIGEST_LANES + i], target));
    const entered = mul(periodic[Periodic.compressNext], add(moved, swapped));
    return add(sub(step, fedForward), entered);
  });
}

// Four elements are held for the length of a permutation: the block that was absorbed, or the left child.
function evaluateHeld<E>(field: Field<E>, { current, next, periodic }: TransitionFrame<E>): E[] {
  const { add, sub, mul } = bind(field);
  return indices(DIGEST_LANES).map(i => {
    const kept = sub(next[HELD + i], current[HELD + i]);
    const renewed = sub(current[HELD + i], next[STATE + i]);
    const absorbed = mul(periodic[Periodic.absorbNext], current[STATE + i]);
    // next held − held, plus (held − next state) in the last row of a permutation.
    return add(add(kept, mul(periodic[Periodic.last], renewed)), absorbed);
  });
}

// o = 1 proves 0 ≤ value − threshold < 3^32, o = 0 proves 0 ≤ threshold − value − 1 < 3^32, by 32 ternary digits.
function evaluateComparisons<E>(field: Field<E>, { current, next, periodic }: TransitionFrame<E>): E[] {
  const { add, sub, mul } = bind(field);
  const two = field.fromBase(2n);
  const digits = current.slice(DIGIT, DIGIT + 2 * DIGITS_PER_ROW);
  const inDigits = digits.map(d => mul(mul(d, sub(d, field.one)), sub(d, two)));
  const sums: E[] = [];
  const bits: E[] = [];
  const comparisons: E[] = [];
  for (const j of RULES) {
    const ofRow = digits
      .slice(j * DIGITS_PER_ROW, (j + 1) * DIGITS_PER_ROW)
      .reduce((sum, digit) => add(field.scale(sum, 3n), digit));
    const sum = add(field.scale(current[ACCUMULATOR + j], BASE), ofRow);
    const carried = sub(sum, mul(periodic[Periodic.last], sum));
    sums.push(sub(next[ACCUMULATOR + j], carried));

    const holds = current[HOLDS + j];
    const value = current[HELD + 2 * j];
    const packed = current[HELD + 2 * j + 1];
    // Twice the difference, the threshold being (packed − holds)/2.
    const twice = add(sub(add(value, value), packed), holds);
    const signed = sub(mul(add(holds, holds), twice), twice);
    const expected = sub(add(signed, add(holds, holds)), two);
    bits.push(mul(holds, sub(holds, field.one)));
    comparisons.push(mul(periodic[Periodic.ruleEnd], sub(add(sum, sum), expected)));
  }
  return [...inDigits, ...sums, ...bits, ...comparisons];
}

function evaluateIndex<E>(field: Field<E>, { current, next, periodic }: TransitionFrame<E>): E[] {
  const { sub, mul } = bind(field);
  const direction = current[DIRECTION];
  const weighed = mul(periodic[Periodic.indexWeight], next[DIRECTION]);
  const within = sub(field.one, periodic[Periodic.leafLast]);
  const moved = mul(within, sub(next[INDEX], current[INDEX]));
  return [mul(direction, sub(direction, field.one)), sub(moved, weighed)];
}

function evaluateLeafStart<E>(field: Field<E>, { current, periodic }: TransitionFrame<E>): E[] {
  const tag = field.sub(current[STATE + 4], field.fromBase(LEAF_TAG));
  const zeros = [current[STATE + 6], current[STATE + 7], current[INDEX]];
  return [tag, ...zeros].map(value => field.mul(periodic[Periodic.leafFirst], value));
}

function bind<E>(field: Field<E>) {
  return {
    add: (a: E, b: E) => field.add(a, b),
    sub: (a: E, b: E) => field.sub(a, b),
    mul: (a: E, b: E) => field.mul(a, b),
  };
}
