import type { BaseField, Field } from '../field/field.js';
import { poseidon2Constants } from './poseidon2-constants.js';
import { SmallPermutation, type Poseidon2Round } from './small-permutation.js';

/** What tells one Poseidon2 permutation from another. */
export interface Poseidon2Spec {
  readonly field: BaseField;
  /** Lanes, a multiple of 4. */
  readonly width: number;
  /** α of the S-box x^α, prime to p − 1. */
  readonly sboxDegree: 5 | 7;
  /** Rounds with the S-box on every lane; half of them before the partial ones and half after. */
  readonly fullRoundCount: number;
  /** Rounds with the S-box on lane 0 alone. */
  readonly partialRoundCount: number;
  /** The internal matrix less the all-ones matrix. */
  readonly internalDiagonal: readonly bigint[];
}

/**
 * A Poseidon2 permutation (ePrint 2023/323): M_E, then rounds of constants, S-box and M_E or M_I.
 * The layers work over any field that extends the base field, so that constraints are written with them.
 */
export class Poseidon2 {
  readonly field: BaseField;
  readonly width: number;
  readonly rounds: readonly Poseidon2Round[];
  readonly internalDiagonal: readonly bigint[];
  private readonly sboxDegree: 5 | 7;
  /** The same permutation on plain numbers, where the field is small enough. */
  private readonly small: SmallPermutation | undefined;

  constructor(spec: Poseidon2Spec) {
    const { field, width, fullRoundCount, partialRoundCount } = spec;
    if (width % 4 !== 0 || spec.internalDiagonal.length !== width) {
      throw new RangeError(`width must be a multiple of 4 with a diagonal of as many entries, got ${width}`);
    }
    this.field = field;
    this.width = width;
    this.internalDiagonal = spec.internalDiagonal;
    this.sboxDegree = spec.sboxDegree;
    const constants = poseidon2Constants({
      modulus: field.modulus,
      width,
      fullRoundCount,
      partialRoundCount,
    });
    const take = (count: number) => constants.splice(0, count);
    const full = () => ({ full: true, constants: take(width) });
    const partial = () => ({ full: false, constants: [...take(1), ...Array<bigint>(width - 1).fill(0n)] });
    const half = Array.from({ length: fullRoundCount / 2 });
    this.rounds = [
      ...half.map(full),
      ...Array.from({ length: partialRoundCount }, partial),
      ...half.map(full),
    ];
    const { modulus } = field;
    if (modulus < 2n ** 31n) {
      this.small = new SmallPermutation(Number(modulus), spec.sboxDegree, this.rounds, spec.internalDiagonal);
    }
  }

  /** @param field the base field, or one that counts: that one sees every operation */
  permute(state: readonly bigint[], field: Field<bigint> = this.field): bigint[] {
    if (field === this.field) return this.small?.permute(state) ?? this.permuteUnreduced(state);
    let lanes = this.externalMatrix(field, state);
    for (const { full, constants } of this.rounds) {
      if (full) {
        const powers = lanes.map((lane, i) => this.sbox(field, field.add(lane, constants[i])));
        lanes = this.externalMatrix(field, powers);
      } else {
        const first = this.sbox(field, field.add(lanes[0], constants[0]));
        lanes = this.internalMatrix(field, [first, ...lanes.slice(1)]);
      }
    }
    return lanes;
  }

  /** circ(2·M4, M4, …, M4) with M4 = [[2,3,1,1],[1,2,3,1],[1,1,2,3],[3,1,1,2]] (section 5.1). */
  externalMatrix<E>(field: Field<E>, state: readonly E[]): E[] {
    const blocks: E[][] = [];
    for (let i = 0; i < this.width; i += 4) {
      blocks.push(multiplyM4(field, state[i], state[i + 1], state[i + 2], state[i + 3]));
    }
    const [first, ...others] = blocks;
    const sums = [...first];
    for (const block of others) for (let i = 0; i < 4; i++) sums[i] = field.add(sums[i], block[i]);
    const mixed: E[] = [];
    for (const block of blocks) for (let i = 0; i < 4; i++) mixed.push(field.add(block[i], sums[i]));
    return mixed;
  }

  /** All ones + diag(internalDiagonal) (section 5.2). */
  internalMatrix<E>(field: Field<E>, state: readonly E[]): E[] {
    const sum = state.reduce((total, value) => field.add(total, value));
    return state.map((value, i) => field.add(sum, field.scale(value, this.internalDiagonal[i])));
  }

  /** x^α from x and x³: degree 3 in the two, so that an S-box is two constraints of degree 3. */
  sboxFromCube<E>(field: Field<E>, cube: E, x: E): E {
    return this.sboxDegree === 7 ? field.mul(field.mul(cube, cube), x) : field.mul(field.mul(cube, x), x);
  }

  // The same with sums left unreduced until they are multiplied: BigInt has no overflow, and remainders are what costs.
  private permuteUnreduced(state: readonly bigint[]): bigint[] {
    const { modulus } = this.field;
    const { width, internalDiagonal: diagonal } = this;
    const lanes = [...state];
    mixLanes(lanes);
    for (const { full, constants } of this.rounds) {
      if (full) {
        for (let i = 0; i < width; i++) lanes[i] = this.sboxUnreduced(lanes[i] + constants[i]);
        mixLanes(lanes);
        continue;
      }
      lanes[0] = this.sboxUnreduced(lanes[0] + constants[0]);
      let sum = 0n;
      for (const lane of lanes) sum += lane;
      for (let i = 0; i < width; i++) lanes[i] = (sum + diagonal[i] * lanes[i]) % modulus;
    }
    return lanes.map(lane => lane % modulus);
  }

  private sboxUnreduced(x: bigint): bigint {
    const { modulus } = this.field;
    const square = (x * x) % modulus;
    const fourth = (square * square) % modulus;
    return (this.sboxDegree === 7 ? fourth * ((square * x) % modulus) : fourth * x) % modulus;
  }

  private sbox(field: Field<bigint>, x: bigint): bigint {
    return this.sboxFromCube(field, field.mul(field.mul(x, x), x), x);
  }
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

// circ(2·M4, M4, …, M4) in place, as externalMatrix has it, without reduction.
function mixLanes(lanes: bigint[]): void {
  const sums = [0n, 0n, 0n, 0n];
  for (let i = 0; i < lanes.length; i += 4) {
    const [x0, x1, x2, x3] = [lanes[i], lanes[i + 1], lanes[i + 2], lanes[i + 3]];
    const sum = x0 + x1 + x2 + x3;
    sums[0] += lanes[i] = sum + x0 + x1 + x1;
    sums[1] += lanes[i + 1] = sum + x1 + x2 + x2;
    sums[2] += lanes[i + 2] = sum + x2 + x3 + x3;
    sums[3] += lanes[i + 3] = sum + x3 + x0 + x0;
  }
  for (let i = 0; i < lanes.length; i++) lanes[i] += sums[i % 4];
}
