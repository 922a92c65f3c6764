import { type BaseField, goldilocks, m31 } from '@svc/kernels';
import type { RawAir } from './raw-air.js';
import { findRawAir, rawAirIds } from './registry.js';
import { WitnessError } from './witness-error.js';

const FIELDS: readonly BaseField[] = [goldilocks, m31];
const INPUTS: Readonly<Record<string, object>> = {
  'raw/fibonacci/v1': { first: 1, second: 1, rows: 12 },
  'raw/counter/v1': { start: 0, step: 2, rows: 12 },
  'raw/cubic8/v1': { input: [1, 2, 3, 4, 5, 6, 7, 8], rows: 12 },
  'raw/lif-step/v1': {
    decay: 4_000,
    threshold: 100,
    reset: -100,
    refractorySteps: 1,
    initialPotential: 0,
    currents: [90, 90, -5, 300, 4, 90, 90, 7, 7, 7, 7],
  },
};
const cases = rawAirIds().flatMap(id => FIELDS.map(field => [id, field.name, field] as const));

/** A trace of 12 rows as JSON, and its public inputs. */
function given(id: string, field: BaseField) {
  const air = findRawAir(id, field.name) as RawAir;
  const { columns, publicInputs } = air.execute(field, air.witnessFromJson({ inputs: INPUTS[id] }), 12);
  const trace = columns.map(column => Array.from(column, value => `0x${value.toString(16)}`));
  return { air, trace, columns, publicInputs };
}

function errorOf(run: () => unknown): WitnessError {
  try {
    run();
  } catch (error) {
    if (error instanceof WitnessError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe.each(cases)('%s over %s', (id, _, field) => {
  it('takes a trace as it takes what generates it, and goes on to the end', () => {
    const { air, trace, publicInputs } = given(id, field);
    const witness = air.witnessFromJson({ trace });
    expect(air.rowsNeeded(witness)).toBe(12);
    for (const rowCount of [12, 13, 64]) {
      const fromTrace = air.execute(field, witness, rowCount);
      const fromInputs = air.execute(field, air.witnessFromJson({ inputs: INPUTS[id] }), rowCount);
      expect(fromTrace).toEqual(fromInputs);
      expect(fromTrace.publicInputs).toEqual(publicInputs);
    }
  });

  it('names the row and the constraint that a trace breaks first', () => {
    const { air, trace } = given(id, field);
    const [broken, again] = [5, 9].map(row => BigInt(trace[0][row]) + 1n);
    trace[0][5] = broken.toString();
    trace[0][9] = again.toString();
    const error = errorOf(() => air.execute(field, air.witnessFromJson({ trace }), 64));
    expect(error).toMatchObject({ code: 'constraint-violated', field: 'trace', row: 4 });
    expect(air.transitionNames).toContain(error.constraint);
    expect(error.message).toBe(`trace breaks the constraint "${error.constraint}" at row 4`);
  });

  it('refuses traces without the form of one', () => {
    const { air, trace } = given(id, field);
    const ask = (json: unknown) => errorOf(() => air.execute(field, air.witnessFromJson(json), 64));
    expect(ask({ trace: trace.slice(1) })).toMatchObject({ code: 'malformed-trace', field: 'trace' });
    expect(ask({ trace: trace.with(1, trace[1].slice(1)) })).toMatchObject({
      code: 'malformed-trace',
      field: 'trace.1',
    });
    const cell = (value: unknown) => trace.with(1, (trace[1] as unknown[]).with(3, value) as string[]);
    for (const value of [field.modulus.toString(), '-1', -1, 1.5, null, 'x', '0x']) {
      expect(ask({ trace: cell(value) })).toMatchObject({ code: 'malformed-element', field: 'trace.1.3' });
    }
    expect(ask({ trace: trace.map(column => column.slice(0, 1)) })).toMatchObject({
      bound: { max: 2, got: 1 },
    });
    expect(ask({ trace, inputs: INPUTS[id] })).toMatchObject({ code: 'malformed-witness', field: 'witness' });
    expect(ask({})).toMatchObject({ code: 'malformed-witness', field: 'witness' });
    expect(ask({ inputs: {} }).field).toMatch(/^inputs\.[a-zA-Z]+$/);
    expect(ask({ inputs: { ...(INPUTS[id] as object), more: 1 } })).toMatchObject({ field: 'inputs.more' });
    expect(ask({ inputs: 7 })).toMatchObject({ field: 'inputs' });
    expect(ask({ trace: cell(field.modulus.toString()) })).toMatchObject({
      bound: { max: (field.modulus - 1n).toString() },
    });
    expect(ask({ trace: 'x' })).toMatchObject({ code: 'malformed-trace' });
  });

  it('refuses a trace that is longer than the rows there are', () => {
    const { air, trace } = given(id, field);
    const error = errorOf(() => air.execute(field, air.witnessFromJson({ trace }), 11));
    expect(error).toMatchObject({ code: 'input-exceeds-trace', bound: { max: 11, got: 12 } });
  });
});

it('checks a given trace against what the statement fixes, not against its steps alone', () => {
  const { air, trace } = given('raw/lif-step/v1', goldilocks);
  // A count that begins at 1 steps rightly all the same.
  const counts = trace[8].map(count => `0x${(BigInt(count) + 1n).toString(16)}`);
  const error = errorOf(() =>
    air.execute(goldilocks, air.witnessFromJson({ trace: trace.with(8, counts) }), 64),
  );
  expect(error).toMatchObject({ row: 0, constraint: 'column 8 is fixed by the statement' });
});

it('speaks of all the rows there are where inputs do not say how many', () => {
  const air = findRawAir('raw/counter/v1') as RawAir;
  const witness = air.witnessFromJson({ inputs: { start: 0, step: 1 } });
  expect(air.execute(goldilocks, witness, 77).publicInputs).toMatchObject({ rows: 77, end: 76n });
});

it.each([[{ rows: 1 }], [{ rows: 2 ** 20 + 1 }], [{ rows: 2.5 }], [{ rows: '5' }]])('refuses %j', change => {
  const air = findRawAir('raw/counter/v1') as RawAir;
  const error = errorOf(() => air.witnessFromJson({ inputs: { start: 0, step: 1, ...change } }));
  expect(error.field).toBe('inputs.rows');
});
