import {
  type BaseField,
  type BaseFieldName,
  type Poseidon2,
  poseidon2Goldilocks,
  poseidon2M31,
} from '@svc/kernels';

/** Bytes that surely fit into one element. */
const LIMB_BYTES: Readonly<Record<BaseFieldName, number>> = { goldilocks: 7, m31: 3 };

/**
 * The Poseidon2 sponge that statements are hashed with: half of the lanes are rate (the lower ones) and half capacity, a block
 * is added to the rate before each permutation, and the rate after the last permutation is the digest.
 */
export class Poseidon2Sponge {
  /** Lanes of the rate, and of a digest. */
  readonly rate: number;
  readonly blockBytes: number;
  /** Bytes of a limb: 7 over Goldilocks, 3 over M31. */
  readonly limbBytes: number;

  constructor(readonly permutation: Poseidon2) {
    this.rate = permutation.width / 2;
    this.limbBytes = LIMB_BYTES[permutation.field.name];
    this.blockBytes = this.rate * this.limbBytes;
  }

  /**
   * The state before the first block: zeros, and in the capacity the limbs of an ASCII tag, then `numbers`.
   * @param numbers below 2^24, so that they fit any field
   */
  initialState(tag: string, ...numbers: readonly number[]): bigint[] {
    const capacity = [...this.limbsOf(new TextEncoder().encode(tag)), ...numbers.map(BigInt)];
    const { width } = this.permutation;
    if (capacity.length > width - this.rate) throw new RangeError(`${tag} does not fit the capacity`);
    const lanes = [...Array<bigint>(this.rate).fill(0n), ...capacity];
    return [...lanes, ...Array<bigint>(width - lanes.length).fill(0n)];
  }

  /** Bytes as little-endian limbs, the last one padded by zeros. */
  limbsOf(bytes: Uint8Array): bigint[] {
    return Array.from({ length: Math.ceil(bytes.length / this.limbBytes) }, (_, limb) =>
      this.limbAt(bytes, limb),
    );
  }

  blockCountOf(byteCount: number): number {
    return Math.ceil(byteCount / this.blockBytes);
  }

  /** Block `index` of `bytes`, zeros past their end. */
  block(bytes: Uint8Array, index: number): bigint[] {
    return Array.from({ length: this.rate }, (_, limb) => this.limbAt(bytes, index * this.rate + limb));
  }

  /** All blocks of `bytes`; whoever hashes several messages must make them prefix-free. */
  blocks(bytes: Uint8Array): bigint[][] {
    return Array.from({ length: this.blockCountOf(bytes.length) }, (_, index) => this.block(bytes, index));
  }

  /** The state with a block added to its rate. Costs `rate` additions. */
  add(
    state: readonly bigint[],
    block: readonly bigint[],
    field: BaseField = this.permutation.field,
  ): bigint[] {
    return state.map((lane, i) => (i < this.rate ? field.add(lane, block[i]) : lane));
  }

  /** The state after `blocks`, a permutation each. */
  absorb(state: readonly bigint[], blocks: readonly (readonly bigint[])[]): bigint[] {
    let lanes = [...state];
    for (const block of blocks) lanes = this.permutation.permute(this.add(lanes, block));
    return lanes;
  }

  /** The state with the last of `blocks` added and not yet permuted. @param blocks at least one */
  absorbUpToLast(state: readonly bigint[], blocks: readonly (readonly bigint[])[]): bigint[] {
    return this.add(this.absorb(state, blocks.slice(0, -1)), blocks[blocks.length - 1]);
  }

  private limbAt(bytes: Uint8Array, index: number): bigint {
    const start = index * this.limbBytes;
    let limb = 0n;
    for (let i = this.limbBytes - 1; i >= 0; i--) limb = (limb << 8n) | BigInt(bytes[start + i] ?? 0);
    return limb;
  }
}

/** The sponge of each field that traces are written in. */
export const SPONGES: Readonly<Record<BaseFieldName, Poseidon2Sponge>> = {
  goldilocks: new Poseidon2Sponge(poseidon2Goldilocks),
  m31: new Poseidon2Sponge(poseidon2M31),
};
