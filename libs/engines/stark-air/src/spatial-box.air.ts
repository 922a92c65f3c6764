import { concatBytes, type Field, poseidon2Goldilocks } from '@svc/kernels';
import type { BoundaryConstraint, Execution, TransitionFrame } from './air.js';
import { defineAir } from './define-air.js';
import { Poseidon2Rows, ROWS_PER_PERMUTATION } from './poseidon2-rows.js';
import { SPONGES } from './poseidon2-sponge.js';
import {
  elementsFromJson,
  elementsToJson,
  integerFromJson,
  PublicInputError,
  recordFromJson,
} from './public-input.js';
import { assertSalt, saltToJson } from './salt.js';
import {
  assertInside,
  AXIS_NAMES,
  AXIS_SCALES,
  type AxisName,
  type BoxAxis,
  boxFault,
  COORDINATE_BOUND,
  COORDINATES_MAX,
  frameOf,
  type SpatialBoxWitness,
  spatialBoxWitnessFromJson,
} from './spatial-box-input.js';
import { WitnessError } from './witness-error.js';

/** Somebody knows a place in the box that this commitment holds. Nothing is said about where anybody is. */
export interface SpatialBoxPublicInputs {
  readonly axes: readonly BoxAxis[];
  /** 32 bytes. */
  readonly parcelHash: Uint8Array;
  /** 4 elements: the sponge of box, parcel, salt and place. */
  readonly commitment: readonly bigint[];
}

const sponge = SPONGES.goldilocks;
const { rate } = sponge;
const { field } = sponge.permutation;
const rows = new Poseidon2Rows(poseidon2Goldilocks);
const TAG = 'box1/v1';
const AXES_MAX = COORDINATES_MAX + 1;
/** Bits of a difference: one a row of a permutation. */
const DIFFERENCE_BITS = ROWS_PER_PERMUTATION;

// Columns after the permutation's.
const COORDINATE = rows.columnCount;
const LOWER = COORDINATE + 1;
const UPPER = COORDINATE + 2;
const ABOVE_BIT = COORDINATE + 3;
const BELOW_BIT = COORDINATE + 4;
/** The bits of coordinate − min so far, first bit highest. */
const ABOVE = COORDINATE + 5;
/** The bits of max − coordinate so far. */
const BELOW = COORDINATE + 6;
const COLUMN_COUNT = COORDINATE + 7;

/**
 * Knowledge of committed coordinates in a public box (docs/stark-format.md, section 11).
 *
 * Permutation 0 absorbs the salt, permutation p > 0 the coordinate of axis p − 1, and while it runs, its 32 rows collect the
 * 32 bits of coordinate − min and of max − coordinate. Sound: the sums are integers below 2^32 that equal those differences
 * modulo p; min and max are public with 0 ≤ max − min < 2^32, so min ≤ coordinate ≤ max holds of integers. The coordinate
 * that is checked in row 31 is the one absorbed in row 0, since it is constant in between.
 */
