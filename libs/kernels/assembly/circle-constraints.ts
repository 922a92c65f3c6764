// The composition of an AIR's constraints over M31, block by block on a twin-coset of 2N points that
// adding g_N maps to itself. Registers hold BLOCK neighbouring positions (constraints.ts has the Goldilocks
// sibling; the programs are the same).
//
// Position 2j + s is (-1)^s·(S + t·g_N), t = bitrev(j): its successor is t + 1 for s = 0 and t - 1 for
// s = 1, with the same sign. j = 32u + v, so that t = bitrev(v)·N/32 + bitrev(u): a neighbour of t is at the
// same v in another block, unless bitrev(u) wraps, which moves v too.
import { addX4, doubleX4, loadM31, mulDoubled, mulX4, subX4 } from './m31';
import { reverseBits } from './ntt';
import { combineColumns } from './qm31';
import { scratchArea } from './scratch';

/** Positions of a block, and bytes of a register. */
const BLOCK: usize = 64;
const BLOCK_BYTES: usize = 256;
/** A block is 32 points and their negatives. */
const LOG_PAIRS: i32 = 5;
const PAIRS: u32 = 32;

const OP_ADD: u32 = 0;
const OP_SUB: u32 = 1;

/** What the host lays out for a job; all fields are 32-bit, addresses unless said otherwise. */
@unmanaged
class CircleConstraintJob {
  /** Columns on the twin-coset, and their stride in bytes. */
  columns: usize;
  stride: usize;
  /** How many columns. */
  width: i32;
  /** log2 of 2N. */
  logSize: i32;
  /** Pairs (table, period - 1), a periodic column each: period values by t, then period by t for s = 1. */
  periodic: usize;
  periodicCount: i32;
  /** Elements; each fills a register. */
  constants: usize;
  constantCount: i32;
  /** Four words an instruction: operation, target, left, right. */
  program: usize;
  instructionCount: i32;
  /** Working registers, the constraints' values being the last `constraintCount` of them. */
  registerCount: i32;
  constraintCount: i32;
  /** The weights of the constraints, QM31. */
  weights: usize;
  /** Exclusion over vanishing polynomial at each position. */
  selector: usize;
  /** BoundaryGroups, one after the other. */
  groups: usize;
  groupCount: i32;
  /** Planes of the result, and the bytes between them. */
  out: usize;
  plane: usize;
}

/** The boundary constraints of one row: (Σ weight·column - constant)·factor. */
@unmanaged
class BoundaryGroup {
  /** Addresses of the columns, and how many. */
  columns: usize;
  width: i32;
  /** QM31 elements, one a column. */
  weights: usize;
  /** Σ weight·value, QM31. */
  constant: usize;
  /** (1 + x')/y' at each position. */
  factor: usize;
}

const GROUP_BYTES: usize = 20;

function registersTotal(job: CircleConstraintJob): i32 {
  return 2 * job.width + job.periodicCount + job.constantCount + job.registerCount;
}

/** Bytes of scratch that a job of these sizes needs. */
export function circleConstraintScratchBytes(
  width: i32,
  periodicCount: i32,
  constantCount: i32,
  registerCount: i32,
): usize {
  const total = <usize>(2 * width + periodicCount + constantCount + registerCount);
  const filled = <usize>(width + periodicCount + constantCount + registerCount + 8);
  return ((total * 4 + 15) & ~15) + filled * BLOCK_BYTES;
}

function fillConstants(job: CircleConstraintJob, at: usize): void {
  for (let i = 0; i < job.constantCount; i++) {
    const value = v128.load32_splat(job.constants + (<usize>i << 2));
    for (let b: usize = 0; b < BLOCK_BYTES; b += 16) v128.store(at + b, value);
    at += BLOCK_BYTES;
  }
}

function fillPeriodic(job: CircleConstraintJob, at: usize, reversedBlock: u32): void {
  const spacing: u32 = 1 << (job.logSize - LOG_PAIRS - 1);
  for (let i = 0; i < job.periodicCount; i++) {
    const table = <usize>load<u32>(job.periodic + (<usize>i << 3));
    const mask = load<u32>(job.periodic + (<usize>i << 3), 4);
    const negatives = table + (<usize>(mask + 1) << 2);
    for (let v: u32 = 0; v < PAIRS; v++) {
      const t = <usize>((reverseBits(v, LOG_PAIRS) * spacing + reversedBlock) & mask) << 2;
      store<u32>(at + (<usize>v << 3), load<u32>(table + t));
      store<u32>(at + (<usize>v << 3), load<u32>(negatives + t), 4);
    }
    at += BLOCK_BYTES;
  }
}

/** The pair v moved on by `step` within bitrev's order, as it is where bitrev(u) wraps. */
// @ts-ignore: decorator
@inline
function movedPair(v: u32, step: u32): u32 {
  return reverseBits((reverseBits(v, LOG_PAIRS) + step) & (PAIRS - 1), LOG_PAIRS);
}

