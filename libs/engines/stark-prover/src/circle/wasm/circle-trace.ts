import { type KernelExecutor, m31 } from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import { INSTRUCTION_WORDS } from '../../wasm/constraint-program.js';
import { recurrenceProgram, rowIteration, type TraceTarget } from '../../wasm/row-iteration.js';
import { runTasks } from '../../wasm/small-work.js';
import { writeSpongeTrace } from '../../wasm/sponge-trace.js';
import type { TraceableAir } from '../../wasm/trace-writers.js';

/**
 * Fills the AIR's rows of columns of words in natural order. Sponges and recurrences run on kernels; other AIRs run
 * themselves.
 * @throws WitnessError
 */
export async function writeCircleTrace<PublicInputs, Witness>(
  executor: KernelExecutor,
  air: TraceableAir<PublicInputs, Witness>,
  witness: Witness,
  target: TraceTarget,
): Promise<PublicInputs> {
  const { columns: address, traceLength, rowCount } = target;
  const { recurrence, spongeTrace, columnCount } = air;
  if (spongeTrace) return writeSpongeTrace(executor, spongeTrace, witness, target, []);
  const words = (column: number) => executor.arena.words(address + 4 * column * traceLength, rowCount);
  const program = recurrenceProgram(air as Air);
  if (recurrence && program) {
    // Only row 0 of these is ever written.
    const firstRows = Array.from({ length: columnCount }, () => new BigUint64Array(rowCount));
    const rows = recurrence.begin(witness, firstRows);
    if (rows !== undefined) {
      firstRows.forEach(([value], column) => (words(column)[0] = Number(value)));
      const { arena } = executor;
      const mark = arena.usedBytes;
      const nanoseconds = rowCount * ((2 * program.instructions.length) / INSTRUCTION_WORDS + columnCount);
      await runTasks(executor, nanoseconds, [rowIteration(executor, air as Air, program, target)]);
      arena.release(mark);
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

/** Words read as elements; no copy, since hardly any of them is read. */
function elementsOf(words: Uint32Array): ArrayLike<bigint> {
  return new Proxy<ArrayLike<bigint>>([], {
    get: (_, key) => (key === 'length' ? words.length : BigInt(words[Number(key)])),
  });
}
