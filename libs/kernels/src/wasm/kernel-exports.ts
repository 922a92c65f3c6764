/**
 * The functions of `kernels.wasm` (assembly/index.ts). Addresses, strides and sizes are bytes in the shared memory, counts
 * are elements; a Goldilocks element is 8 bytes, little-endian and canonical wherever a kernel reads or leaves it. An
 * extension vector is three planes of base elements, `plane` bytes apart. i64 parameters are BigInts; i64 results come back
 * signed. Vector kernels need even counts and 8-byte aligned addresses. Nothing checks bounds but WebAssembly's own.
 */
export interface KernelExports {
  heapBase(): number;
  setScratch(address: number): void;
  /** Bytes of scratch for hashing leaves of up to 255 columns. */
  scratchBytes(): number;

  glMul(a: bigint, b: bigint): bigint;
  glAdd(a: bigint, b: bigint): bigint;
  glSub(a: bigint, b: bigint): bigint;
  glInverse(a: bigint): bigint;
  glPow(a: bigint, exponent: bigint): bigint;
  vectorMul(out: number, a: number, b: number, count: number): void;
  vectorAdd(out: number, a: number, b: number, count: number): void;
  vectorSub(out: number, a: number, b: number, count: number): void;
  vectorScale(out: number, a: number, factor: bigint, count: number): void;
  /** Zero stays zero; `out` must not overlap `input`. */
  batchInverse(out: number, input: number, count: number): void;

  rootOfUnity(log2Order: number): bigint;
  bitReversedRoots(table: number, log2Size: number, inverted: number): void;
  /** Twiddles of one coset; an inverted tree takes inverted roots and the inverse of the shift. */
  twiddleTree(tree: number, roots: number, log2Size: number, shift: bigint): void;
  /** Coefficients to evaluations in bit-reversed order; log2Size ≥ 3. */
  ntt(dst: number, src: number, log2Size: number, tree: number): void;
  inverseNtt(at: number, log2Size: number, tree: number): void;
  bitReverseCopy(dst: number, src: number, log2Size: number): void;

  cubicVectorMul(out: number, a: number, b: number, count: number): void;
  cubicPowers(planes: number, plane: number, x0: bigint, x1: bigint, x2: bigint, count: number): void;
  evaluateAtPowers(
    out: number,
    columns: number,
    stride: number,
    width: number,
    powers: number,
    plane: number,
    count: number,
  ): void;
  /** `columns` is the address of `width` 32-bit addresses. */
  accumulateColumns(
    out: number,
    plane: number,
    columns: number,
    width: number,
    weights: number,
    first: number,
    count: number,
  ): void;
  accumulateScaled(
    out: number,
    outPlane: number,
    input: number,
    inputPlane: number,
    weight: number,
    first: number,
    count: number,
  ): void;
  divideByLinear(planes: number, plane: number, x0: bigint, x1: bigint, x2: bigint, count: number): void;
  divideByLinearBase(planes: number, plane: number, point: bigint, count: number): void;
  foldByEight(
    out: number,
    outPlane: number,
    input: number,
    inputPlane: number,
    powers: number,
    first: number,
    count: number,
  ): void;
  splitResidues(ra: number, rb: number, a: bigint, inverseDifference: bigint, count: number): void;

  /** Keyed mode with `mode` 16; plain with 0 and the BLAKE3 initial vector as the key. */
  blake3Many(
    out: number,
    messages: number,
    stride: number,
    messageBytes: number,
    count: number,
    key: number,
    mode: number,
  ): void;
  packLeaf(out: number, columns: number, stride: number, width: number, group: number): void;
  hashCosetLeaves(
    leaves: number,
    columns: number,
    stride: number,
    width: number,
    log2Size: number,
    coset: number,
    log2Blowup: number,
    first: number,
    count: number,
    key: number,
  ): void;
  hashParents(parents: number, children: number, count: number, key: number): void;
  /** The least nonce of the range that passes, or −1n. */
  grind(seed: number, first: bigint, count: bigint, bits: number, key: number): bigint;

  /** `challenge`: z, zNext, valueAtZ, valueAtZNext, powers of γ; `workspace`: 32 bytes a row. */
  deepValues(
    out: number,
    traceRows: number,
    compositionRows: number,
    points: number,
    rowCount: number,
    columnCount: number,
    chunkCount: number,
    challenge: number,
    workspace: number,
  ): void;
  /** Overwrites the values. */
  foldCosets(out: number, values: number, inversePoints: number, lambda: number, count: number): void;

  poseidon2Permute(state: number, rounds: number, diagonal: number): void;
  hashChainStates(
    columns: number,
    stride: number,
    initial: number,
    blocks: number,
    blockCount: number,
    permutations: number,
    rounds: number,
    diagonal: number,
    final: number,
  ): void;
  sboxColumns(cube: number, seventh: number, state: number, constants: number, count: number): void;

  constraintScratchBytes(
    width: number,
    periodicCount: number,
    constantCount: number,
    registerCount: number,
  ): number;
  evaluateConstraints(job: number, first: number, count: number): void;
}

export type KernelName = keyof KernelExports;

/** A kernel's name and arguments: a unit of work that any instance on the same memory can do. */
export type KernelCall = {
  [K in KernelName]: readonly [name: K, ...args: Parameters<KernelExports[K]>];
}[KernelName];

export type KernelResult = number | bigint | undefined;

/** Instantiates the module on a shared memory. Synchronous: compile first, asynchronously. */
export function instantiateKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): KernelExports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as KernelExports;
}

/** Calls a kernel by name. */
export function callKernel(kernels: KernelExports, call: KernelCall): KernelResult {
  const [name, ...args] = call;
  return (kernels[name] as (...args: readonly (number | bigint)[]) => KernelResult)(...args);
}
