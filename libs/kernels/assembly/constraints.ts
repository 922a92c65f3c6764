// Evaluation of an AIR's transition constraints over one coset (constraint-program.ts), in blocks of 32 points.
//
// In bit-reversed order a block of 32 points has its successor rows in another block, at the same
// places: position 32u + t is point bitReverse(t)·N/32 + bitReverse(u), and adding one to it changes
// bitReverse(u) alone. Only the last block wraps, into block 0 with t permuted.
import {
  BLOCK_BYTES,
  ConstraintJob,
  layOutRegisters,
  nextRegisters,
  periodicRegisters,
  runProgram,
  sumRegisters,
  valueEntries,
} from './constraint-program';
import { combineColumns } from './extension';
import { loadEpsilon, loadPrime, loadSign, mulX2 } from './goldilocks-x2';
import { reverseBits } from './ntt';
import { scratchArea } from './scratch';

const BLOCK: usize = 32;
const LOG_BLOCK: i32 = 5;

/** The points are a coset; a periodic table holds the values by point index. */
@unmanaged
class CosetConstraintJob extends ConstraintJob {
  /** Degree of the extension. */
  degree: i32;
}

function fillPeriodic(job: CosetConstraintJob, at: usize, reversedBlock: u32): void {
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
function copyWrapped(job: CosetConstraintJob, at: usize): void {
  for (let c = 0; c < job.width; c++) {
    const column = job.columns + <usize>c * job.stride;
    for (let t: u32 = 0; t < <u32>BLOCK; t++) {
      const next = reverseBits((reverseBits(t, LOG_BLOCK) + 1) & (<u32>BLOCK - 1), LOG_BLOCK);
      store<u64>(at + (<usize>t << 3), load<u64>(column + (<usize>next << 3)));
    }
    at += BLOCK_BYTES;
  }
}

/** Multiplies the block's sums by the selector and stores them. */
function finishBlock(job: CosetConstraintJob, sums: usize, block: usize): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const selector = job.selector + block * BLOCK_BYTES;
  let out = job.out + block * BLOCK_BYTES;
  for (let p = 0; p < job.degree; p++, out += job.plane, sums += BLOCK_BYTES) {
    for (let t: usize = 0; t < BLOCK_BYTES; t += 16) {
      v128.store(out + t, mulX2(v128.load(sums + t), v128.load(selector + t), epsilon, sign, prime));
    }
  }
}

/**
 * Writes Σ α^i · c_i · selector for the points of blocks first … first+count-1, in bit-reversed order.
 */
export function evaluateConstraints(jobAddress: usize, first: u32, count: u32): void {
  const job = changetype<CosetConstraintJob>(jobAddress);
  const table = scratchArea();
  const wrapped = nextRegisters(job);
  const periodic = periodicRegisters(job);
  const sums = sumRegisters(job);
  const width = <usize>job.width;
  layOutRegisters<u64>(job);

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
    runProgram<u64>(job);
    const values = valueEntries(job);
    combineColumns(job.degree, sums, BLOCK_BYTES, values, job.constraintCount, job.weights, 0, <i32>BLOCK, false);
    finishBlock(job, sums, <usize>u);
  }
}
