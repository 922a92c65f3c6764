import {
  goldilocks,
  InlineKernelExecutor,
  type KernelExecutor,
  type KernelResult,
  type KernelTask,
  m31,
} from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import {
  type Air,
  bindingAir,
  bindingM31Air,
  bindingV1Air,
  bindingV1M31Air,
  hashChainAir,
  hashChainM31Air,
  preimageAir,
  preimageDigest,
  preimageM31Air,
  preimageV1Air,
  preimageV1M31Air,
  ROWS_PER_PERMUTATION,
  SALT_BYTES,
  WitnessError,
} from '@svc/stark-air';
import fc from 'fast-check';
import { writeCircleTrace } from '../circle/wasm/circle-trace.js';
import { abortableExecutor } from './abortable-executor.js';
import { writeTrace } from './trace-writers.js';

const executor = new InlineKernelExecutor(await loadKernelModule());
const { arena } = executor;
const FIELDS = { goldilocks, m31 } as const;
const SALT = new Uint8Array(SALT_BYTES).fill(7);
const number = fc.bigInt({ min: 0n, max: 2n ** 256n }).map(String);

/** What the kernels leave in the AIR's rows, in memory that held something else before. */
async function written(air: Air, witness: unknown, rowCount: number, on: KernelExecutor = executor) {
  const traceLength = 2 ** Math.max(6, Math.ceil(Math.log2(rowCount)));
  const { elementBytes } = FIELDS[air.field];
  const mark = arena.usedBytes;
  const columns = arena.allocate(elementBytes * traceLength * air.columnCount);
  arena.bytes(columns, elementBytes * traceLength * air.columnCount).fill(0xa5);
  const target = { columns, traceLength, rowCount };
  try {
    const publicInputs = await (air.field === 'm31'
      ? writeCircleTrace(on, air, witness, target)
      : writeTrace(on, air, witness, target, []));
    const rows = Array.from({ length: air.columnCount }, (_, c) => {
      const address = columns + elementBytes * traceLength * c;
      return air.field === 'm31'
        ? BigUint64Array.from(arena.words(address, rowCount), BigInt)
        : arena.elements(address, rowCount).slice();
    });
    return { publicInputs, columns: rows };
  } finally {
    arena.release(mark);
  }
}

/** Demands what the definition makes, cell by cell; element matchers take seconds for as many. */
async function expectDefinition(air: Air, witness: unknown, rowCount: number): Promise<void> {
  const { columns, publicInputs } = air.execute(FIELDS[air.field], witness, rowCount);
  const made = await written(air, witness, rowCount);
  expect(made.publicInputs).toEqual(publicInputs);
  expect(made.columns.map(({ length }) => length)).toEqual(columns.map(({ length }) => length));
  const firstDifferences = columns.map((column, c) =>
    column.findIndex((cell, row) => cell !== made.columns[c][row]),
  );
  expect(firstDifferences).toEqual(columns.map(() => -1));
}

describe.each([hashChainAir, hashChainM31Air])('$id over $field', air => {
  it('has the same rows from the kernels as by its definition, whatever is absorbed', async () => {
    const input = fc.uint8Array({ minLength: 1, maxLength: 200, size: 'max' });
    await fc.assert(
      fc.asyncProperty(input, fc.integer({ min: 9, max: 11 }), async (bytes, log2Rows) => {
        const witness = { traceData: `0x${Buffer.from(bytes).toString('hex')}` };
        await expectDefinition(air, witness, 2 ** log2Rows);
      }),
      { numRuns: 12 },
    );
  });

  it('has the same rows where blocks and permutations go on from slice to slice', async () => {
    const traceData = Array.from({ length: 3000 }, (_, i) => 10_000 + i).join('');
    await expectDefinition(air, { traceData }, 640 * ROWS_PER_PERMUTATION);
  });

  it('begins nothing more once it is cancelled between two slices', async () => {
    const cancelled = new AbortController();
    const slices = new SliceCounter(executor, 2, () => cancelled.abort(new Error('no longer wanted')));
    const on = abortableExecutor(slices, cancelled.signal);
    const writing = written(air, { traceData: 'a' }, 2048 * ROWS_PER_PERMUTATION, on);
    await expect(writing).rejects.toThrow('no longer wanted');
    expect(slices.begun).toBe(2);
  });
});

describe.each([bindingAir, bindingM31Air, bindingV1Air, bindingV1M31Air])('$id over $field', air => {
  it('has the same rows from the kernels as by its definition, in any number of rows', async () => {
    const numbers = fc.array(number, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(numbers, numbers, fc.nat(200), async (publicInputs, privateWitness, moreRows) => {
        const witness = { contextDomain: 'a', publicInputs, privateWitness, salt: SALT };
        const rowCount = air.rowsNeeded(witness) + moreRows;
        await expectDefinition(air, witness, rowCount);
      }),
      { numRuns: 20 },
    );
  });

  it('is refused in fewer rows than its blocks fill', async () => {
    const witness = { contextDomain: '', publicInputs: ['1'], privateWitness: ['2'], salt: SALT };
    const rowCount = air.rowsNeeded(witness) - 1;
    await expect(written(air, witness, rowCount)).rejects.toThrow(WitnessError);
  });
});

const preimageAirs = [preimageAir, preimageM31Air, preimageV1Air, preimageV1M31Air];
it.each(preimageAirs)('judges a digest of $id over $field by the rows', async air => {
  const privateWitness = ['0x1234', '0x5'];
  const digest = preimageDigest(air.field, 'here', privateWitness).map(BigInt);
  const witness = { contextDomain: 'here', digest, privateWitness };
  await expectDefinition(air, witness, 150);
  const elsewhere = { ...witness, contextDomain: 'there' };
  await expect(written(air, elsewhere, 150)).rejects.toMatchObject({ code: 'preimage-mismatch' });
});

/** Counts the batches that begin, and says when so many have. */
class SliceCounter implements KernelExecutor {
  readonly arena;
  readonly kernels;
  readonly concurrency = 2;
  readonly wide = this;
  begun = 0;

  constructor(
    private readonly executor: KernelExecutor,
    private readonly count: number,
    private readonly reached: () => void,
  ) {
    this.arena = executor.arena;
    this.kernels = executor.kernels;
  }

  async run(tasks: readonly KernelTask[]): Promise<KernelResult[]> {
    const results = await this.executor.run(tasks);
    if (++this.begun === this.count) this.reached();
    return results;
  }
}
