import { type Field, m31 } from '@svc/kernels';
import { type Air, findAir, type TransitionFrame } from '@svc/stark-air';
import { leastTraceLength, type ParameterSet, type ProofParameters, verify } from '@svc/stark-verifier';
import { expectSameProofs } from '../../testing/same-proofs.js';
import { prove } from '../prove.js';
import { createWasmBackend, type WasmBackend } from './wasm-backend.js';

const backends: WasmBackend[] = [];
function open(options: Parameters<typeof createWasmBackend>[0] = {}): WasmBackend {
  const backend = createWasmBackend({ threads: 2, ...options });
  backends.push(backend);
  return backend;
}
afterEach(() => Promise.all(backends.splice(0).map(backend => backend.close())));

const IS_LONG = process.env.SUITE_TIER === 'long';
const airOf = (id: string) => findAir(id, 'm31') as Air;
const EIGHT = { input: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] };
const ONES = { first: 1n, second: 1n };

const parameters = (change: Partial<ProofParameters>): ProofParameters => ({
  profile: 'm31',
  traceLength: 64,
  blowupFactor: 8,
  queryCount: 5,
  grindingBits: 3,
  zeroKnowledge: false,
  ...change,
});

const MASKED = { queryCount: 2, zeroKnowledge: true } as const;
const MASKED_LENGTH = leastTraceLength({ profile: 'm31', ...MASKED });

it.each([
  [64, 2],
  [64, 8],
  [64, 32],
  [128, 4],
  [256, 8],
  [512, 2],
  [1024, 4],
])(
  'proves %i rows at blowup %i on the circle byte for byte as the reference does',
  async (traceLength, blowupFactor) => {
    const backend = open();
    const own = parameters({ traceLength, blowupFactor });
    // At commit the lengths take turns with the two.
    const isEven = Math.log2(traceLength) % 2 === 0;
    if (IS_LONG || isEven) await expectSameProofs(airOf('raw/cubic8/v1'), EIGHT, own, backend);
    if (IS_LONG || !isEven) await expectSameProofs(airOf('raw/fibonacci/v1'), ONES, own, backend);
  },
);

it('proves with periodic columns on the circle as the reference does', async () => {
  const air = airOf('hash-chain/v1');
  for (const blowupFactor of [2, 8]) {
    const own = parameters({ traceLength: Math.max(128, air.traceLengthMin), blowupFactor });
    await expectSameProofs(air, { traceData: '0x48656c6c6f' }, own, open());
  }
});

it('proves constraints of degree two, short periods and values in the middle of the trace as the reference does', async () => {
  const backend = open();
  for (const traceLength of [64, 256]) {
    const own = parameters({ traceLength, blowupFactor: 4 });
    await expectSameProofs(squareWalkAir as Air, { start: 12_345n }, own, backend);
  }
  const masked = parameters({ traceLength: MASKED_LENGTH, blowupFactor: 2, ...MASKED });
  await expectSameProofs(squareWalkAir as Air, { start: 12_345n }, masked, backend);
});

it('keeps one pair of cosets at a time where memory is scarce, and proves the same', async () => {
  const backend = open({ retainedBytesMax: 0 });
  for (const blowupFactor of [2, 4, 8]) {
    const own = parameters({ traceLength: 256, blowupFactor, queryCount: 20 });
    await expectSameProofs(airOf('raw/cubic8/v1'), EIGHT, own, backend);
  }
});

const BLOWUPS_MASKED = IS_LONG ? [2, 4, 8, 16, 32] : [2];

it.each(BLOWUPS_MASKED)(
  'proves in zero knowledge at blowup %i as the reference does under the same masks',
  async blowupFactor => {
    const own = parameters({ traceLength: MASKED_LENGTH, blowupFactor, ...MASKED });
    const kept = open();
    await expectSameProofs(airOf('raw/cubic8/v1'), EIGHT, own, kept, open({ retainedBytesMax: 0 }));
    if (IS_LONG && blowupFactor === 2) await expectSameProofs(airOf('raw/fibonacci/v1'), ONES, own, kept);
  },
);

