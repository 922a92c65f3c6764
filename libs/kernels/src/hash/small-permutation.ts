/** One round: constants for all lanes (zeros where none is added), and whether every lane passes the S-box. */
export interface Poseidon2Round {
  readonly full: boolean;
  readonly constants: readonly bigint[];
}

const HALF = 2 ** 16;

/**
 * Poseidon2 over a field of at most 31 bits on plain numbers, some ten times as fast as on BigInt. Sums of lanes stay below
 * 2^53, and a product is made from the halves of one factor.
 */
export class SmallPermutation {
  private readonly constants: readonly Float64Array[];
  private readonly full: readonly boolean[];
  private readonly diagonal: Float64Array;
  private readonly inverseModulus: number;

  constructor(
    private readonly modulus: number,
    private readonly sboxDegree: 5 | 7,
    rounds: readonly Poseidon2Round[],
    internalDiagonal: readonly bigint[],
  ) {
    if (modulus >= 2 ** 31) throw new RangeError(`the modulus must be below 2^31, got ${modulus}`);
    this.constants = rounds.map(({ constants }) => Float64Array.from(constants, Number));
    this.full = rounds.map(({ full }) => full);
    this.diagonal = Float64Array.from(internalDiagonal, Number);
    this.inverseModulus = 1 / modulus;
  }

  permute(state: readonly bigint[]): bigint[] {
    const lanes = Float64Array.from(state, Number);
    this.mixExternal(lanes);
    for (let round = 0; round < this.full.length; round++) {
      const constants = this.constants[round];
      if (this.full[round]) {
        for (let i = 0; i < lanes.length; i++) lanes[i] = this.sbox(this.reduce(lanes[i] + constants[i]));
        this.mixExternal(lanes);
        continue;
      }
      lanes[0] = this.sbox(this.reduce(lanes[0] + constants[0]));
      for (let i = 1; i < lanes.length; i++) lanes[i] = this.reduce(lanes[i]);
      let sum = 0;
      for (let i = 0; i < lanes.length; i++) sum += lanes[i];
      for (let i = 0; i < lanes.length; i++) lanes[i] = this.multiply(lanes[i], this.diagonal[i]) + sum;
    }
    return Array.from(lanes, lane => BigInt(this.reduce(lane)));
  }

  /** x below 2^52, so that quotient and product are exact, the quotient but for one. */
  private reduce(x: number): number {
    const rest = x - Math.floor(x * this.inverseModulus) * this.modulus;
    if (rest < 0) return rest + this.modulus;
    return rest >= this.modulus ? rest - this.modulus : rest;
  }

  private multiply(a: number, b: number): number {
    const low = b % HALF;
    return this.reduce(this.reduce((a * (b - low)) / HALF) * HALF + a * low);
  }

  private sbox(x: number): number {
    const square = this.multiply(x, x);
    const fourth = this.multiply(square, square);
    return this.multiply(fourth, this.sboxDegree === 7 ? this.multiply(square, x) : x);
  }

  // circ(2·M4, M4, …, M4), without reduction: lanes grow by less than 6 bits.
  private mixExternal(lanes: Float64Array): void {
    const sums = [0, 0, 0, 0];
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
}
