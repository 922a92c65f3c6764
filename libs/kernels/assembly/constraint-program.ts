// What the evaluation of constraints is over either field: the host compiles them to a straight-line program over registers;
// each holds a block of neighbouring points, so that the cost of decoding an instruction is paid once for all of them. The
// type of an element tells the field: u64 is Goldilocks, u32 is M31.
import { add, mul, sub } from './goldilocks';
import { addX2, loadEpsilon, loadPrime, loadSign, mulX2, subX2 } from './goldilocks-x2';
import { add31, addX4, loadM31, mul31, mulX4, sub31, subX4 } from './m31';
import { scratchArea } from './scratch';

/** Bytes of a register: 32 Goldilocks elements, or 64 of M31. */
export const BLOCK_BYTES: usize = 256;
/** Four words: operation, target, left, right. */
export const INSTRUCTION_BYTES: usize = 16;

const OP_ADD: u32 = 0;
const OP_SUB: u32 = 1;
/** Of the sums: as many as an extension has coordinates. */
const SUM_REGISTERS: usize = 4;

/**
 * What the host lays out for a job; all fields are 32-bit, addresses unless said otherwise. Registers in order: current row,
 * next row, periodic columns, constants, then working registers.
 */
@unmanaged
export class ConstraintJob {
  /** Columns on the points, and their stride in bytes. */
  columns: usize;
  stride: usize;
  /** How many columns. */
  width: i32;
  /** log2 of the number of points. */
  logSize: i32;
  /** Pairs (table, period - 1), one a periodic column. */
  periodic: usize;
  periodicCount: i32;
  /** Elements; each fills a register. */
  constants: usize;
  constantCount: i32;
  program: usize;
  instructionCount: i32;
  /** Working registers, the constraints' values being the last `constraintCount` of them. */
  registerCount: i32;
  constraintCount: i32;
  /** The weights of the constraints, extension elements one after the other. */
  weights: usize;
  /** What the weighed sum is multiplied by at each point. */
  selector: usize;
  /** Planes of the result, and the bytes between them. */
  out: usize;
  plane: usize;
}

// Scratch: a table of the registers' addresses, then next row, periodic columns, constants, working registers and sums. The
// current row is read where it stands.

function tableBytes(registers: i32): usize {
  return ((<usize>registers << 2) + 15) & ~15;
}

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
  const own = width + periodicCount + constantCount + registerCount;
  return tableBytes(width + own) + (<usize>own + SUM_REGISTERS) * BLOCK_BYTES;
}

/** Where the next row's registers are. */
export function nextRegisters(job: ConstraintJob): usize {
  return scratchArea() + tableBytes(registersTotal(job));
}

export function periodicRegisters(job: ConstraintJob): usize {
  return nextRegisters(job) + <usize>job.width * BLOCK_BYTES;
}

/** Where the weighed sums belong, a register a coordinate. */
export function sumRegisters(job: ConstraintJob): usize {
  return nextRegisters(job) + <usize>(registersTotal(job) - job.width) * BLOCK_BYTES;
}

/** The entries of the table that are the constraints' values. */
export function valueEntries(job: ConstraintJob): usize {
  return scratchArea() + (<usize>(registersTotal(job) - job.constraintCount) << 2);
}

/** Fills the table, but for the current row, and the constants' registers. */
export function layOutRegisters<T>(job: ConstraintJob): void {
  const next = nextRegisters(job);
  let entry = scratchArea() + (<usize>job.width << 2);
  for (let at = next, end = sumRegisters(job); at < end; at += BLOCK_BYTES, entry += 4) store<u32>(entry, <u32>at);
  let at = periodicRegisters(job) + <usize>job.periodicCount * BLOCK_BYTES;
  for (let i = 0; i < job.constantCount; i++) {
    const constant = job.constants + <usize>i * sizeof<T>();
    const value = sizeof<T>() == 8 ? v128.load64_splat(constant) : v128.load32_splat(constant);
    for (const end = at + BLOCK_BYTES; at < end; at += 16) v128.store(at, value);
  }
}

/** Runs the program on the registers of a block. */
export function runProgram<T>(job: ConstraintJob): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = sizeof<T>() == 8 ? loadPrime() : loadM31();
  const table = scratchArea();
  const end = job.program + <usize>job.instructionCount * INSTRUCTION_BYTES;
  for (let at = job.program; at < end; at += INSTRUCTION_BYTES) {
    const operation = load<u32>(at);
    const out = <usize>load<u32>(table + (<usize>load<u32>(at, 4) << 2));
    const a = <usize>load<u32>(table + (<usize>load<u32>(at, 8) << 2));
    const b = <usize>load<u32>(table + (<usize>load<u32>(at, 12) << 2));
    if (operation == OP_ADD) {
      for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
        const x = v128.load(a + i);
        const y = v128.load(b + i);
        v128.store(out + i, sizeof<T>() == 8 ? addX2(x, y, sign, prime) : addX4(x, y, prime));
      }
    } else if (operation == OP_SUB) {
      for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
        const x = v128.load(a + i);
        const y = v128.load(b + i);
        v128.store(out + i, sizeof<T>() == 8 ? subX2(x, y, sign, prime) : subX4(x, y, prime));
      }
    } else {
      for (let i: usize = 0; i < BLOCK_BYTES; i += 16) {
        const x = v128.load(a + i);
        const y = v128.load(b + i);
        v128.store(out + i, sizeof<T>() == 8 ? mulX2(x, y, epsilon, sign, prime) : mulX4(x, y, prime));
      }
    }
  }
}

/** The result of one instruction on single elements. */
// @ts-ignore: decorator
@inline
export function applyOperation<T>(operation: u32, a: T, b: T): T {
  if (sizeof<T>() == 8) {
    if (operation == OP_ADD) return <T>add(<u64>a, <u64>b);
    return <T>(operation == OP_SUB ? sub(<u64>a, <u64>b) : mul(<u64>a, <u64>b));
  }
  if (operation == OP_ADD) return <T>add31(<u32>a, <u32>b);
  return <T>(operation == OP_SUB ? sub31(<u32>a, <u32>b) : mul31(<u32>a, <u32>b));
}
