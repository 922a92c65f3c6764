// A trace over M31 whose every row is a function of the one before (recurrence.ts has the Goldilocks sibling;
// the programs are the same).
import { add31, mul31, sub31 } from './m31';
import { scratchArea } from './scratch';

const OP_ADD: u32 = 0;
const OP_SUB: u32 = 1;

/**
 * Fills rows 1 … rowCount-1 of `width` columns, `stride` bytes apart, from row 0. Registers in order: current row, as many
 * that are not used, constants, then working registers, the last `width` of which take the next row.
 */
export function m31IterateRows(
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
  const rowBytes = <usize>width << 2;
  const working = registers + 2 * rowBytes + (<usize>constantCount << 2);
  const next = working + (<usize>registerCount << 2) - rowBytes;
  memory.copy(registers + 2 * rowBytes, constants, <usize>constantCount << 2);
  for (let c: usize = 0; c < <usize>width; c++) store<u32>(registers + (c << 2), load<u32>(columns + c * stride));
  const end = program + (<usize>instructionCount << 4);
  for (let row = columns + 4, last = columns + (<usize>rowCount << 2); row < last; row += 4) {
    for (let at = program; at < end; at += 16) {
      const operation = load<u32>(at);
      const a = load<u32>(registers + (<usize>load<u32>(at, 8) << 2));
      const b = load<u32>(registers + (<usize>load<u32>(at, 12) << 2));
      const value = operation == OP_ADD ? add31(a, b) : operation == OP_SUB ? sub31(a, b) : mul31(a, b);
      store<u32>(registers + (<usize>load<u32>(at, 4) << 2), value);
    }
    for (let c: usize = 0; c < <usize>width; c++) {
      const value = load<u32>(next + (c << 2));
      store<u32>(registers + (c << 2), value);
      store<u32>(row + c * stride, value);
    }
  }
}
