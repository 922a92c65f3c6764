/** Takes consecutive slices of untrusted bytes; never reads or allocates past their end. */
export class ProofReader {
  private offset = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** The next `length` bytes as a view, or undefined if fewer are left. */
  take(length: number): Uint8Array | undefined {
    if (length > this.bytes.length - this.offset) return undefined;
    const slice = this.bytes.subarray(this.offset, this.offset + length);
    this.offset += length;
    return slice;
  }

  get remaining(): number {
    return this.bytes.length - this.offset;
  }
}
