import { goldilocks } from '@svc/kernels';
import { checkTrace } from './check-trace.js';
import { counterAir } from './counter.air.js';
import { defineAir } from './define-air.js';

const run = () => counterAir.execute(goldilocks, { start: 5n, step: 2n, rows: 10 }, 20);

it('finds the first broken row, whatever is broken after it', () => {
  const { columns, publicInputs } = run();
  columns[0][7] = 0n;
  columns[1].fill(9n, 3);
  expect(checkTrace(counterAir, columns, publicInputs, 20)).toEqual({
    row: 2,
    constraint: 'step is constant',
  });
});

it('finds the first constraint that a row breaks, in their order', () => {
  const { columns, publicInputs } = run();
  columns[0][13] = 0n;
  columns[1].fill(9n, 13);
  expect(checkTrace(counterAir, columns, publicInputs, 20)).toEqual({
    row: 12,
    constraint: 'count rises by the step',
  });
});

it('weighs boundaries by their row, and asks nothing of the step out of the last row', () => {
  const { columns, publicInputs } = run();
  const late = { ...publicInputs, end: 0n };
  expect(checkTrace(counterAir, columns, late, 20)).toEqual({
    row: 9,
    constraint: 'column 0 is fixed by the statement',
  });
  columns[0][5] = 0n;
  expect(checkTrace(counterAir, columns, late, 20)).toMatchObject({ row: 4 });
  expect(checkTrace(counterAir, columns, { ...late, start: 0n }, 20)).toMatchObject({ row: 0 });
  expect(checkTrace(counterAir, run().columns, publicInputs, 10)).toBeUndefined();
});

it('asks of the step into the last row', () => {
  const { columns, publicInputs } = run();
  columns[0][19] = 0n;
  expect(checkTrace(counterAir, columns, publicInputs, 20)).toMatchObject({ row: 18 });
});

describe('an AIR that is not what it says is refused when it is defined', () => {
  it.each([
    [{ constraintDegree: 4 }, 'constraintDegree'],
    [{ traceLengthMin: 96 }, 'traceLengthMin'],
    [{ traceLengthMin: 32 }, 'traceLengthMin'],
    [{ periodicColumns: [[1n, 2n, 3n]] }, 'a period must be a power of two'],
    [{ periodicColumns: [Array<bigint>(128).fill(1n)] }, 'a period must be a power of two'],
    [{ transitionNames: ['one'] }, 'must have a name'],
    [{ transitionNames: ['one', 'one'] }, 'must differ'],
  ])('%j', (change, message) => {
    expect(() => defineAir({ ...counterAir, ...change })).toThrow(message);
  });

  it('and one that is gets its cost counted', () => {
    expect(defineAir(counterAir).transitionOperations).toEqual({ additions: 3, multiplications: 0 });
  });
});