it('runs recurrences of any number of rows, and takes traces that are given', async () => {
  const backend = open();
  const own = parameters({ traceLength: 64 });
  const air = airOf('raw/fibonacci/v1');
  await expectSameProofs(air, { ...ONES, rows: 40 }, own, backend);
  const { columns } = air.execute(m31, ONES, 64);
  await expectSameProofs(air, { trace: columns }, own, backend);
});

it('makes proofs that the verifier accepts at a length beyond the innermost caches', async () => {
  const own = parameters({ traceLength: 8192, queryCount: 12 });
  const air = airOf('raw/cubic8/v1');
  const result = await prove({ air, witness: EIGHT, parameters: own, backend: open() });
  const set: ParameterSet = { id: 'test', profile: 'm31', grindingBits: 3, queryCounts: { 8: 12 } };
  const publicInputs: unknown = JSON.parse(JSON.stringify(air.publicInputsToJson(result.publicInputs)));
  const policy = { parameterSets: [set], securityBitsMin: 0 };
  expect(verify({ proof: result.proof, airId: air.id, publicInputs }, policy)).toMatchObject({
    valid: true,
    traceLength: 8192,
  });
});

const PERIODS = [1, 2, 4, 16].map(period => Array.from({ length: period }, (_, i) => BigInt(3 * i * i + 7)));

/** Quadratic constraints, a constant one, and every kind of periodic column. */
const squareWalkAir: Air<{ middle: bigint; end: bigint }, { start: bigint }> = {
  id: 'test/square-walk/v1',
  field: 'm31',
  zeroKnowledge: 'optional',
  columnCount: 2,
  constraintDegree: 2,
  transitionNames: ['a', 'b', 'c'],
  traceLengthMin: 64,
  periodicColumns: PERIODS,
  transitionOperations: { additions: 6, multiplications: 4 },
  rowsNeeded: () => 40,
  evaluateTransition<E>(field: Field<E>, { current, next, periodic }: TransitionFrame<E>): E[] {
    const [x, y] = current;
    const walk = field.add(field.mul(x, x), field.add(periodic[1], periodic[3]));
    const product = field.add(field.scale(field.mul(x, y), 5n), field.mul(periodic[0], periodic[2]));
    const constant = field.sub(
      field.mul(field.fromBase(6n), field.inverse(field.fromBase(3n))),
      field.fromBase(2n),
    );
    return [field.sub(next[0], walk), field.sub(next[1], product), constant];
  },
  boundaryConstraints: ({ middle, end }, rowCount) => [
    { column: 1, row: 0, value: 1n },
    { column: 0, row: rowCount - 1, value: end },
    { column: 1, row: 33, value: middle },
  ],
  publicInputElements: ({ middle, end }) => [middle, end],
  publicInputsFromJson: json => json as { middle: bigint; end: bigint },
  publicInputsToJson: ({ middle, end }) => ({ middle: middle.toString(), end: end.toString() }),
  execute(field, { start }, rowCount) {
    const columns = [0, 1].map(() => new BigUint64Array(rowCount));
    let [x, y] = [start, 1n];
    for (let row = 0; row < rowCount; row++) {
      columns[0][row] = x;
      columns[1][row] = y;
      const [p0, p1, p2, p3] = PERIODS.map(column => column[row % column.length]);
      y = field.add(field.scale(field.mul(x, y), 5n), field.mul(p0, p2));
      x = field.add(field.mul(x, x), field.add(p1, p3));
    }
    return { columns, publicInputs: { middle: columns[1][33], end: columns[0][rowCount - 1] } };
  },
  executionOperations: rowCount => ({ additions: 4 * rowCount, multiplications: 4 * rowCount }),
};
