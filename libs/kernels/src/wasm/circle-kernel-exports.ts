/**
 * The functions of `kernels.wasm` for the circle STARK. An M31 element is a canonical 32-bit word; a QM31 vector is four planes
 * of words, `plane` bytes apart, and a single QM31 element four words in a row. `tree` is a heap of twiddles and `root` a node
 * of it (assembly/circle-fft.ts). Values on a domain stand in circle order. Vectors are 16-byte aligned, counts multiples of
 * 4 (of 8 for inverses).
 */
export interface CircleKernelExports {
  m31VectorMul(out: number, a: number, b: number, count: number): void;
  m31VectorAdd(out: number, a: number, b: number, count: number): void;
  m31VectorSub(out: number, a: number, b: number, count: number): void;
  m31VectorScale(out: number, a: number, factor: number, count: number): void;
  m31VectorAddScaled(out: number, a: number, factor: number, count: number): void;
  /** Values must not be zero; `out` must not overlap `input`. */
  m31BatchInverse(out: number, input: number, count: number): void;

  /** See spongeStates. */
  m31SpongeStates(
    columns: number,
    stride: number,
    permutations: number,
    state: number,
    blocks: number,
    blockCount: number,
    rounds: number,
    diagonal: number,
  ): void;
  m31SboxColumns(cube: number, fifth: number, state: number, constants: number, count: number): void;

  /** Twiddles of the twin-coset of 2^log2Size points that starts at (x, y); log2Size ≥ 4. */
  circleTwiddles(tree: number, root: number, log2Size: number, x: number, y: number): void;
  /** Rows 0, 1, 2, … of a trace to circle order. */
  circleOrderCopy(dst: number, src: number, log2Size: number): void;
  /** Coefficients to values; log2Size ≥ 4, dst may be src. */
  circleFft(dst: number, src: number, log2Size: number, tree: number, root: number): void;
  /** circleFft for `count` leaves of eight positions alone, ascending; the other positions are not to be read. */
  circleFftLeaves(
    dst: number,
    src: number,
    log2Size: number,
    tree: number,
    root: number,
    leaves: number,
    count: number,
  ): void;
  /** The values at the first 2^log2Kept positions, into the start of `work`, which holds 2^(log2Size − 1) words. */
  circleFftPrefix(
    work: number,
    src: number,
    log2Size: number,
    log2Kept: number,
    tree: number,
    root: number,
  ): void;
  /** In place; the tree holds inverses. */
  circleInverseFft(at: number, log2Size: number, tree: number, root: number): void;
  /** a·x + b·y + c at each position. */
  circleLine(
    out: number,
    log2Size: number,
    tree: number,
    root: number,
    a: number,
    b: number,
    c: number,
  ): void;

  /** (1 + x')/y' at each position less the point (x, y); log2Size ≥ 3. */
  circleRowFactor(out: number, log2Size: number, tree: number, root: number, x: number, y: number): void;

  /** Elements in a row; out may be an operand. */
  qm31VectorMul(out: number, a: number, b: number, count: number): void;
  /** The 2^factorCount products of the factors at the set bits of an index. */
  qm31TensorBasis(planes: number, plane: number, factors: number, factorCount: number): void;
  /** A polynomial of count·2^log2Low coefficients in a tensor basis given in two parts; log2Low ≥ 3. */
  qm31Evaluate(
    out: number,
    coefficients: number,
    low: number,
    plane: number,
    log2Low: number,
    high: number,
    highPlane: number,
    count: number,
  ): void;
  qm31FoldByEight(
    out: number,
    outPlane: number,
    input: number,
    inputPlane: number,
    powers: number,
    first: number,
    count: number,
  ): void;
  /** out = Σ weight·column over `bytes` of words. `columns` is the address of `width` addresses. */
  qm31Combine(
    out: number,
    plane: number,
    columns: number,
    width: number,
    offset: number,
    weights: number,
    bytes: number,
  ): void;

  /** Blocks of 64 positions; `job` is laid out in assembly/circle-constraints.ts. */
  circleConstraints(job: number, first: number, count: number): void;
  /** Blocks of min(512, size) positions; `job` is laid out in assembly/circle-deep.ts. */
  circleDeep(job: number, first: number, count: number): void;

  /** Bytes of scratch for leaves of up to 255 columns. */
  circleLeafScratchBytes(): number;
  circlePackLeaf(out: number, columns: number, stride: number, width: number, leaf: number): void;
  circleHashLeaves(
    leaves: number,
    columns: number,
    stride: number,
    width: number,
    first: number,
    count: number,
    salts: number,
    key: number,
  ): void;

  /** (x, y) of g_(2^log2Start) + bitrev(j)·g, j = index << shift. */
  circlePointsAt(out: number, indices: number, count: number, shift: number, log2Start: number): void;
  /** The eight points of each leaf of layer 0, from its first. */
  circleLeafPoints(out: number, points: number, count: number): void;
  /** Seven words a leaf, from its first point. */
  circleLeafTwiddles(out: number, points: number, count: number, isLine: number): void;
  /** `workspace`: 32 bytes a row; rowCount a multiple of 8. */
  circleDeepRows(
    out: number,
    traceRows: number,
    traceWidth: number,
    compositionRows: number,
    compositionWidth: number,
    points: number,
    rowCount: number,
    weights: number,
    deepPoints: number,
    workspace: number,
  ): void;
  /** Overwrites the values. */
  circleFoldLeaves(out: number, values: number, inverseTwiddles: number, lambda: number, count: number): void;
  /** A polynomial in the basis of a line at the points' x. */
  circleLineValues(
    out: number,
    coefficients: number,
    log2Length: number,
    points: number,
    count: number,
  ): void;
}
