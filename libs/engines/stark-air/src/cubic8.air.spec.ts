import { CountingField, goldilocks } from '@svc/kernels';
import { cubic8Air as air } from './cubic8.air.js';
import { WitnessError } from './witness-error.js';

const INPUT = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n];

const brokenAt = (columns: readonly BigUint64Array[], row: number) => {
  const frame = {
    current: columns.map(column => column[row]),
    next: columns.map(column => column[row + 1]),
    periodic: [],
  };
  return air.evaluateTransition(goldilocks, frame).flatMap((value, i) => (value === 0n ? [] : [i]));
};

it('cubes each column and adds its right neighbour', () => {
  const { columns } = air.execute(goldilocks, { input: INPUT }, 64);
  expect(columns.map(column => column[1])).toEqual([3n, 11n, 31n, 69n, 131n, 223n, 351n, 513n]);
  for (let row = 0; row < 63; row++) expect(brokenAt(columns, row)).toEqual([]);
});

it.each(INPUT.map((_, column) => column))('binds column %i by its own constraint alone', column => {
  const { columns } = air.execute(goldilocks, { input: INPUT }, 64);
  columns[column][63] = goldilocks.add(columns[column][63], 1n);
  expect(brokenAt(columns, 62)).toEqual([column]);
});

it('fixes the whole first and last row by the boundary', () => {
  const { columns, publicInputs } = air.execute(goldilocks, { input: INPUT }, 64);
  const boundary = air.boundaryConstraints(publicInputs, 64);
  expect(boundary).toHaveLength(16);
  for (const { column, row, value } of boundary) expect(columns[column][row]).toBe(value);
  expect(air.publicInputsFromJson(air.publicInputsToJson(publicInputs))).toEqual(publicInputs);
});

it('states its cost as a counting field measures it', () => {
  const counting = new CountingField();
  air.evaluateTransition(counting, { current: INPUT, next: INPUT, periodic: [] });
  const { additions, multiplications } = counting;
  expect(air.transitionOperations).toEqual({ additions, multiplications });
  const running = new CountingField();
  air.execute(running, { input: INPUT }, 128);
  expect(air.executionOperations(128)).toEqual({
    additions: running.additions,
    multiplications: running.multiplications,
  });
});

it.each([[INPUT.slice(1)], [[...INPUT.slice(1), 2n ** 64n - 1n]]])('refuses the witness %p', input => {
  expect(() => air.execute(goldilocks, { input }, 64)).toThrow(WitnessError);
});
