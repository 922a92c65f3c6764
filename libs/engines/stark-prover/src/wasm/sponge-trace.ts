import type { TraceTarget } from './row-iteration.js';
import type { Arena, BaseField, BaseFieldName, KernelCall, KernelExecutor } from '@svc/kernels';
import { ROWS_PER_PERMUTATION, type SpongeTrace } from '@svc/stark-air';
import { runTasks } from './small-work.js';

/** How many permutations are run at once: a proof can be cancelled between two slices. */
const SLICE_PERMUTATIONS = 512;

/** What makes the rows of a field: the states one after the other, and S-boxes from states; roughly how long each takes. */
const KERNELS = {
  goldilocks: { states: 'spongeStates', sboxes: 'sboxColumns', stateNanoseconds: 75, sboxNanoseconds: 11 },
  m31: { states: 'm31SpongeStates', sboxes: 'm31SboxColumns', stateNanoseconds: 15, sboxNanoseconds: 1 },
} as const satisfies Record<BaseFieldName, object>;

/** Permutations `first` … `first + count − 1` of a trace. */
interface Slice {
  readonly first: number;
  readonly count: number;
}

/**
 * Fills the columns of an AIR that is one sponge: the chain on one thread, and beside it the S-boxes of the slice before on
 * the others. Does what `execute` does, but for rows up to the end of the last permutation, which it fills also past `rowCount`.
 * @param beside tasks for the threads that the chain leaves idle
 * @throws WitnessError
 */
export async function writeSpongeTrace<PublicInputs, Witness>(
  executor: KernelExecutor,
  trace: SpongeTrace<PublicInputs, Witness>,
  witness: Witness,
  target: TraceTarget,
  beside: readonly KernelCall[][],
): Promise<PublicInputs> {
  const { arena } = executor;
  const { initial, blocks, publicInputsOf } = trace.begin(witness, target.rowCount);
  const mark = arena.usedBytes;
  const columns = new SpongeColumns(arena, trace, target, initial, blocks);
  let previous: Slice | undefined;
  for (const slice of slicesOf(Math.ceil(target.rowCount / ROWS_PER_PERMUTATION))) {
    const tasks = [columns.states(slice), ...(previous ? columns.sboxes(previous) : beside)];
    await runTasks(executor, columns.nanoseconds(slice), tasks);
    previous = slice;
  }
  if (previous) await runTasks(executor, columns.nanoseconds(previous), columns.sboxes(previous));
  columns.fillAbsorbing();
  columns.fillLimbs();
  arena.release(mark);
  return publicInputsOf(row => columns.stateAt(row));
}

function slicesOf(permutationCount: number): Slice[] {
  const sliceCount = Math.ceil(permutationCount / SLICE_PERMUTATIONS);
  return Array.from({ length: sliceCount }, (_, i) => {
    const first = i * SLICE_PERMUTATIONS;
    return { first, count: Math.min(SLICE_PERMUTATIONS, permutationCount - first) };
  });
}

/** The columns in kernel memory, and what the kernels need to fill them. */
class SpongeColumns {
  private readonly field: BaseField;
  private readonly width: number;
  private readonly state: number;
  private readonly blocks: number;
  private readonly rounds: number;
  private readonly diagonal: number;
  /** For each lane the constants added before the S-box in each of the 32 rows. */
  private readonly keys: readonly number[];

  constructor(
    private readonly arena: Arena,
    private readonly trace: SpongeTrace,
    private readonly target: TraceTarget,
    initial: readonly bigint[],
    private readonly blockList: readonly (readonly bigint[])[],
  ) {
    const { field, width, rounds, internalDiagonal } = trace.sponge.permutation;
    this.field = field;
    this.width = width;
    this.state = this.store(initial);
    this.blocks = this.store(blockList.flat());
    this.rounds = this.store(rounds.flatMap(round => round.constants));
    this.diagonal = this.store(internalDiagonal);
    this.keys = trace.rows.roundConstants.map(constants => this.store(constants));
  }

  /** The states of a slice; slices are to be run in their order. */
  states({ first, count }: Slice): KernelCall {
    const { blockList, trace } = this;
    const blockBytes = this.field.elementBytes * trace.sponge.rate;
    const absorbed = Math.min(first, blockList.length);
    return [
      KERNELS[this.field.name].states,
      this.columnAt(0, first),
      this.strideBytes,
      count,
      this.state,
      this.blocks + absorbed * blockBytes,
      Math.min(count, blockList.length - absorbed),
      this.rounds,
      this.diagonal,
    ];
  }

  /** What follows from the states of a slice, a task a lane. */
  sboxes({ first, count }: Slice): KernelCall[] {
    const { width } = this;
    return this.keys.map((key, lane) => [
      KERNELS[this.field.name].sboxes,
      this.columnAt(width + lane, first),
      this.columnAt(2 * width + lane, first),
      this.columnAt(lane, first),
      key,
      count * ROWS_PER_PERMUTATION,
    ]);
  }

  /** Roughly what a batch of such a slice takes. */
  nanoseconds({ count }: Slice): number {
    const { stateNanoseconds, sboxNanoseconds } = KERNELS[this.field.name];
    return count * ROWS_PER_PERMUTATION * (stateNanoseconds + this.width * sboxNanoseconds);
  }

  fillAbsorbing(): void {
    const { absorbingColumn } = this.trace;
    if (absorbingColumn === undefined) return;
    const absorbedRows = this.blockList.length * ROWS_PER_PERMUTATION;
    const { rowCount } = this.target;
    const address = this.columnAt(absorbingColumn, 0);
    if (this.field.elementBytes === 4) {
      this.arena.words(address, rowCount).fill(1, 0, absorbedRows).fill(0, absorbedRows);
    } else {
      this.arena.elements(address, rowCount).fill(1n, 0, absorbedRows).fill(0n, absorbedRows);
    }
  }

  fillLimbs(): void {
    const { limbs, rows } = this.trace;
    if (limbs === undefined) return;
    const { rowCount } = this.target;
    const addresses = Array.from({ length: limbs.columnCount }, (_, i) =>
      this.columnAt(rows.columnCount + i, 0),
    );
    if (this.field.elementBytes === 4) {
      const columns = addresses.map(address => this.arena.words(address, rowCount).fill(0));
      limbs.fill(this.blockList, rowCount, (column, row, value) => {
        columns[column - rows.columnCount][row] = Number(value);
      });
    } else {
      const columns = addresses.map(address => this.arena.elements(address, rowCount).fill(0n));
      limbs.fill(this.blockList, rowCount, (column, row, value) => {
        columns[column - rows.columnCount][row] = value;
      });
    }
  }

  stateAt(row: number): bigint[] {
    const { arena, field } = this;
    return Array.from({ length: this.width }, (_, lane) => {
      const address = this.columnAt(lane, 0) + row * field.elementBytes;
      return field.elementBytes === 4 ? BigInt(arena.words(address, 1)[0]) : arena.elements(address, 1)[0];
    });
  }

  private get strideBytes(): number {
    return this.field.elementBytes * this.target.traceLength;
  }

  /** The address of a column at the first row of a permutation. */
  private columnAt(column: number, permutation: number): number {
    const rowBytes = this.field.elementBytes * permutation * ROWS_PER_PERMUTATION;
    return this.target.columns + column * this.strideBytes + rowBytes;
  }

  private store(elements: readonly bigint[]): number {
    return this.field.elementBytes === 4
      ? this.arena.storeWords(elements.map(Number))
      : this.arena.store(elements);
  }
}
