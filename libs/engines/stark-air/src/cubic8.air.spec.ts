import { goldilocks, m31 } from '@svc/kernels';
import { brokenTransitions, bump } from './testing/air-samples.js';
import { cubic8Air as air, cubic8M31Air } from './cubic8.air.js';
import type { Air } from './air.js';
import { WitnessError } from './witness-error.js';

const INPUT = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n];

it('cubes each column and adds its right neighbour, over both fields', () => {
  const expected = [3n, 11n, 31n, 69n, 131n, 223n, 351n, 513n];
  const { columns } = air.execute(goldilocks, { input: INPUT }, 64);
  expect(columns.map(column => column[1])).toEqual(expected);
  expect(cubic8M31Air.execute(m31, { input: INPUT }, 64).columns.map(column => column[1])).toEqual(expected);
});

it.each(INPUT.map((_, column) => column))('binds column %i by its own constraint alone', column => {
  const { columns } = air.execute(goldilocks, { input: INPUT }, 64);
  bump(air as Air, columns, column, 63);
  expect(brokenTransitions(air as Air, columns)).toEqual([`step of column ${column}`]);
});

it.each([[INPUT.slice(1)], [[...INPUT.slice(1), 2n ** 64n - 1n]]])('refuses the witness %p', input => {
  expect(() => air.execute(goldilocks, { input }, 64)).toThrow(WitnessError);
});
