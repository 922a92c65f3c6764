import { type KernelExecutor, m31, SCRATCH_BYTES } from '@svc/kernels';
import type { Air, Recurrence, SpongeTrace } from '@svc/stark-air';
import {
  compileRecurrence,
  type ConstraintProgram,
  INSTRUCTION_WORDS,
} from '../../wasm/constraint-program.js';
import { runTasks } from '../../wasm/small-work.js';
import { writeSpongeTrace } from '../../wasm/sponge-trace.js';
import type { TraceTarget } from '../../wasm/trace-writers.js';

const programs = new WeakMap<object, ConstraintProgram | undefined>();

/**
 * Fills the AIR's rows of columns of words in natural order. Sponges and recurrences run on kernels; other AIRs run
 * themselves.
 * @throws WitnessError
 */
export async function writeCircleTrace<PublicInputs, Witness>(
  executor: KernelExecutor,
  air: Air<PublicInputs, Witness> & {
    readonly recurrence?: Recurrence<PublicInputs, Witness> | undefined;
    readonly spongeTrace?: SpongeTrace<PublicInputs, Witness>;
  },
  witness: Witness,
  target: TraceTarget,
): Promise<PublicInputs> {
  const { columns: address, traceLength, rowCount } = target;
  const { recurrence, spongeTrace, columnCount } = air;
  if (spongeTrace) return writeSpongeTrace(executor, spongeTrace, witness, target, []);
  const words = (column: number) => executor.arena.words(address + 4 * column * traceLength, rowCount);
  if (recurrence && !programs.has(air)) programs.set(air, compileRecurrence(air as Air));
  const program = programs.get(air);
  if (recurrence && program) {
    // Only row 0 of these is ever written.
    const firstRows = Array.from({ length: columnCount }, () => new BigUint64Array(rowCount));
    const rows = recurrence.begin(witness, firstRows);
    if (rows !== undefined) {
      firstRows.forEach(([value], column) => (words(column)[0] = Number(value)));
      await iterateRows(executor, air, program, target);
      return recurrence.publicInputsOf(
        firstRows.map((_, column) => elementsOf(words(column))),
        rows,
      );
    }
  }
  const { columns, publicInputs } = air.execute(m31, witness, rowCount);
  columns.forEach((elements, column) => {
    // The low halves of 64-bit elements, little-endian.
    const halves = new Uint32Array(elements.buffer, elements.byteOffset, 2 * rowCount);
    const own = words(column);
    for (let row = 0; row < rowCount; row++) own[row] = halves[2 * row];
  });
  return publicInputs;
}

async function iterateRows(
  executor: KernelExecutor,
  { id, columnCount }: Pick<Air, 'id' | 'columnCount'>,
  { instructions, constants, workingRegisterCount }: ConstraintProgram,
  { columns, traceLength, rowCount }: TraceTarget,
): Promise<void> {
  const { arena } = executor;
  const registerBytes = 4 * (2 * columnCount + constants.length + workingRegisterCount);
  if (registerBytes > SCRATCH_BYTES) {
    throw new RangeError(
      `the step of ${id} needs ${registerBytes} bytes of registers, at most ${SCRATCH_BYTES}`,
    );
  }
  const mark = arena.usedBytes;
  const nanoseconds = rowCount * ((2 * instructions.length) / INSTRUCTION_WORDS + columnCount);
  await runTasks(executor, nanoseconds, [
    [
      'm31IterateRows',
      columns,
      4 * traceLength,
      columnCount,
      rowCount,
      arena.storeWords(constants.map(Number)),
      constants.length,
      arena.storeWords(instructions),
      instructions.length / INSTRUCTION_WORDS,
      workingRegisterCount,
    ],
  ]);
  arena.release(mark);
}

/** Words read as elements; no copy, since hardly any of them is read. */
function elementsOf(words: Uint32Array): ArrayLike<bigint> {
  return new Proxy<ArrayLike<bigint>>([], {
    get: (_, key) => (key === 'length' ? words.length : BigInt(words[Number(key)])),
  });
}
