// The composition of an AIR's constraints over M31 (constraint-program.ts), block by block on a twin-coset of 2N points
// that adding g_N maps to itself. A block is 64 neighbouring positions: 32 points and their negatives.
//
// Position 2j + s is (-1)^s·(S + t·g_N), t = bitrev(j): its successor is t + 1 for s = 0 and t - 1 for
// s = 1, with the same sign. j = 32u + v, so that t = bitrev(v)·N/32 + bitrev(u): a neighbour of t is at the
// same v in another block, unless bitrev(u) wraps, which moves v too.
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
import { addX4, doubleX4, loadM31, mulDoubled, subX4 } from './m31';
import { reverseBits } from './ntt';
import { combineColumns } from './qm31';
import { scratchArea } from './scratch';

const LOG_PAIRS: i32 = 5;
const PAIRS: u32 = 32;

/** The points are a twin-coset; a periodic table holds its period by t for s = 0, then for s = 1. */
@unmanaged
class CircleConstraintJob extends ConstraintJob {
  /** BoundaryGroups, one after the other. */
  groups: usize;
  groupCount: i32;
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
  const next = nextRegisters(job);
  const periodic = periodicRegisters(job);
  const sums = sumRegisters(job);
  const width = <usize>job.width;
  layOutRegisters<u32>(job);

  const logBlocks = job.logSize - LOG_PAIRS - 1;
  for (let u = first; u < first + count; u++) {
    const offset = <usize>u * BLOCK_BYTES;
    const reversed = reverseBlock(u, logBlocks);
    for (let c: usize = 0; c < width; c++) store<u32>(table + (c << 2), <u32>(job.columns + c * job.stride + offset));
    gatherNext(job, next, reversed);
    fillPeriodic(job, periodic, reversed);
    runProgram<u32>(job);
    combineColumns(sums, BLOCK_BYTES, valueEntries(job), job.constraintCount, 0, job.weights, BLOCK_BYTES);
    weigh(job.out + offset, job.plane, sums, job.selector + offset, 0);
    for (let g = 0; g < job.groupCount; g++) {
      const group = changetype<BoundaryGroup>(job.groups + <usize>g * GROUP_BYTES);
      combineColumns(sums, BLOCK_BYTES, group.columns, group.width, offset, group.weights, BLOCK_BYTES);
      weigh(job.out + offset, job.plane, sums, group.factor + offset, group.constant);
    }
  }
}
