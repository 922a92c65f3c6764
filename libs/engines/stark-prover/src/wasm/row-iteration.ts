import { baseToBytes, type KernelCall, type KernelExecutor, SCRATCH_BYTES } from '@svc/kernels';
import { type Air, fieldOf, type Recurrence } from '@svc/stark-air';
import { compileRecurrence, type ConstraintProgram, INSTRUCTION_WORDS } from './constraint-program.js';

/** Where a trace goes. */
export interface TraceTarget {
  /** Address of the columns, `traceLength` elements each, one after the other. */
  readonly columns: number;
  readonly traceLength: number;
  /** Rows that the AIR fills. */
  readonly rowCount: number;
}

const programs = new WeakMap<object, ConstraintProgram | undefined>();

/** The program of an AIR that is a recurrence; undefined for other AIRs. */
export function recurrenceProgram(
  air: Air & { readonly recurrence?: Recurrence | undefined },
): ConstraintProgram | undefined {
  if (!air.recurrence) return undefined;
  if (!programs.has(air)) programs.set(air, compileRecurrence(air));
  return programs.get(air);
}

/**
 * The call that fills every row of the columns but the first.
 * @throws RangeError if the program needs more registers than there may be
 */
export function rowIteration(
  { arena }: KernelExecutor,
  air: Air,
  { instructions, constants, workingRegisterCount }: ConstraintProgram,
  { columns, traceLength, rowCount }: TraceTarget,
): KernelCall {
  const field = fieldOf(air);
  const { elementBytes } = field;
  const registerBytes = elementBytes * (2 * air.columnCount + constants.length + workingRegisterCount);
  if (registerBytes > SCRATCH_BYTES) {
    throw new RangeError(
      `the step of ${air.id} needs ${registerBytes} bytes of registers, at most ${SCRATCH_BYTES}`,
    );
  }
  return [
    'iterateRows',
    elementBytes,
    columns,
    elementBytes * traceLength,
    air.columnCount,
    rowCount,
    arena.storeBytes(baseToBytes(constants, field)),
    constants.length,
    arena.storeWords(instructions),
    instructions.length / INSTRUCTION_WORDS,
    workingRegisterCount,
  ];
}
