import { CountingField, goldilocks, GOLDILOCKS_MODULUS as P } from '@svc/kernels';
import { fibonacciAir as air } from './fibonacci.air.js';
import { WitnessError } from './witness-error.js';

const frameAt = (columns: readonly BigUint64Array[], row: number) => ({
  current: columns.map(column => column[row]),
  next: columns.map(column => column[row + 1]),
  periodic: [],
});

it('ends at the known term of the sequence', () => {
  // Row 63 holds F(64) and F(65) of the sequence 1, 1, 2, … (OEIS A000045).
  const { publicInputs } = air.execute(goldilocks, { first: 1n, second: 1n }, 64);
  expect(publicInputs.result).toBe(17_167_680_177_565n);
});

it('satisfies its constraints on every row, and breaks both when a cell changes', () => {
  const { columns } = air.execute(goldilocks, { first: 3n, second: P - 1n }, 64);
  for (let row = 0; row < 63; row++)
    expect(air.evaluateTransition(goldilocks, frameAt(columns, row))).toEqual([0n, 0n]);
  columns[0][10] = goldilocks.add(columns[0][10], 1n);
  expect(air.evaluateTransition(goldilocks, frameAt(columns, 9))[0]).not.toBe(0n);
  expect(air.evaluateTransition(goldilocks, frameAt(columns, 10))[1]).not.toBe(0n);
});

it('states its cost as a counting field measures it', () => {
  const counting = new CountingField();
  air.evaluateTransition(counting, { current: [1n, 1n], next: [1n, 1n], periodic: [] });
  const { additions, multiplications } = counting;
  expect(air.transitionOperations).toEqual({ additions, multiplications });
  const running = new CountingField();
  air.execute(running, { first: 1n, second: 1n }, 64);
  expect(air.executionOperations(64).additions).toBe(running.additions);
});

it.each([P, -1n])('refuses the witness element %s', second => {
  expect(() => air.execute(goldilocks, { first: 1n, second }, 64)).toThrow(WitnessError);
});
