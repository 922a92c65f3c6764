import { type Poseidon2, poseidon2Goldilocks, poseidon2M31 } from '@svc/kernels';
import fc from 'fast-check';
import { Poseidon2Rows, ROWS_PER_PERMUTATION } from './poseidon2-rows.js';

const INSTANCES: [name: string, permutation: Poseidon2][] = [
  ['Goldilocks', poseidon2Goldilocks],
  ['M31', poseidon2M31],
];

/** Names of the constraints broken in two permutations, the second absorbing nothing. */
function broken(rows: Poseidon2Rows, columns: readonly BigUint64Array[]): string[] {
  const { field } = rows.permutation;
  const names = new Set<string>();
  for (let row = 0; row + 1 < columns[0].length; row++) {
    const frame = {
      current: columns.map(column => column[row]),
      next: columns.map(column => column[row + 1]),
      periodic: rows.periodicColumns.map(column => column[row % column.length]),
    };
    rows
      .evaluate(field, frame, lane => field.sub(frame.next[lane], frame.current[lane]))
      .forEach((value, i) => value !== 0n && names.add(rows.transitionNames[i]));
  }
  return [...names];
}

describe.each(INSTANCES)('over %s', (_, permutation) => {
  const rows = new Poseidon2Rows(permutation);
  const { width, field } = permutation;
  const lane = fc.bigInt({ min: 0n, max: field.modulus - 1n });
  const run = (state: readonly bigint[], rowCount = 2 * ROWS_PER_PERMUTATION) => {
    const columns = Array.from({ length: rows.columnCount }, () => new BigUint64Array(rowCount));
    const first = rows.write(field, columns, 0, state);
    const last = rows.write(field, columns, ROWS_PER_PERMUTATION, first);
    return { columns, first, last };
  };
  const START = Array.from({ length: width }, (__, i) => BigInt(3 * i + 1));

  it('holds in row 31 what the permutation gives', () => {
    fc.assert(
      fc.property(fc.array(lane, { minLength: width, maxLength: width }), state => {
        const { columns, first, last } = run(state);
        expect(first).toEqual(permutation.permute(state));
        expect(last).toEqual(permutation.permute(first));
        expect(columns.slice(0, width).map(column => column[31])).toEqual(first);
        expect(broken(rows, columns)).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it('selects exactly one step in every row', () => {
    const selectors = rows.periodicColumns.slice(0, rows.periodicColumns.length - width);
    for (let row = 0; row < ROWS_PER_PERMUTATION; row++) {
      expect(selectors.filter(column => column[row] === 1n)).toHaveLength(1);
      expect(selectors.every(column => column[row] === 0n || column[row] === 1n)).toBe(true);
    }
    expect(selectors[0].filter(on => on === 1n)).toHaveLength(8);
    expect(selectors[3]).toEqual([...Array<bigint>(31).fill(0n), 1n]);
  });

  it('has no redundant constraint: for each, a trace breaks it alone', () => {
    const alone = new Set<string>();
    const record = (change: (columns: readonly BigUint64Array[]) => void) => {
      const { columns } = run(START);
      change(columns);
      const names = broken(rows, columns);
      if (names.length === 1) alone.add(names[0]);
    };
    for (let i = 0; i < width; i++) {
      // The step into the last row, whose helper columns nobody looks at.
      record(columns => (columns[i][63] = field.add(columns[i][63], 1n)));
      // In a row of the linear step S-boxes feed nothing but their own constraint.
      record(columns => (columns[2 * width + i][0] = field.add(columns[2 * width + i][0], 1n)));
      // A wrong cube with the S-box made consistent.
      record(columns => {
        columns[width + i][0] = field.add(columns[width + i][0], 1n);
        columns[2 * width + i][0] = permutation.sboxFromCube(field, columns[width + i][0], columns[i][0]);
      });
    }
    expect([...alone].sort()).toEqual([...rows.transitionNames].sort());
  });

  it('forces every round: a state that skips one breaks the step', () => {
    for (let row = 0; row < ROWS_PER_PERMUTATION; row++) {
      const { columns } = run(START);
      const held = columns.slice(0, width).every(column => column[row] === column[row + 1]);
      // Where the state is meant to stand still, it is changed instead.
      for (let i = 0; i < width; i++) {
        columns[i][row + 1] = held ? field.add(columns[i][row], 1n) : columns[i][row];
      }
      expect(broken(rows, columns)).toContain('step of lane 0');
    }
  });

  it('fills what rows there are where a trace ends within a permutation', () => {
    const { columns } = run(START);
    const cut = run(START, 50);
    expect(cut.columns.map(column => [...column])).toEqual(columns.map(column => [...column.slice(0, 50)]));
    expect(broken(rows, cut.columns)).toEqual([]);
  });
});

it('waits over M31, whose 22 rounds leave rows over, and not over Goldilocks', () => {
  const [goldilocksRows, m31Rows] = INSTANCES.map(([, permutation]) => new Poseidon2Rows(permutation));
  expect(goldilocksRows.periodicColumns).toHaveLength(4 + 8);
  expect(m31Rows.periodicColumns).toHaveLength(5 + 16);
  expect(m31Rows.periodicColumns[4].filter(on => on === 1n)).toHaveLength(8);
});
