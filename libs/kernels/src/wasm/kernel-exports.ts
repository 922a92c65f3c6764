import type { CircleKernelExports } from './circle-kernel-exports.js';

/** Degree of an extension of the Goldilocks field that the kernels know. */
export type ExtensionDegree = 2 | 3;

/**
 * The functions of `kernels.wasm` (assembly/index.ts). Addresses, strides and sizes are bytes in the shared memory, counts
 * are elements; a Goldilocks element is 8 bytes, little-endian and canonical wherever a kernel reads or leaves it. An
 * extension vector is `degree` planes of base elements, `plane` bytes apart; a single extension element, and a list of them, is
 * the coordinates one after the other. i64 parameters are BigInts; i64 results come back
 * signed. Vector kernels need even counts and 8-byte aligned addresses. Nothing checks bounds but WebAssembly's own.
 */
export interface KernelExports extends CircleKernelExports {
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
  /** Only the groups of eight results whose numbers are listed, 32-bit ones; `dst` must not be `src`. */
  nttGroups(dst: number, src: number, log2Size: number, tree: number, groups: number, count: number): void;
  inverseNtt(at: number, log2Size: number, tree: number): void;
  bitReverseCopy(dst: number, src: number, log2Size: number): void;

  /** Single elements; out may be an operand. */
  extensionMul(degree: ExtensionDegree, out: number, a: number, b: number): void;
  /** `base` is an element's address; count is a power of two, at least 2. */
  extensionPowers(degree: ExtensionDegree, planes: number, plane: number, base: number, count: number): void;
  evaluateAtPowers(
    degree: ExtensionDegree,
    out: number,
    columns: number,
    stride: number,
    width: number,
    powers: number,
    plane: number,
    count: number,
  ): void;
  /** out = Σ weight·column, or added to what is there; `columns` is the address of `width` 32-bit addresses. */
  combineColumns(
    degree: ExtensionDegree,
    out: number,
    plane: number,
    columns: number,
    width: number,
    weights: number,
    first: number,
    count: number,
    isAdded: 0 | 1,
  ): void;
  /** `point` is an element's address. */
  divideByLinear(degree: ExtensionDegree, planes: number, plane: number, point: number, count: number): void;
  /** A base polynomial by a base point. */
  divideByLinearBase(at: number, point: bigint, count: number): void;
  foldByEight(
    degree: ExtensionDegree,
    out: number,
    outPlane: number,
    input: number,
    inputPlane: number,
    powers: number,
    first: number,
    count: number,
  ): void;
  splitTwoResidues(r0: number, r1: number, y0: bigint, inverse: bigint, count: number): void;
  splitThreeResidues(r0: number, r1: number, r2: number, constants: number, count: number): void;

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
    salts: number,
    key: number,
  ): void;
  hashParents(parents: number, children: number, count: number, key: number): void;
  /** From leaf digests up a multiproof; `indices` are 32-bit and, as the digests, overwritten. Returns how many are left. */
  climbMultiproof(
    digests: number,
    indices: number,
    count: number,
    nodes: number,
    levels: number,
    pairs: number,
    key: number,
  ): number;
  /** The least nonce of the range that passes, or −1n. */
  grind(seed: number, first: bigint, count: bigint, bits: number, key: number): bigint;
  /** One search by any number of threads; `search`: the next nonce, then 2^63 − 1, which the least that passes takes the place of. */
  grindTogether(seed: number, search: number, end: bigint, bits: number, key: number): void;

  /** `challenge`: z, zNext, valueAtZ, valueAtZNext, powers of γ; `workspace`: 32 bytes a row. */
  deepValues(
    degree: ExtensionDegree,
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
  foldCosets(
    degree: ExtensionDegree,
    out: number,
    values: number,
    inversePoints: number,
    lambda: number,
    count: number,
  ): void;

  evaluateAtBasePoints(
    degree: ExtensionDegree,
    out: number,
    coefficients: number,
    coefficientCount: number,
    points: number,
    pointCount: number,
  ): void;

  poseidon2Permute(state: number, rounds: number, diagonal: number): void;
  /**
   * A sponge's states, 32 rows a permutation, to as many columns as it has lanes; blocks are absorbed by the first
   * permutations. `state` is where it starts, and then where it ends.
   */
  spongeStates(
    columns: number,
    stride: number,
    permutations: number,
    state: number,
    blocks: number,
    blockCount: number,
    rounds: number,
    diagonal: number,
  ): void;
  /** Cubes and S-boxes of a lane from its states; `constants` has one for each of 32 rows, of which `count` is a multiple. */
  sboxColumns(cube: number, seventh: number, state: number, constants: number, count: number): void;

  /** Fills rows 1 … rowCount − 1 from row 0; `program` as in a constraint job, its last `width` registers the next row. */
  iterateRows(
    elementBytes: number,
    columns: number,
    stride: number,
    width: number,
    rowCount: number,
    constants: number,
    constantCount: number,
    program: number,
    instructionCount: number,
    registerCount: number,
  ): void;

  constraintScratchBytes(
    width: number,
    periodicCount: number,
    constantCount: number,
    registerCount: number,
  ): number;
  /** Blocks of 32 points; `job` is laid out in assembly/constraints.ts. */
  evaluateConstraints(job: number, first: number, count: number): void;
}

export type KernelName = keyof KernelExports;

/** A kernel's name and arguments: a unit of work that any instance on the same memory can do. */
export type KernelCall = {
  [K in KernelName]: readonly [name: K, ...args: Parameters<KernelExports[K]>];
}[KernelName];

/** A call, or several that one instance makes in their order. */
export type KernelTask = KernelCall | readonly KernelCall[];

export type KernelResult = number | bigint | undefined;

/** Instantiates the module on a shared memory. Synchronous: compile first, asynchronously. */
export function instantiateKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): KernelExports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as KernelExports;
}

/** Does a task. @returns what its last call returned */
export function runKernelTask(kernels: KernelExports, task: KernelTask): KernelResult {
  const calls = (typeof task[0] === 'string' ? [task] : task) as readonly KernelCall[];
  let result: KernelResult;
  for (const [name, ...args] of calls) {
    result = (kernels[name] as (...args: readonly (number | bigint)[]) => KernelResult)(...args);
  }
  return result;
}