/** Gathers the successors of a block's positions of all columns at `at`, a register each. */
function gatherNext(job: CircleConstraintJob, at: usize, reversedBlock: u32): void {
  const logBlocks = job.logSize - LOG_PAIRS - 1;
  const last = (<u32>1 << logBlocks) - 1;
  const plus = <usize>reverseBlock((reversedBlock + 1) & last, logBlocks) * BLOCK_BYTES;
  const minus = <usize>reverseBlock((reversedBlock - 1) & last, logBlocks) * BLOCK_BYTES;
  const plusWraps = reversedBlock == last;
  const minusWraps = reversedBlock == 0;
  let column = job.columns;
  for (let c = 0; c < job.width; c++, column += job.stride, at += BLOCK_BYTES) {
    if (!plusWraps && !minusWraps) {
      for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
        const even = v128.load(column + plus + i);
        const odd = v128.load(column + minus + i);
        v128.store(at + i, v128.shuffle<u32>(even, odd, 0, 5, 2, 7));
      }
      continue;
    }
    for (let v: u32 = 0; v < PAIRS; v++) {
      const even = plusWraps ? movedPair(v, 1) : v;
      const odd = minusWraps ? movedPair(v, PAIRS - 1) : v;
      store<u32>(at + (<usize>v << 3), load<u32>(column + plus + (<usize>even << 3)));
      store<u32>(at + (<usize>v << 3), load<u32>(column + minus + (<usize>odd << 3), 4), 4);
    }
  }
}

// @ts-ignore: decorator
@inline
function reverseBlock(block: u32, logBlocks: i32): u32 {
  return logBlocks ? reverseBits(block, logBlocks) : 0;
}

function run(program: usize, count: i32, table: usize): void {
  const p = loadM31();
  for (const end = program + (<usize>count << 4); program < end; program += 16) {
    const operation = load<u32>(program);
    const out = <usize>load<u32>(table + (<usize>load<u32>(program, 4) << 2));
    const a = <usize>load<u32>(table + (<usize>load<u32>(program, 8) << 2));
    const b = <usize>load<u32>(table + (<usize>load<u32>(program, 12) << 2));
    if (operation == OP_ADD) {
      for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
        v128.store(out + i, addX4(v128.load(a + i), v128.load(b + i), p));
      }
    } else if (operation == OP_SUB) {
      for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
        v128.store(out + i, subX4(v128.load(a + i), v128.load(b + i), p));
      }
    } else {
      for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
        v128.store(out + i, mulX4(v128.load(a + i), v128.load(b + i), p));
      }
    }
  }
}

/** Writes the weighed sums times the selector to the result, or adds a group's, less its constant. */
function weigh(out: usize, plane: usize, sums: usize, factor: usize, constant: usize): void {
  const p = loadM31();
  for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
    const doubled = doubleX4(v128.load(factor + i));
    for (let k: usize = 0; k < 4; k++) {
      const at = out + k * plane + i;
      const sum = v128.load(sums + k * BLOCK_BYTES + i);
      if (constant) {
        const difference = subX4(sum, v128.load32_splat(constant + (k << 2)), p);
        v128.store(at, addX4(v128.load(at), mulDoubled(difference, doubled, p), p));
      } else {
        v128.store(at, mulDoubled(sum, doubled, p));
      }
    }
  }
}

/** Writes the composition (four planes) at the positions of blocks first … first+count-1 of the twin-coset. */
export function circleConstraints(jobAddress: usize, first: u32, count: u32): void {
  const job = changetype<CircleConstraintJob>(jobAddress);
  const table = scratchArea();
  const next = table + (((<usize>registersTotal(job) << 2) + 15) & ~15);
  const periodic = next + <usize>job.width * BLOCK_BYTES;
  const own = <usize>(job.periodicCount + job.constantCount + job.registerCount);
  const sums = periodic + own * BLOCK_BYTES;
  const values = table + (<usize>(registersTotal(job) - job.constraintCount) << 2);
  const width = <usize>job.width;
  for (let c: usize = 0; c < width; c++) store<u32>(table + ((width + c) << 2), <u32>(next + c * BLOCK_BYTES));
  for (let i: usize = 0; i < own; i++) store<u32>(table + ((2 * width + i) << 2), <u32>(periodic + i * BLOCK_BYTES));
  fillConstants(job, periodic + <usize>job.periodicCount * BLOCK_BYTES);

  const logBlocks = job.logSize - LOG_PAIRS - 1;
  for (let u = first; u < first + count; u++) {
    const offset = <usize>u * BLOCK_BYTES;
    const reversed = reverseBlock(u, logBlocks);
    for (let c: usize = 0; c < width; c++) store<u32>(table + (c << 2), <u32>(job.columns + c * job.stride + offset));
    gatherNext(job, next, reversed);
    fillPeriodic(job, periodic, reversed);
    run(job.program, job.instructionCount, table);
    combineColumns(sums, BLOCK_BYTES, values, job.constraintCount, 0, job.weights, BLOCK_BYTES);
    weigh(job.out + offset, job.plane, sums, job.selector + offset, 0);
    for (let g = 0; g < job.groupCount; g++) {
      const group = changetype<BoundaryGroup>(job.groups + <usize>g * GROUP_BYTES);
      combineColumns(sums, BLOCK_BYTES, group.columns, group.width, offset, group.weights, BLOCK_BYTES);
      weigh(job.out + offset, job.plane, sums, group.factor + offset, group.constant);
    }
  }
}
