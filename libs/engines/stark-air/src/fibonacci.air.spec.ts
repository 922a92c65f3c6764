import { goldilocks, GOLDILOCKS_MODULUS as P } from '@svc/kernels';
import { fibonacciAir as air } from './fibonacci.air.js';
import { WitnessError } from './witness-error.js';

it('ends at the known term of the sequence', () => {
  // Row 63 holds F(64) and F(65) of the sequence 1, 1, 2, … (OEIS A000045).
  const { publicInputs } = air.execute(goldilocks, { first: 1n, second: 1n }, 64);
  expect(publicInputs).toEqual({ rows: 64, first: 1n, second: 1n, result: 17_167_680_177_565n });
});

it('states the term of its own last row, however long the trace', () => {
  const { columns, publicInputs } = air.execute(goldilocks, { first: 1n, second: 1n, rows: 10 }, 64);
  expect(publicInputs.result).toBe(89n);
  expect(columns[1][63]).toBe(17_167_680_177_565n);
});

it.each([P, -1n])('refuses the witness element %s', second => {
  expect(() => air.execute(goldilocks, { first: 1n, second }, 64)).toThrow(WitnessError);
});
