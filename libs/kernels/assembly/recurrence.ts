// A trace whose every row is a function of the one before, row by row: the function is a straight-line program of the
// same form as the constraints' (constraint-program.ts), over single elements.
import { applyOperation, INSTRUCTION_BYTES } from './constraint-program';
import { scratchArea } from './scratch';

/**
 * Fills rows 1 … rowCount-1 of `width` columns, `stride` bytes apart, from row 0; elements are of 8 bytes (Goldilocks) or 4
 * (M31). Registers in order: current row, as many that are not used, constants, then working registers, the last `width` of
 * which take the next row.
 */
export function iterateRows(
  elementBytes: i32,
  columns: usize,
  stride: usize,
  width: i32,
  rowCount: i32,
  constants: usize,
  constantCount: i32,
  program: usize,
  instructionCount: i32,
  registerCount: i32,
): void {
  const registers = scratchArea();
  const element = <usize>elementBytes;
  const fixed = registers + 2 * <usize>width * element;
  memory.copy(fixed, constants, <usize>constantCount * element);
  const next = fixed + <usize>(constantCount + registerCount - width) * element;
  const end = program + <usize>instructionCount * INSTRUCTION_BYTES;
  const last = columns + <usize>(rowCount - 1) * element;
  if (elementBytes == 8) iterate<u64>(columns, last, stride, <usize>width, registers, next, program, end);
  else iterate<u32>(columns, last, stride, <usize>width, registers, next, program, end);
}

function iterate<T>(
  row: usize,
  last: usize,
  stride: usize,
  width: usize,
  registers: usize,
  next: usize,
  program: usize,
  end: usize,
): void {
  const size = sizeof<T>();
  for (let c: usize = 0; c < width; c++) store<T>(registers + c * size, load<T>(row + c * stride));
  while (row < last) {
    row += size;
    for (let at = program; at < end; at += INSTRUCTION_BYTES) {
      const a = load<T>(registers + <usize>load<u32>(at, 8) * size);
      const b = load<T>(registers + <usize>load<u32>(at, 12) * size);
      store<T>(registers + <usize>load<u32>(at, 4) * size, applyOperation<T>(load<u32>(at), a, b));
    }
    for (let c: usize = 0; c < width; c++) {
      const value = load<T>(next + c * size);
      store<T>(registers + c * size, value);
      store<T>(row + c * stride, value);
    }
  }
}
