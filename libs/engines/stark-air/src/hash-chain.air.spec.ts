import { goldilocks, poseidon2Goldilocks } from '@svc/kernels';
import fc from 'fast-check';
import {
  hashChainAir as air,
  hashChainInputDigest,
  hashChainPublicInputs,
  type HashChainPublicInputs,
} from './hash-chain.air.js';
import { WitnessError } from './witness-error.js';

const HELLO = '0x48656c6c6f';
const LENGTH = 128;
const SEVEN_BYTES = (text: string) => Buffer.from(text, 'ascii').readBigUInt64LE(0);

/** Indices of the transition constraints that do not vanish between `row` and the next. */
function broken(columns: readonly BigUint64Array[], row: number): number[] {
  const values = air.evaluateTransition(goldilocks, {
    current: columns.map(column => column[row]),
    next: columns.map(column => column[row + 1]),
    periodic: air.periodicColumns.map(values => values[row % values.length]),
  });
  return values.flatMap((value, i) => (value === 0n ? [] : [i]));
}

function brokenAnywhere(columns: readonly BigUint64Array[]): number[] {
  const rows = Array.from({ length: columns[0].length - 1 }, (_, row) => row);
  return [...new Set(rows.flatMap(row => broken(columns, row)))].sort((a, b) => a - b);
}

function execute(traceData: string, traceLength = LENGTH) {
  const { columns, publicInputs } = air.execute(goldilocks, { traceData }, traceLength);
  return { columns: columns.map(column => column.slice()), publicInputs };
}

const boundaryHolds = (columns: readonly BigUint64Array[], publicInputs: HashChainPublicInputs) =>
  air
    .boundaryConstraints(publicInputs, LENGTH)
    .every(({ column, row, value }) => columns[column][row] === value);

it('absorbs by the definition: capacity of tag and length, blocks added to the rate, a permutation each', () => {
  const bytes = Buffer.from('a message of more than twenty-eight bytes', 'utf8');
  const limb = (start: number) => {
    const padded = Buffer.alloc(8);
    bytes.copy(padded, 0, start, Math.min(start + 7, bytes.length));
    return padded.readBigUInt64LE(0);
  };
  const tag = SEVEN_BYTES('hc1:txt\0');
  const first = poseidon2Goldilocks.permute([
    limb(0),
    limb(7),
    limb(14),
    limb(21),
    tag,
    BigInt(bytes.length),
    0n,
    0n,
  ]);
  const second = poseidon2Goldilocks.permute([
    ...[28, 35, 42, 49].map((start, i) => goldilocks.add(first[i], start < bytes.length ? limb(start) : 0n)),
    ...first.slice(4),
  ]);
  const publicInputs = hashChainPublicInputs(bytes.toString('utf8'), LENGTH);
  expect(publicInputs.inputDigest).toEqual(second);
  expect(publicInputs.output).toEqual(poseidon2Goldilocks.permute(poseidon2Goldilocks.permute(second)));
});

it('has a trace whose public inputs are those computed without it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 4 * 28 }), bytes => {
      const traceData = `0x${Buffer.from(bytes).toString('hex')}`;
      const { columns, publicInputs } = execute(traceData);
      expect(publicInputs).toEqual(hashChainPublicInputs(traceData, LENGTH));
      expect(publicInputs.inputDigest).toEqual(hashChainInputDigest(traceData));
      expect(brokenAnywhere(columns)).toEqual([]);
      expect(boundaryHolds(columns, publicInputs)).toBe(true);
    }),
    { numRuns: 10 },
  );
});

it('separates hexadecimal from text, lengths, and inputs that differ in padding alone', () => {
  const inputs = [
    '0x6162',
    'ab',
    '0x616200',
    '0x00',
    '0x0000',
    'ab\0',
    `0x${'00'.repeat(28)}`,
    `0x${'00'.repeat(29)}`,
  ];
  const digests = inputs.map(input => hashChainInputDigest(input).join());
  expect(new Set(digests).size).toBe(inputs.length);
  expect(hashChainInputDigest('0XFF')).toEqual(hashChainInputDigest('0xff'));
});

it.each(Array.from({ length: 25 }, (_, column) => column))(
  'binds column %i: changing one cell in any kind of row breaks a constraint',
  column => {
    for (const row of [1, 7, 15, 28, 32, 40, 63, 64]) {
      const { columns } = execute(HELLO);
      columns[column][row] = goldilocks.add(columns[column][row], 1n);
      expect(brokenAnywhere(columns)).not.toEqual([]);
    }
  },
);

it('has no redundant constraint: for each, a trace breaks it alone', () => {
  // A cell of the last row's successor role or of helper columns is chosen so that one constraint sees the change.
  const alone = new Set<number>();
  const record = (columns: readonly BigUint64Array[]) => {
    const indices = brokenAnywhere(columns);
    if (indices.length === 1) alone.add(indices[0]);
  };
  const last = LENGTH - 1;
  for (let lane = 0; lane < 8; lane++) {
    // The step into the last row is broken, and its helper columns are never looked at.
    const stepBroken = execute(HELLO).columns;
    stepBroken[lane][last] = goldilocks.add(stepBroken[lane][last], 1n);
    record(stepBroken);

    // In a row of the linear step, sevenths feed nothing but their own constraint.
    const seventhBroken = execute(HELLO).columns;
    seventhBroken[16 + lane][0] = goldilocks.add(seventhBroken[16 + lane][0], 1n);
    record(seventhBroken);

    // A wrong cube with the seventh power made consistent.
    const cubeBroken = execute(HELLO).columns;
    const keyed = cubeBroken[lane][0];
    cubeBroken[8 + lane][0] = goldilocks.add(cubeBroken[8 + lane][0], 1n);
    cubeBroken[16 + lane][0] = goldilocks.mul(
      goldilocks.mul(cubeBroken[8 + lane][0], cubeBroken[8 + lane][0]),
      keyed,
    );
    record(cubeBroken);
  }
  const flagBroken = execute(HELLO).columns;
  flagBroken[24].fill(1n, 40);
  record(flagBroken);
  expect([...alone].sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, i) => i));
});

