import { goldilocks, InlineKernelExecutor } from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import { type Air, bindingAir, findRawAir, hashChainAir, type RawAir, rawAirIds } from '@svc/stark-air';
import { compileRecurrence } from './constraint-program.js';
import { writeTrace } from './trace-writers.js';

const executor = new InlineKernelExecutor(await loadKernelModule());
const INPUTS: Readonly<Record<string, object>> = {
  'raw/fibonacci/v1': { first: '3', second: '18446744069414584320' },
  'raw/counter/v1': { start: '5', step: '18446744069414584319' },
  'raw/cubic8/v1': { input: ['1', '2', '3', '4', '5', '6', '7', '18446744069414584320'] },
  'raw/lif-step/v1': {
    decay: 0.9,
    threshold: 1,
    reset: 0,
    refractorySteps: 2,
    initialPotential: 0,
    currents: [1, 2, 3, 4],
  },
};

async function written(air: Air, witness: unknown, rowCount: number) {
  const traceLength = 128;
  const { arena } = executor;
  const mark = arena.usedBytes;
  const columns = arena.allocate(8 * traceLength * air.columnCount);
  const target = { columns, traceLength, rowCount };
  const publicInputs = await writeTrace(executor, air, witness, target, []);
  const rows = Array.from({ length: air.columnCount }, (_, c) => [
    ...arena.elements(columns + 8 * traceLength * c, rowCount),
  ]);
  arena.release(mark);
  return { publicInputs, columns: rows };
}

function executed(air: Air, witness: unknown, rowCount: number) {
  const { columns, publicInputs } = air.execute(goldilocks, witness, rowCount);
  return { publicInputs, columns: columns.map(column => [...column]) };
}

const recurrent = rawAirIds().filter(id => findRawAir(id)?.recurrence);

it.each(recurrent)('fills the rows of %s that the AIR itself fills', async id => {
  const air = findRawAir(id) as RawAir;
  expect(compileRecurrence(air)).toBeDefined();
  for (const rows of [{}, { rows: 50 }]) {
    const witness = air.witnessFromJson({ inputs: { ...INPUTS[id], ...rows } });
    expect(await written(air, witness, 101)).toEqual(executed(air, witness, 101));
    expect(await written(air, witness, 128)).toEqual(executed(air, witness, 128));
  }
});

it('leaves to the AIR what it has to judge: given traces, and rows that do not fit', async () => {
  const air = findRawAir('raw/fibonacci/v1') as RawAir;
  const given = air.witnessFromJson({
    trace: [
      ['1', '1', '2'],
      ['1', '2', '3'],
    ],
  });
  expect(await written(air, given, 101)).toEqual(executed(air, given, 101));
  const broken = air.witnessFromJson({
    trace: [
      ['1', '1', '2'],
      ['1', '2', '4'],
    ],
  });
  await expect(written(air, broken, 101)).rejects.toMatchObject({ code: 'constraint-violated' });
  const long = air.witnessFromJson({ inputs: { ...INPUTS[air.id], rows: 102 } });
  await expect(written(air, long, 101)).rejects.toMatchObject({ bound: { max: 101, got: 102 } });
});

it('knows which AIRs are no recurrence', () => {
  expect(recurrent).toEqual(['raw/fibonacci/v1', 'raw/counter/v1', 'raw/cubic8/v1']);
  for (const air of [hashChainAir, bindingAir]) expect(compileRecurrence(air as Air)).toBeUndefined();
  // The next row must follow from the current one alone, and be said in full.
  const fibonacci = findRawAir('raw/fibonacci/v1') as Air;
  const within: Air = {
    ...fibonacci,
    evaluateTransition: (field, { current, next }) => [
      field.sub(next[0], field.add(current[1], next[1])),
      field.sub(next[1], current[0]),
    ],
  };
  const twice: Air = {
    ...fibonacci,
    evaluateTransition: (field, { current, next }) => [
      field.sub(next[0], current[1]),
      field.sub(next[0], current[0]),
    ],
  };
  for (const air of [within, twice]) expect(compileRecurrence(air)).toBeUndefined();
});
