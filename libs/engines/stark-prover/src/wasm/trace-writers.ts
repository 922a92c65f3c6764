import { goldilocks, type KernelCall, type KernelExecutor } from '@svc/kernels';
import type { Air, Recurrence, SpongeTrace } from '@svc/stark-air';
import { recurrenceProgram, rowIteration, type TraceTarget } from './row-iteration.js';
import { writeSpongeTrace } from './sponge-trace.js';

/** An AIR with what it may say about its trace. */
export type TraceableAir<PublicInputs, Witness> = Air<PublicInputs, Witness> & {
  readonly recurrence?: Recurrence<PublicInputs, Witness> | undefined;
  readonly spongeTrace?: SpongeTrace<PublicInputs, Witness>;
};

/**
 * Fills the AIR's rows of the columns in natural order. Sponges and recurrences run on the kernels; other AIRs run themselves.
 * @param beside tasks that do not depend on the trace: they are done by the threads that it leaves idle
 * @throws WitnessError
 */
export async function writeTrace<PublicInputs, Witness>(
  executor: KernelExecutor,
  air: TraceableAir<PublicInputs, Witness>,
  witness: Witness,
  target: TraceTarget,
  beside: readonly KernelCall[][],
): Promise<PublicInputs> {
  if (air.spongeTrace) return writeSpongeTrace(executor, air.spongeTrace, witness, target, beside);
  const views = columnViews(executor, air, target);
  const { recurrence } = air;
  const program = recurrenceProgram(air as Air);
  const rows = program && recurrence?.begin(witness, views);
  if (program && recurrence && rows !== undefined) {
    await executor.run([rowIteration(executor, air as Air, program, target), ...beside]);
    return recurrence.publicInputsOf(columnViews(executor, air, target), rows);
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
