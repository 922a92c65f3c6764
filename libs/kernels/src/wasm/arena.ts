const PAGE_BYTES = 65_536;
const ALIGNMENT_BYTES = 64;

/** Most bytes the kernels' memory may grow to: the maximum that the module declares. */
export const KERNEL_MEMORY_BYTES_MAX = 32_768 * PAGE_BYTES;

/** More kernel memory was asked for than there may be, or than the host would give. */
export class KernelMemoryError extends Error {
  readonly code = 'KERNEL_MEMORY_EXHAUSTED';

  constructor(
    readonly max: number,
    readonly got: number,
  ) {
    super(`kernel memory is bounded by ${max} bytes, ${got} were needed`);
    this.name = 'KernelMemoryError';
  }
}

/** A fresh shared memory that the module can be instantiated on; physical pages follow use. */
export function createKernelMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 16, maximum: KERNEL_MEMORY_BYTES_MAX / PAGE_BYTES, shared: true });
}

/** A stack of allocations in a kernel memory, which grows as needed and never shrinks. */
export class Arena {
  private top: number;

  /** @param base first free address */
  constructor(
    readonly memory: WebAssembly.Memory,
    base: number,
  ) {
    this.top = align(base);
  }

  /** Bytes below the top of the stack. */
  get usedBytes(): number {
    return this.top;
  }

  /**
   * Reserves `sizeBytes`, 64-byte aligned; contents are undefined.
   * @throws KernelMemoryError past the bound
   */
  allocate(sizeBytes: number): number {
    const address = this.top;
    const end = align(address + sizeBytes);
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) {
      try {
        this.memory.grow(Math.ceil(missing / PAGE_BYTES));
      } catch {
        throw new KernelMemoryError(KERNEL_MEMORY_BYTES_MAX, end);
      }
    }
    this.top = end;
    return address;
  }

  /** Frees everything allocated since `usedBytes` was `mark`. */
  release(mark: number): void {
    this.top = mark;
  }

  /** A view of elements; valid until the memory grows. */
  elements(address: number, count: number): BigUint64Array {
    return new BigUint64Array(this.memory.buffer, address, count);
  }

  /** A view of 32-bit words; valid until the memory grows. */
  words(address: number, count: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, address, count);
  }

  /** A view of bytes; valid until the memory grows. */
  bytes(address: number, count: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, address, count);
  }

  /** Allocates and fills from elements. */
  store(values: ArrayLike<bigint>): number {
    const address = this.allocate(8 * values.length);
    this.elements(address, values.length).set(values);
    return address;
  }

  /** Allocates and fills from 32-bit words. */
  storeWords(values: ArrayLike<number>): number {
    const address = this.allocate(4 * values.length);
    this.words(address, values.length).set(values);
    return address;
  }

  /** Allocates and fills from bytes. */
  storeBytes(values: Uint8Array): number {
    const address = this.allocate(values.length);
    this.bytes(address, values.length).set(values);
    return address;
  }
}

function align(address: number): number {
  return Math.ceil(address / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
}
