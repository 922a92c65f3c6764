// A trace whose every row is a function of the one before, row by row: the function is a straight-line program of the
// same form as the constraints' (constraints.ts), over single elements.
import { add, mul, sub } from './goldilocks';
import { scratchArea } from './scratch';

const OP_ADD: u32 = 0;
const OP_SUB: u32 = 1;

/**
 * Fills rows 1 … rowCount-1 of `width` columns, `stride` bytes apart, from row 0. Registers in order: current row, as many
 * that are not used, constants, then working registers, the last `width` of which take the next row.
 */
export function iterateRows(
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
  const rowBytes = <usize>width << 3;
  const working = registers + 2 * rowBytes + (<usize>constantCount << 3);
  const next = working + (<usize>registerCount << 3) - rowBytes;
  memory.copy(registers + 2 * rowBytes, constants, <usize>constantCount << 3);
  for (let c: usize = 0; c < <usize>width; c++) store<u64>(registers + (c << 3), load<u64>(columns + c * stride));
  const end = program + (<usize>instructionCount << 4);
  for (let row = columns + 8, last = columns + (<usize>rowCount << 3); row < last; row += 8) {
    for (let at = program; at < end; at += 16) {
      const operation = load<u32>(at);
      const a = load<u64>(registers + (<usize>load<u32>(at, 8) << 3));
      const b = load<u64>(registers + (<usize>load<u32>(at, 12) << 3));
      const value = operation == OP_ADD ? add(a, b) : operation == OP_SUB ? sub(a, b) : mul(a, b);
      store<u64>(registers + (<usize>load<u32>(at, 4) << 3), value);
    }
    for (let c: usize = 0; c < <usize>width; c++) {
      const value = load<u64>(next + (c << 3));
      store<u64>(registers + (c << 3), value);
      store<u64>(row + c * stride, value);
    }
  }
}