export const spatialBoxAir = defineAir<SpatialBoxPublicInputs, SpatialBoxWitness>({
  id: 'spatial-box/v1',
  field: 'goldilocks',
  zeroKnowledge: 'always',
  columnCount: COLUMN_COUNT,
  constraintDegree: 3,
  transitionNames: [
    ...rows.transitionNames,
    'coordinate is constant within a permutation',
    'bit above is a bit',
    'bit below is a bit',
    'bits above are collected',
    'bits below are collected',
    'coordinate is at least the lower bound',
    'coordinate is at most the upper bound',
  ],
  traceLengthMin: 128,
  periodicColumns: rows.periodicColumns,

  evaluateTransition<E>(over: Field<E>, frame: TransitionFrame<E>): E[] {
    const { current, next, periodic } = frame;
    const absorb = rows.absorbSelector(periodic);
    const steps = rows.evaluate(over, frame, lane => {
      const change = over.sub(next[lane], current[lane]);
      return lane === 0 ? over.sub(change, next[COORDINATE]) : change;
    });
    const notAbsorb = over.sub(over.one, absorb);
    const isBit = (bit: E) => over.mul(bit, over.sub(bit, over.one));
    // Doubled within a permutation, begun anew by the next.
    const collected = (sum: number, bit: number) => {
      const doubled = over.mul(notAbsorb, over.add(current[sum], current[sum]));
      return over.sub(next[sum], over.add(doubled, next[bit]));
    };
    return [
      ...steps,
      over.mul(notAbsorb, over.sub(next[COORDINATE], current[COORDINATE])),
      isBit(current[ABOVE_BIT]),
      isBit(current[BELOW_BIT]),
      collected(ABOVE, ABOVE_BIT),
      collected(BELOW, BELOW_BIT),
      over.mul(absorb, over.sub(over.sub(current[COORDINATE], current[LOWER]), current[ABOVE])),
      over.mul(absorb, over.sub(over.sub(current[UPPER], current[COORDINATE]), current[BELOW])),
    ];
  },

  boundaryConstraints({ axes, parcelHash, commitment }, rowCount): BoundaryConstraint[] {
    const needed = rowsOf(axes.length);
    if (needed > rowCount) {
      throw new PublicInputError('axes', `take ${needed} rows, but this trace has ${rowCount}`);
    }
    const capacity = initialState(axes, parcelHash).slice(rate);
    const last = lastRowOf(axes.length);
    return [
      ...capacity.map((value, i) => ({ column: rate + i, row: 0, value })),
      ...axes.flatMap(({ min, max }, i) => [
        { column: LOWER, row: lastRowOf(i + 1), value: elementOf(min) },
        { column: UPPER, row: lastRowOf(i + 1), value: elementOf(max) },
      ]),
      ...commitment.map((value, column) => ({ column, row: last, value })),
    ];
  },

  publicInputElements: ({ axes, parcelHash, commitment }) => [
    BigInt(axes.length),
    ...axes.flatMap(({ name, min, max }) => [codeOf(name), elementOf(min), elementOf(max)]),
    ...sponge.limbsOf(parcelHash),
    ...commitment,
  ],

  publicInputsFromJson(json): SpatialBoxPublicInputs {
    const record = recordFromJson(json, ['frame', 'axes', 'parcelHash', 'commitment']);
    const axes = axesFromJson(record.axes);
    if (frameOf(axes.map(({ name }) => name)) !== record.frame) {
      throw new PublicInputError('frame', 'must be the frame that the axes make up, "wgs84" or "metric"');
    }
    return {
      axes,
      parcelHash: bytes32FromJson(record.parcelHash, 'parcelHash'),
      commitment: elementsFromJson(record.commitment, 'commitment', rate, field),
    };
  },

  publicInputsToJson: ({ axes, parcelHash, commitment }) => ({
    frame: frameOf(axes.map(({ name }) => name)),
    axes: axes.map(({ name, min, max }) => ({ name, unit: AXIS_SCALES[name].unit, min, max })),
    parcelHash: `0x${[...parcelHash].map(byte => byte.toString(16).padStart(2, '0')).join('')}`,
    commitment: elementsToJson(commitment, field),
  }),

  witnessFromJson: spatialBoxWitnessFromJson,
  opening: ({ salt }) => ({ salt: saltToJson(salt) }),
  rowsNeeded: ({ axes }) => rowsOf(axes.length),

  execute(over, witness, rowCount): Execution<SpatialBoxPublicInputs> {
    const { axes, place, parcelHash, salt } = witness;
    assertWitness(witness, rowCount);
    const columns = Array.from({ length: COLUMN_COUNT }, () => new BigUint64Array(rowCount));
    let state = initialState(axes, parcelHash);
    let commitment: readonly bigint[] = [];
    for (let p = 0; p * ROWS_PER_PERMUTATION < rowCount; p++) {
      const axis = axes.at(p - 1);
      const isAxis = p >= 1 && p <= axes.length && axis !== undefined;
      const coordinate = isAxis ? elementOf(place[p - 1]) : 0n;
      const block = p === 0 ? sponge.block(salt, 0) : [coordinate, 0n, 0n, 0n];
      state = rows.write(over, columns, p * ROWS_PER_PERMUTATION, sponge.add(state, block, over));
      if (p === axes.length) commitment = state.slice(0, rate);
      if (isAxis) writeRangeCheck(columns, p * ROWS_PER_PERMUTATION, place[p - 1], axis);
    }
    return { columns, publicInputs: { axes, parcelHash, commitment } };
  },

  executionOperations(rowCount) {
    const { additions, multiplications } = rows.operations(rowCount);
    return { additions: additions + rate * Math.ceil(rowCount / ROWS_PER_PERMUTATION), multiplications };
  },
});

/** Row 31 of permutation p. */
function lastRowOf(p: number): number {
  return ROWS_PER_PERMUTATION * (p + 1) - 1;
}

// One row more than the permutations take: the comparison in the last row belongs to the step out of it.
function rowsOf(axisCount: number): number {
  return ROWS_PER_PERMUTATION * (axisCount + 1) + 1;
}