it('lets no block enter after the flag has fallen, and none into the capacity ever', () => {
  const inject = (traceData: string, lane: number) => {
    const { columns } = execute(traceData, 64);
    const state = columns.slice(0, 8).map(column => column[31]);
    state[lane] = goldilocks.add(state[lane], 1n);
    for (let i = 0; i < 8; i++) columns[i][32] = state[i];
    return broken(columns, 31);
  };
  const twoBlocks = `0x${'11'.repeat(56)}`;
  expect(inject(HELLO, 0)).toEqual([16]);
  expect(inject(HELLO, 5)).toEqual([21]);
  expect(inject(twoBlocks, 5)).toContain(21);
  // While the second permutation absorbs, its rate is the prover's to choose.
  expect(broken(execute(twoBlocks, 64).columns, 31)).toEqual([]);
});

it('lets the flag neither rise between permutations nor change within one', () => {
  const risen = execute(HELLO).columns;
  risen[24].fill(1n, 64);
  expect(broken(risen, 63)).toContain(24);
  const changed = execute(HELLO).columns;
  changed[24].fill(0n, 10);
  expect(broken(changed, 9)).toEqual([24]);
});

it('fixes the end of absorption by the boundary, so that a claimed length cannot hide a block', () => {
  const { columns, publicInputs } = execute(`0x${'11'.repeat(56)}`);
  expect(boundaryHolds(columns, publicInputs)).toBe(true);
  expect(boundaryHolds(columns, { ...publicInputs, length: 28 })).toBe(false);
  const rows = air.boundaryConstraints(publicInputs, LENGTH).map(({ column, row }) => `${column}@${row}`);
  expect(rows).toContain('24@63');
  expect(rows).toContain('24@64');
  const full = execute(`0x${'11'.repeat(4 * 28)}`);
  expect(boundaryHolds(full.columns, full.publicInputs)).toBe(true);
  expect(air.boundaryConstraints(full.publicInputs, LENGTH)).toHaveLength(21);
});

it('binds every public input by a boundary constraint', () => {
  const { columns, publicInputs } = execute(HELLO);
  const other: HashChainPublicInputs[] = [
    { ...publicInputs, domain: 'text' },
    { ...publicInputs, length: 6 },
    ...Array.from({ length: 8 }, (_, i) => ({
      ...publicInputs,
      inputDigest: publicInputs.inputDigest.map((lane, j) => (i === j ? goldilocks.add(lane, 1n) : lane)),
    })),
    ...Array.from({ length: 8 }, (_, i) => ({
      ...publicInputs,
      output: publicInputs.output.map((lane, j) => (i === j ? goldilocks.add(lane, 1n) : lane)),
    })),
  ];
  for (const inputs of other) expect(boundaryHolds(columns, inputs)).toBe(false);
});

function witnessError(run: () => unknown): WitnessError {
  try {
    run();
  } catch (error) {
    if (error instanceof WitnessError) return error;
    throw error;
  }
  throw new Error('no WitnessError was thrown');
}

it.each([
  ['0x123', 'malformed-hex-odd-length', 'even number'],
  ['0x12zz', 'malformed-hex-digit', 'character 4'],
  ['0x', 'input-empty', 'at least 1 byte'],
  ['', 'input-empty', 'at least 1 byte'],
  ['a\ud800b', 'malformed-text', 'lone surrogate'],
])('refuses traceData %j with the code %s', (traceData, code, message) => {
  const error = witnessError(() => air.execute(goldilocks, { traceData }, LENGTH));
  expect(error.code).toBe(code);
  expect(error.field).toBe('traceData');
  expect(error.message).toContain(message);
});

it('names bound and value where traceData is too long, in hexadecimal, in text and in multi-byte text', () => {
  const max = 65_536;
  expect(witnessError(() => hashChainInputDigest(`0x${'00'.repeat(max + 1)}`)).bound).toEqual({
    max,
    got: max + 1,
  });
  expect(witnessError(() => hashChainInputDigest('x'.repeat(max + 1))).bound).toEqual({ max, got: max + 1 });
  expect(witnessError(() => hashChainInputDigest('€'.repeat(21_846))).bound).toEqual({ max, got: 65_538 });
});

it('names bound and value where the chain is too short for traceData', () => {
  const error = witnessError(() => hashChainPublicInputs('x'.repeat(57), 64));
  expect(error.code).toBe('input-exceeds-chain');
  expect(error.bound).toEqual({ max: 56, got: 57 });
  expect(hashChainPublicInputs('x'.repeat(56), 64).length).toBe(56);
});
