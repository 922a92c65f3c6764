const PAGE_BYTES = 65_536;
const ALIGNMENT_BYTES = 64;
/** The maximum that the module declares. */
const MEMORY_BYTES_MAX = 16_384 * PAGE_BYTES;

/**
 * The functions of `dsp.wasm` (assembly/dsp.ts). Addresses are bytes in the module's memory, 16-byte aligned where vectors are
 * read; counts are of floats of 32 bits unless said otherwise. Nothing checks bounds but WebAssembly's own.
 */
export interface DspExports {
  readonly memory: WebAssembly.Memory;
  heapBase(): number;
  fft(
    data: number,
    work: number,
    size: number,
    columns: number,
    twiddles: number,
    isInverse: boolean,
  ): number;
  multiplySpectra(a: number, b: number, count: number): void;
  scaleFloats(to: number, from: number, factor: number, count: number): void;
  slidingSums(out: number, x: number, taps: number, tapCount: number, count: number): void;
  decimatingSums(
    out: number,
    x: number,
    taps: number,
    tapCount: number,
    count: number,
    decimation: number,
  ): void;
  polyphase(
    out: number,
    x: number,
    filters: number,
    tapCount: number,
    phases: number,
    phase: number,
    step: number,
    count: number,
  ): void;
  interpolateSteps(
    out: number,
    x: number,
    filters: number,
    tapCount: number,
    phases: number,
    first: number,
    step: number,
    origin: number,
    count: number,
  ): void;
  interpolateAt(
    out: number,
    x: number,
    filters: number,
    tapCount: number,
    phases: number,
    places: number,
    count: number,
  ): void;
  toneHops(
    out: number,
    stride: number,
    x: number,
    ends: number,
    hops: number,
    first: number,
    cycles: number,
  ): void;
}

/** More memory was asked for than the module may have, or than the host would give. */
export class DspMemoryError extends Error {
  override readonly name = 'DspMemoryError';
  readonly code = 'DSP_MEMORY_EXHAUSTED';
  readonly max = MEMORY_BYTES_MAX;

  constructor(readonly got: number) {
    super(`signal processing memory is bounded by ${MEMORY_BYTES_MAX} bytes, ${got} were needed`);
  }
}

/**
 * One instance of `dsp.wasm` and its memory, which transforms and filters share: each takes its buffers from it once, and gives
 * them back by `free()`. It grows as needed and never shrinks; one thread uses it.
 */
export class Dsp {
  readonly #memory: WebAssembly.Memory;
  readonly #vacant = new Map<number, number[]>();
  readonly #tables = new Map<string, number>();
  #top: number;

  constructor(readonly exports: DspExports) {
    this.#memory = exports.memory;
    this.#top = Math.ceil(exports.heapBase() / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
  }

  /** How much of the memory has been used so far. */
  get usedBytes(): number {
    return this.#top;
  }

  /**
   * Room for `count` floats, 64-byte aligned; contents are undefined.
   * @throws DspMemoryError past the bound
   */
  allocate(count: number): number {
    const sizeBytes = roomBytes(count);
    const again = this.#vacant.get(sizeBytes)?.pop();
    if (again !== undefined) return again;
    const address = this.#top;
    const missing = address + sizeBytes - this.#memory.buffer.byteLength;
    if (missing > 0) this.#grow(missing, address + sizeBytes);
    this.#top += sizeBytes;
    return address;
  }

  /** Gives back what `allocate(count)` gave: the same count. */
  release(address: number, count: number): void {
    const sizeBytes = roomBytes(count);
    const vacant = this.#vacant.get(sizeBytes);
    if (vacant) vacant.push(address);
    else this.#vacant.set(sizeBytes, [address]);
  }

  /** A view of floats; valid until the memory grows. */
  floats(address: number, count: number): Float32Array {
    return new Float32Array(this.#memory.buffer, address, count);
  }

  /** A view of doubles; valid until the memory grows. */
  doubles(address: number, count: number): Float64Array {
    return new Float64Array(this.#memory.buffer, address, count);
  }

  /** A view of 32-bit words; valid until the memory grows. */
  words(address: number, count: number): Int32Array {
    return new Int32Array(this.#memory.buffer, address, count);
  }

  /** A table that everything of this instance shares: made at its first use, and never released. */
  table(name: string, make: () => Float32Array): number {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const values = make();
    const address = this.allocate(values.length);
    this.floats(address, values.length).set(values);
    this.#tables.set(name, address);
    return address;
  }

  #grow(missingBytes: number, neededBytes: number): void {
    // By an eighth at least, since each growth makes every view anew.
    const pages = Math.ceil(Math.max(missingBytes, this.#memory.buffer.byteLength / 8) / PAGE_BYTES);
    for (const more of [pages, Math.ceil(missingBytes / PAGE_BYTES)]) {
      try {
        this.#memory.grow(more);
        return;
      } catch {
        // The second try is for what is missing alone.
      }
    }
    throw new DspMemoryError(neededBytes);
  }
}

/** Rooms come in few sizes (eight to a doubling), so that what one user gave back fits the next. */
function roomBytes(count: number): number {
  const bytes = Math.max(4 * count, ALIGNMENT_BYTES);
  const grain = Math.max(2 ** (Math.floor(Math.log2(bytes)) - 3), ALIGNMENT_BYTES);
  return Math.ceil(bytes / grain) * grain;
}

/**
 * An instance of the compiled `dsp.wasm` (in Node: `loadDspModule`; a page compiles the file itself).
 *
 * @example
 * const dsp = instantiateDsp(await loadDspModule());
 * const fft = new ComplexFft(dsp, 1024);
 */
export function instantiateDsp(module: WebAssembly.Module): Dsp {
  return new Dsp(new WebAssembly.Instance(module).exports as unknown as DspExports);
}
