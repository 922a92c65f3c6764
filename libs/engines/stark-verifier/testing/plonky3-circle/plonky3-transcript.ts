import { keccak_256 } from '@noble/hashes/sha3.js';
import { type Ext, M31_MODULUS } from '@svc/kernels';

/** Plonky3's SerializingChallenger32 over a HashChallenger of Keccak-256. */
export class Plonky3Transcript {
  private input: number[] = [];
  private output: number[] = [];

  observeBytes(bytes: Iterable<number>): void {
    this.output = [];
    this.input.push(...bytes);
  }

  observeElements(elements: readonly bigint[]): void {
    for (const element of elements) {
      const value = Number(element);
      this.observeBytes([value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24]);
    }
  }

  observeExtensions(elements: readonly Ext[]): void {
    this.observeElements(elements.flat());
  }

  /** Of the last bytes of the current hash, four at a time, the first that make an element. */
  sampleElement(): bigint {
    for (;;) {
      const value = BigInt(this.sampleWord() & 0x7fff_ffff);
      if (value < M31_MODULUS) return value;
    }
  }

  sampleExtension(): Ext {
    return [this.sampleElement(), this.sampleElement(), this.sampleElement()];
  }

  sampleBits(count: number): number {
    return this.sampleWord() & (2 ** count - 1);
  }

  private sampleWord(): number {
    const [a, b, c, d] = [this.sampleByte(), this.sampleByte(), this.sampleByte(), this.sampleByte()];
    return a | (b << 8) | (c << 16) | (d << 24);
  }

  private sampleByte(): number {
    if (this.output.length === 0) {
      this.output = [...keccak_256(Uint8Array.from(this.input))];
      // What was hashed goes on as its hash.
      this.input = [...this.output];
    }
    return this.output.pop() as number;
  }
}
