import type { Field } from '../field/field.js';
import { goldilocks, GOLDILOCKS_MODULUS } from '../field/goldilocks.js';
import {
  EXTERNAL_FINAL_CONSTANTS,
  EXTERNAL_INITIAL_CONSTANTS,
  INTERNAL_CONSTANTS,
} from './poseidon2-constants.js';

export const POSEIDON2_WIDTH = 8;

const HALF = (GOLDILOCKS_MODULUS + 1n) / 2n;

/** The internal matrix less the all-ones matrix (Plonky3's `MATRIX_DIAG_8_GOLDILOCKS`): −2, 1, 2, 1/2, 3, −1/2, −3, −4. */
export const INTERNAL_DIAGONAL: readonly bigint[] = [
  GOLDILOCKS_MODULUS - 2n,
  1n,
  2n,
  HALF,
  3n,
  GOLDILOCKS_MODULUS - HALF,
  GOLDILOCKS_MODULUS - 3n,
  GOLDILOCKS_MODULUS - 4n,
];

/** One round: constants for all 8 lanes (zeros where none is added), and whether every lane passes the S-box. */
export interface Poseidon2Round {
  readonly full: boolean;
  readonly constants: readonly bigint[];
}

/** The 30 rounds in order: 4 full, 22 partial (the S-box on lane 0 alone), 4 full. */
export const POSEIDON2_ROUNDS: readonly Poseidon2Round[] = [
  ...EXTERNAL_INITIAL_CONSTANTS.map(constants => ({ full: true, constants })),
  ...INTERNAL_CONSTANTS.map(constant => ({ full: false, constants: [constant, 0n, 0n, 0n, 0n, 0n, 0n, 0n] })),
  ...EXTERNAL_FINAL_CONSTANTS.map(constants => ({ full: true, constants })),
];

/** circ(2·M4, M4) with M4 = [[2,3,1,1],[1,2,3,1],[1,1,2,3],[3,1,1,2]] (ePrint 2023/323, section 5.1). 34 additions. */
export function externalMatrix<E>(field: Field<E>, state: readonly E[]): E[] {
  const low = multiplyM4(field, state[0], state[1], state[2], state[3]);
  const high = multiplyM4(field, state[4], state[5], state[6], state[7]);
  const sums = low.map((value, i) => field.add(value, high[i]));
  return [...low, ...high].map((value, i) => field.add(value, sums[i % 4]));
}

/** 1 + diag(INTERNAL_DIAGONAL) (ePrint 2023/323, section 5.2). 8 scalings and 15 additions. */
export function internalMatrix<E>(field: Field<E>, state: readonly E[]): E[] {
  let sum = state[0];
  for (let i = 1; i < POSEIDON2_WIDTH; i++) sum = field.add(sum, state[i]);
  return state.map((value, i) => field.add(sum, field.scale(value, INTERNAL_DIAGONAL[i])));
}

/** The Poseidon2 permutation of width 8 over Goldilocks (ePrint 2023/323), Plonky3's default instance. */
export function poseidon2Permute(state: readonly bigint[], field: Field<bigint> = goldilocks): bigint[] {
  let lanes = externalMatrix(field, state);
  for (const round of POSEIDON2_ROUNDS) {
    if (round.full) {
      lanes = externalMatrix(
        field,
        lanes.map((lane, i) => seventhPower(field, field.add(lane, round.constants[i]))),
      );
    } else {
      const first = seventhPower(field, field.add(lanes[0], round.constants[0]));
      lanes = internalMatrix(field, [first, ...lanes.slice(1)]);
    }
  }
  return lanes;
}

function seventhPower(field: Field<bigint>, x: bigint): bigint {
  const cube = field.mul(field.mul(x, x), x);
  return field.mul(field.mul(cube, cube), x);
}

// Seven additions and two doublings, following the row sums of the circulant.
function multiplyM4<E>(field: Field<E>, x0: E, x1: E, x2: E, x3: E): [E, E, E, E] {
  const x01 = field.add(x0, x1);
  const x23 = field.add(x2, x3);
  const sum = field.add(x01, x23);
  const sumAndX1 = field.add(sum, x1);
  const sumAndX3 = field.add(sum, x3);
  return [
    field.add(sumAndX1, x01),
    field.add(sumAndX1, field.add(x2, x2)),
    field.add(sumAndX3, x23),
    field.add(sumAndX3, field.add(x0, x0)),
  ];
}
