import { goldilocks, type KernelCall, type KernelExecutor, SCRATCH_BYTES } from '@svc/kernels';
import type { Air, Recurrence, SpongeTrace } from '@svc/stark-air';
import { compileRecurrence, type ConstraintProgram, INSTRUCTION_WORDS } from './constraint-program.js';
import { writeSpongeTrace } from './sponge-trace.js';

/** Where a trace goes. */
export interface TraceTarget {
  /** Address of the columns, `traceLength` elements each, one after the other. */
  readonly columns: number;
  readonly traceLength: number;
  /** Rows that the AIR fills. */
  readonly rowCount: number;
}

/**
 * Fills the AIR's rows of the columns in natural order. Sponges and recurrences run on the kernels; other AIRs run themselves.
 * @param beside tasks that do not depend on the trace: they are done by the threads that it leaves idle
 * @throws WitnessError
 */
export async function writeTrace<PublicInputs, Witness>(
  executor: KernelExecutor,
  air: Air<PublicInputs, Witness> & { readonly spongeTrace?: SpongeTrace<PublicInputs, Witness> },
  witness: Witness,
  target: TraceTarget,
  beside: readonly KernelCall[][],
): Promise<PublicInputs> {
  if (air.spongeTrace) return writeSpongeTrace(executor, air.spongeTrace, witness, target, beside);
  const views = columnViews(executor, air, target);
  const recurrence = recurrenceOf(air);
  const rows = recurrence?.recurrence.begin(witness, views);
  if (recurrence && rows !== undefined) {
    await executor.run([iteration(executor, air, recurrence.program, target), ...beside]);
    return recurrence.recurrence.publicInputsOf(columnViews(executor, air, target), rows);
  }
  const { columns, publicInputs } = air.execute(goldilocks, witness, target.rowCount);
  columns.forEach((column, c) => views[c].set(column));
  await executor.run(beside);
  return publicInputs;
}

function columnViews(
  { arena }: KernelExecutor,
  { columnCount }: Pick<Air, 'columnCount'>,
  target: TraceTarget,
): BigUint64Array[] {
  const { columns, traceLength, rowCount } = target;
  return Array.from({ length: columnCount }, (_, c) =>
    arena.elements(columns + 8 * c * traceLength, rowCount),
  );
}

interface CompiledRecurrence<PublicInputs, Witness> {
  readonly recurrence: Recurrence<PublicInputs, Witness>;
  readonly program: ConstraintProgram;
}

const programs = new WeakMap<object, ConstraintProgram | undefined>();

function recurrenceOf<PublicInputs, Witness>(
  air: Air<PublicInputs, Witness> & { readonly recurrence?: Recurrence<PublicInputs, Witness> | undefined },
): CompiledRecurrence<PublicInputs, Witness> | undefined {
  const { recurrence } = air;
  if (!recurrence) return undefined;
  if (!programs.has(air)) programs.set(air, compileRecurrence(air as Air));
  const program = programs.get(air);
  return program && { recurrence, program };
}

function iteration(
  { arena }: KernelExecutor,
  { id, columnCount }: Pick<Air, 'id' | 'columnCount'>,
  { instructions, constants, workingRegisterCount }: ConstraintProgram,
  { columns, traceLength, rowCount }: TraceTarget,
): KernelCall[] {
  const registerBytes = 8 * (2 * columnCount + constants.length + workingRegisterCount);
  if (registerBytes > SCRATCH_BYTES) {
    throw new RangeError(
      `the step of ${id} needs ${registerBytes} bytes of registers, at most ${SCRATCH_BYTES}`,
    );
  }
  return [
    [
      'iterateRows',
      columns,
      8 * traceLength,
      columnCount,
      rowCount,
      arena.store(constants),
      constants.length,
      arena.storeWords(instructions),
      instructions.length / INSTRUCTION_WORDS,
      workingRegisterCount,
    ],
  ];
}