function writeRangeCheck(
  columns: readonly BigUint64Array[],
  firstRow: number,
  value: number,
  axis: BoxAxis,
): void {
  const end = Math.min(ROWS_PER_PERMUTATION, columns[0].length - firstRow);
  const [above, below] = [BigInt(value - axis.min), BigInt(axis.max - value)];
  for (let j = 0; j < end; j++) {
    const row = firstRow + j;
    const shift = BigInt(DIFFERENCE_BITS - 1 - j);
    columns[COORDINATE][row] = elementOf(value);
    columns[LOWER][row] = elementOf(axis.min);
    columns[UPPER][row] = elementOf(axis.max);
    columns[ABOVE][row] = above >> shift;
    columns[BELOW][row] = below >> shift;
    columns[ABOVE_BIT][row] = (above >> shift) & 1n;
    columns[BELOW_BIT][row] = (below >> shift) & 1n;
  }
}

// Everything public is hashed in the clear: tag, axes, parcel. A u16 count makes the bytes no beginning of others.
function initialState(axes: readonly BoxAxis[], parcelHash: Uint8Array): bigint[] {
  const head = Uint8Array.of(axes.length & 0xff, axes.length >> 8);
  const bounds = axes.map(({ name, min, max }) => {
    const bytes = new Uint8Array(17);
    const view = new DataView(bytes.buffer);
    view.setUint8(0, Number(codeOf(name)));
    view.setBigInt64(1, BigInt(min), true);
    view.setBigInt64(9, BigInt(max), true);
    return bytes;
  });
  return sponge.absorb(sponge.initialState(TAG), sponge.blocks(concatBytes(head, ...bounds, parcelHash)));
}

function assertWitness({ axes, place, parcelHash, salt }: SpatialBoxWitness, rowCount: number): void {
  assertSalt(salt);
  if (parcelHash.length !== 32)
    throw new WitnessError('malformed-witness', 'parcelHash', 'must have 32 bytes');
  if (axes.length < 1 || axes.length > AXES_MAX || place.length !== axes.length) {
    throw new WitnessError('malformed-witness', 'place', `must have one integer an axis, 1 to ${AXES_MAX}`);
  }
  axes.forEach((axis, i) => {
    const fault = boxFault(axis);
    if (fault) throw new WitnessError('input-out-of-range', `bounds.${i}`, fault);
    if (!Number.isSafeInteger(place[i])) {
      throw new WitnessError('malformed-witness', `coordinates.${i}`, 'must be an integer');
    }
    assertInside(place[i], axis, `coordinates.${i}`);
  });
  const needed = rowsOf(axes.length);
  if (needed > rowCount) {
    const message = `take ${needed} rows, but the trace has ${rowCount}`;
    throw new WitnessError('input-exceeds-trace', 'coordinates', message, { max: rowCount, got: needed });
  }
}

function axesFromJson(json: unknown): BoxAxis[] {
  if (!Array.isArray(json) || json.length < 1 || json.length > AXES_MAX) {
    throw new PublicInputError('axes', `must be an array of 1 to ${AXES_MAX} axes`);
  }
  return json.map((axisJson: unknown, i) => {
    const path = `axes.${i}`;
    const record = recordFromJson(axisJson, ['name', 'unit', 'min', 'max'], path);
    const name = AXIS_NAMES.find(known => known === record.name);
    if (!name) throw new PublicInputError(`${path}.name`, `must be one of ${AXIS_NAMES.join(', ')}`);
    const { unit } = AXIS_SCALES[name];
    if (record.unit !== unit) throw new PublicInputError(`${path}.unit`, `must be "${unit}"`);
    const axis = {
      name,
      min: integerFromJson(record.min, `${path}.min`, -COORDINATE_BOUND, COORDINATE_BOUND),
      max: integerFromJson(record.max, `${path}.max`, -COORDINATE_BOUND, COORDINATE_BOUND),
    };
    const fault = boxFault(axis);
    if (fault) throw new PublicInputError(path, fault);
    return axis;
  });
}

function bytes32FromJson(json: unknown, path: string): Uint8Array {
  if (typeof json !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(json)) {
    throw new PublicInputError(path, 'must be 0x and 64 hexadecimal digits');
  }
  return Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(json.slice(2 + 2 * i, 4 + 2 * i), 16));
}

function codeOf(name: AxisName): bigint {
  return BigInt(AXIS_NAMES.indexOf(name));
}

function elementOf(value: number): bigint {
  return value < 0 ? field.modulus + BigInt(value) : BigInt(value);
}
