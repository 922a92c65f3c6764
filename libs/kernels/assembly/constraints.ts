// Evaluation of an AIR's transition constraints over one coset. The host compiles the constraints to
// a straight-line program over registers; each register holds BLOCK neighbouring points, so that the
// cost of decoding an instruction is paid once for all of them.
//
// In bit-reversed order a block of 32 points has its successor rows in another block, at the same
// places: position 32u + t is point bitReverse(t)·N/32 + bitReverse(u), and adding one to it changes
// bitReverse(u) alone. Only the last block wraps, into block 0 with t permuted.
import { combineColumns } from './extension';
import { addX2, loadEpsilon, loadPrime, loadSign, mulX2, subX2 } from './goldilocks-x2';
import { reverseBits } from './ntt';
import { scratchArea } from './scratch';

const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 256;
const LOG_BLOCK: i32 = 5;

const OP_ADD: u32 = 0;
const OP_SUB: u32 = 1;

/** What the host lays out for a job; all fields are 32-bit, addresses unless said otherwise. */
@unmanaged
class ConstraintJob {
  /** Columns of the coset, and their stride in bytes. */
  columns: usize;
  stride: usize;
  /** How many columns. */
  width: i32;
  logSize: i32;
  /** Pairs (table, period - 1), one a periodic column; a table holds the values by point index. */
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
  /** Degree of the extension, and the weights α^i in it, one after the other. */
  degree: i32;
  weights: usize;
  /** What the sum is multiplied by at each point: the excluded rows' polynomial over X^N - 1. */
  divisors: usize;
  /** Extension planes of the result, and the bytes between them. */
  out: usize;
  plane: usize;
}

/** Registers in order: current row, next row, periodic columns, constants, then working registers. */
function registersTotal(job: ConstraintJob): i32 {
  return 2 * job.width + job.periodicCount + job.constantCount + job.registerCount;
}

/** Bytes of scratch that a job of these sizes needs. */
export function constraintScratchBytes(
  width: i32,
  periodicCount: i32,
  constantCount: i32,
  registerCount: i32,
): usize {
  const total = <usize>(2 * width + periodicCount + constantCount + registerCount);
  const filled = <usize>(width + periodicCount + constantCount + registerCount + 3);
  return ((total * 4 + 15) & ~15) + filled * BLOCK_BYTES;
}

function fillConstants(job: ConstraintJob, at: usize): void {
  for (let i = 0; i < job.constantCount; i++) {
    const value = v128.load64_splat(job.constants + (<usize>i << 3));
    for (let b: usize = 0; b < BLOCK_BYTES; b += 16) v128.store(at + b, value);
    at += BLOCK_BYTES;
  }
}

function fillPeriodic(job: ConstraintJob, at: usize, reversedBlock: u32): void {
  const spacing: u32 = 1 << (job.logSize - LOG_BLOCK);
  for (let i = 0; i < job.periodicCount; i++) {
    const table = <usize>load<u32>(job.periodic + (<usize>i << 3));
    const mask = load<u32>(job.periodic + (<usize>i << 3), 4);
    for (let t: u32 = 0; t < <u32>BLOCK; t++) {
      const point = reverseBits(t, LOG_BLOCK) * spacing + reversedBlock;
      store<u64>(at + (<usize>t << 3), load<u64>(table + (<usize>(point & mask) << 3)));
    }
    at += BLOCK_BYTES;
  }
}

/** Copies the successors of the last block, which lie in block 0 at permuted places. */
function copyWrapped(job: ConstraintJob, at: usize): void {
  for (let c = 0; c < job.width; c++) {
    const column = job.columns + <usize>c * job.stride;
    for (let t: u32 = 0; t < <u32>BLOCK; t++) {
      const next = reverseBits((reverseBits(t, LOG_BLOCK) + 1) & (<u32>BLOCK - 1), LOG_BLOCK);
      store<u64>(at + (<usize>t << 3), load<u64>(column + (<usize>next << 3)));
    }
    at += BLOCK_BYTES;
  }
}

function run(program: usize, count: i32, table: usize): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  for (const end = program + (<usize>count << 4); program < end; program += 16) {
    const operation = load<u32>(program);
    const out = <usize>load<u32>(table + (<usize>load<u32>(program, 4) << 2));
    const a = <usize>load<u32>(table + (<usize>load<u32>(program, 8) << 2));
    const b = <usize>load<u32>(table + (<usize>load<u32>(program, 12) << 2));
    if (operation == OP_ADD) {
      for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
        v128.store(out + i, addX2(v128.load(a + i), v128.load(b + i), sign, prime));
      }
    } else if (operation == OP_SUB) {
      for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
        v128.store(out + i, subX2(v128.load(a + i), v128.load(b + i), sign, prime));
      }
    } else {
      for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
        v128.store(out + i, mulX2(v128.load(a + i), v128.load(b + i), epsilon, sign, prime));
      }
    }
  }
}

/** Multiplies the block's sums by the divisors and stores them. */
function finishBlock(job: ConstraintJob, sums: usize, block: usize): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const divisors = job.divisors + block * BLOCK_BYTES;
  let out = job.out + block * BLOCK_BYTES;
  for (let p = 0; p < job.degree; p++, out += job.plane, sums += BLOCK_BYTES) {
    for (let t: usize = 0; t < BLOCK_BYTES; t += 16) {
      v128.store(out + t, mulX2(v128.load(sums + t), v128.load(divisors + t), epsilon, sign, prime));
    }
  }
}

/**
 * Writes Σ α^i · c_i · divisor for the points of blocks first … first+count-1, in bit-reversed order.
 */
export function evaluateConstraints(jobAddress: usize, first: u32, count: u32): void {
  const job = changetype<ConstraintJob>(jobAddress);
  const table = scratchArea();
  const wrapped = table + (((<usize>registersTotal(job) << 2) + 15) & ~15);
  const periodic = wrapped + <usize>job.width * BLOCK_BYTES;
  const own = <usize>(job.periodicCount + job.constantCount + job.registerCount);
  const sums = periodic + own * BLOCK_BYTES;
  const values = table + (<usize>(registersTotal(job) - job.constraintCount) << 2);
  const width = <usize>job.width;
  for (let i: usize = 0; i < own; i++) store<u32>(table + ((2 * width + i) << 2), <u32>(periodic + i * BLOCK_BYTES));
  fillConstants(job, periodic + <usize>job.periodicCount * BLOCK_BYTES);

  const logBlocks = job.logSize - LOG_BLOCK;
  for (let u = first; u < first + count; u++) {
    const reversed = reverseBits(u, logBlocks);
    const wraps = reversed + 1 == <u32>1 << logBlocks;
    const successor: usize = wraps ? 0 : <usize>reverseBits(reversed + 1, logBlocks);
    if (wraps) copyWrapped(job, wrapped);
    for (let c: usize = 0; c < width; c++) {
      const column = job.columns + c * job.stride;
      const next = wraps ? wrapped + c * BLOCK_BYTES : column + successor * BLOCK_BYTES;
      store<u32>(table + (c << 2), <u32>(column + <usize>u * BLOCK_BYTES));
      store<u32>(table + ((width + c) << 2), <u32>next);
    }
    fillPeriodic(job, periodic, reversed);
    run(job.program, job.instructionCount, table);
    combineColumns(job.degree, sums, BLOCK_BYTES, values, job.constraintCount, job.weights, 0, <i32>BLOCK);
    finishBlock(job, sums, <usize>u);
  }
}
