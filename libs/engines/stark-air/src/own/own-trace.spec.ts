import { goldilocks, m31 } from '@svc/kernels';
import fc from 'fast-check';
import { FIBONACCI, RATIO, UP_AND_SQUARE } from '../testing/own-definitions.js';
import { readDefinition } from './definition.js';
import {
  checkOwnTrace,
  columnSources,
  makeOwnTrace,
  type OwnStatement,
  type StatementError,
} from './own-trace.js';

/** Writes a definition: a node for each different expression, in the order in which they come. */
function define(
  columns: string[],
  constraints: Record<string, Expression>,
  {
    publicInputs = [],
    boundary = [],
    periodic = [],
  }: { publicInputs?: string[]; boundary?: unknown[]; periodic?: unknown[] } = {},
) {
  const nodes: unknown[][] = [];
  const place = ([op, ...operands]: Expression): number => {
    const node = [op, ...operands.map(each => (typeof each === 'string' ? each : place(each)))];
    const known = nodes.findIndex(each => JSON.stringify(each) === JSON.stringify(node));
    return known >= 0 ? known : nodes.push(node) - 1;
  };
  const list = Object.entries(constraints).map(([name, top]) => ({ name, node: place(top) }));
  return readDefinition(
    JSON.stringify({
      ...{ format: 'air/1', field: 'goldilocks', columns, public: publicInputs, periodic, nodes },
      ...{ constraints: list, boundary },
    }),
  );
}
type Expression = readonly [string, ...(string | Expression)[]];
const cur = (name: string): Expression => ['cur', name];
const next = (name: string): Expression => ['next', name];

/** The value of an expression, by its definition: neither nodes nor schedules. */
function valueIn([op, ...operands]: Expression, row: Record<string, bigint>, p: bigint): bigint {
  if (op === 'cur') return row[operands[0] as string];
  if (op === 'const') return BigInt(operands[0] as string);
  const [x, y] = operands.map(each => valueIn(each as Expression, row, p));
  return (((op === 'add' ? x + y : op === 'sub' ? x - y : x * y) % p) + p) % p;
}

const faultOf = (make: () => unknown): StatementError => {
  try {
    make();
  } catch (error) {
    return error as StatementError;
  }
  throw new Error('it was made');
};

describe('the trace of a statement', () => {
  it('follows from row 0 where each column has its step, and tells the public inputs', () => {
    const fibonacci = readDefinition(FIBONACCI);
    const { columns, publicInputs } = makeOwnTrace(fibonacci, { rows: 50, start: { a: 1n, b: 1n } }, 64);
    let [a, b] = [1n, 1n];
    for (let row = 0; row < 64; row++) {
      expect([columns[0][row], columns[1][row]]).toEqual([a, b]);
      [a, b] = [b, (a + b) % goldilocks.modulus];
    }
    expect(publicInputs).toEqual({ first: 1n, second: 1n, result: 20_365_011_074n });
  });

  it('takes row 0 from a boundary whose value is known, and what constraints need of the public inputs', () => {
    const turns = readDefinition(UP_AND_SQUARE);
    const { columns, publicInputs } = makeOwnTrace(turns, { rows: 9, publicInputs: { k: 5n } }, 64);
    let x = 3n;
    for (let row = 0; row < 64; row++) {
      expect(columns[0][row]).toBe(x);
      x = (row % 2 === 0 ? x + 5n : x * x) % m31.modulus;
    }
    expect(publicInputs).toEqual({ k: 5n, end: columns[0][8] });
    const ratio = readDefinition(RATIO);
    const hidden = makeOwnTrace(ratio, { rows: 4, publicInputs: { start: 7n }, start: { ratio: 3n } }, 16);
    expect(hidden.publicInputs).toEqual({ start: 7n, end: 189n });
  });

  it('of any recurrence is what its steps give, row by row', () => {
    const names = ['a', 'b', 'c'];
    const { expression } = fc.letrec<{ expression: Expression }>(tie => ({
      expression: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(...names).map(cur),
        fc
          .bigInt({ min: 0n, max: goldilocks.modulus - 1n })
          .map(value => ['const', String(value)] as Expression),
        fc.tuple(
          fc.constantFrom('add', 'sub'),
          tie('expression'),
          tie('expression'),
        ) as fc.Arbitrary<Expression>,
        // One factor alone has a degree, and so no product has more than one.
        fc.tuple(
          fc.constant('mul'),
          fc.constantFrom(...names).map(cur),
          fc.constantFrom(['const', '3'], ['const', '9']),
        ) as fc.Arbitrary<Expression>,
      ),
    }));
    const element = fc.bigInt({ min: 0n, max: goldilocks.modulus - 1n });
    const case_ = fc.record({
      steps: fc.tuple(expression, expression, expression),
      start: fc.tuple(element, element, element),
    });
    fc.assert(
      fc.property(case_, ({ steps, start }) => {
        const constraints = Object.fromEntries(
          names.map((name, i) => [`step_${name}`, ['sub', next(name), steps[i]] as Expression]),
        );
        const definition = define(names, constraints);
        const { columns } = makeOwnTrace(
          definition,
          { rows: 5, start: { a: start[0], b: start[1], c: start[2] } },
          12,
        );
        let row: Record<string, bigint> = { a: start[0], b: start[1], c: start[2] };
        for (let at = 0; at < 12; at++) {
          expect(columns.map(column => column[at])).toEqual(names.map(name => row[name]));
          row = Object.fromEntries(
            names.map((name, i) => [name, valueIn(steps[i], row, goldilocks.modulus)]),
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  /** `sum` adds `x`, whose square is `square` and whose cube is `cube`, written before what it takes. */
  const sums = define(
    ['cube', 'square', 'x', 'sum'],
    {
      cubes: ['sub', cur('cube'), ['mul', cur('square'), cur('x')]],
      squares: ['sub', cur('square'), ['mul', cur('x'), cur('x')]],
      adds: ['sub', next('sum'), ['add', cur('sum'), cur('cube')]],
    },
    {
      publicInputs: ['total'],
      boundary: [
        { column: 'sum', row: 0, value: ['const', '0'] },
        { column: 'sum', row: 'last', value: ['public', 'total'] },
      ],
    },
  );

  it('fills columns that follow from others of their row, whatever their order, and goes on behind the statement', () => {
    const { stepped, local, given } = columnSources(sums);
    expect([[...stepped.keys()], [...local.keys()], given]).toEqual([[3], [0, 1], [2]]);
    const statement = { rows: 4, given: { x: [1n, 2n, 3n, 4n] } };
    const { columns, publicInputs } = makeOwnTrace(sums, statement, 8);
    expect(columns.map(column => [...column])).toEqual([
      [1n, 8n, 27n, 64n, 64n, 64n, 64n, 64n],
      [1n, 4n, 9n, 16n, 16n, 16n, 16n, 16n],
      [1n, 2n, 3n, 4n, 4n, 4n, 4n, 4n],
      [0n, 1n, 9n, 36n, 100n, 164n, 228n, 292n],
    ]);
    expect(publicInputs).toEqual({ total: 36n });
    const filled = makeOwnTrace(sums, { ...statement, filler: { x: 0n } }, 8);
    expect([...filled.columns[3]]).toEqual([0n, 1n, 9n, 36n, 100n, 100n, 100n, 100n]);
  });

  it('takes columns that would follow from one another as given', () => {
    const both = define(['a', 'b'], {
      one: ['sub', cur('a'), cur('b')],
      other: ['sub', cur('b'), cur('a')],
    });
    const { local, given } = columnSources(both);
    expect([[...local.keys()], given]).toEqual([[0], [1]]);
    expect([...makeOwnTrace(both, { rows: 2, given: { b: [5n, 6n] } }, 4).columns[0]]).toEqual([
      5n,
      6n,
      6n,
      6n,
    ]);
  });

  it('takes a column whose step looks at the next row as given, and one that has a step by its step alone', () => {
    const looks = define(['a', 'b'], {
      same: ['sub', next('a'), next('b')],
      steps: ['sub', next('b'), cur('b')],
      stays: ['sub', cur('b'), ['const', '5']],
    });
    const { stepped, local, given } = columnSources(looks);
    expect([[...stepped.keys()], [...local.keys()], given]).toEqual([[1], [], [0]]);
    const { columns } = makeOwnTrace(looks, { rows: 2, start: { b: 5n }, given: { a: [7n, 5n] } }, 4);
    expect(columns.map(column => [...column])).toEqual([
      [7n, 5n, 5n, 5n],
      [5n, 5n, 5n, 5n],
    ]);
  });

  it('of names that every object has, and of a chain of thousands of nodes, is made as any other', () => {
    const nodes: unknown[][] = [
      ['next', 'constructor'],
      ['cur', 'constructor'],
    ];
    for (let i = 0; i < 2_700; i++)
      nodes.push(['const', String(i)], ['add', i === 0 ? 1 : 2 * i + 1, 2 * i + 2]);
    nodes.push(['sub', 0, nodes.length - 1]);
    const definition = readDefinition(
      JSON.stringify({
        ...{
          format: 'air/1',
          field: 'goldilocks',
          columns: ['constructor'],
          public: ['constructor'],
          periodic: [],
          nodes,
        },
        constraints: [{ name: 'constructor', node: nodes.length - 1 }],
        boundary: [{ column: 'constructor', row: 'last', value: ['public', 'constructor'] }],
      }),
    );
    const step = (2_699n * 2_700n) / 2n;
    const { publicInputs } = makeOwnTrace(definition, { rows: 3, start: { constructor: 1n } }, 4);
    expect(publicInputs).toEqual({ constructor: 1n + 2n * step });
    expect(faultOf(() => makeOwnTrace(definition, { rows: 3 }, 4))).toMatchObject({
      code: 'missing-input',
      path: 'start.constructor',
    });
  });

  it.each<[string, OwnStatement, object]>([
    ['one row', { rows: 1 }, { code: 'rows-out-of-range', path: 'rows' }],
    ['as many rows as there are', { rows: 8 }, { code: 'rows-out-of-range' }],
    ['half a row', { rows: 2.5 }, { code: 'rows-out-of-range' }],
    ['no column that it needs', { rows: 2 }, { code: 'missing-input', path: 'given.x' }],
    [
      'a column too short',
      { rows: 3, given: { x: [1n, 2n] } },
      { code: 'malformed-statement', path: 'given.x' },
    ],
    [
      'a column that follows from others',
      { rows: 2, given: { x: [1n, 2n], square: [1n, 4n] } },
      { code: 'malformed-statement', path: 'given.square' },
    ],
    [
      'an element that is not below p',
      { rows: 2, given: { x: [1n, goldilocks.modulus] } },
      { code: 'malformed-statement', path: 'given.x.1' },
    ],
    [
      'a start of a column that has none',
      { rows: 2, given: { x: [1n, 2n] }, start: { x: 1n } },
      { code: 'malformed-statement', path: 'start.x' },
    ],
    [
      'a public input that is not there',
      { rows: 2, given: { x: [1n, 2n] }, publicInputs: { other: 1n } },
      { code: 'malformed-statement', path: 'publicInputs.other' },
    ],
    [
      'a public input that the trace does not have',
      { rows: 3, given: { x: [1n, 2n, 3n] }, publicInputs: { total: 10n } },
      { code: 'constraint-violated', broken: { row: 2, column: 'sum', operands: [9n, 10n] } },
    ],
    [
      'a start that a boundary refuses',
      { rows: 2, given: { x: [1n, 2n] }, start: { sum: 1n } },
      { code: 'constraint-violated', broken: { row: 0, column: 'sum', operands: [1n, 0n] } },
    ],
  ])('with %s is refused, and says where', (_what, statement, fault) => {
    expect(faultOf(() => makeOwnTrace(sums, statement, 8))).toMatchObject(fault);
  });

  it('whose given columns break a constraint names it, its row and its operands, and what breaks behind the statement asks for a filler', () => {
    const bits = define(['v', 'bit'], {
      is_bit: ['mul', cur('bit'), ['sub', cur('bit'), ['const', '1']]],
      adds: ['sub', next('v'), ['add', cur('v'), ['add', cur('bit'), ['const', '1']]]],
      grows: ['mul', cur('bit'), ['sub', next('bit'), ['const', '1']]],
    });
    const made = (bit: bigint[], filler?: bigint) =>
      makeOwnTrace(
        bits,
        {
          rows: bit.length,
          start: { v: 0n },
          given: { bit },
          ...(filler === undefined ? {} : { filler: { bit: filler } }),
        },
        8,
      );
    expect([...made([0n, 0n, 1n]).columns[0]].slice(0, 4)).toEqual([0n, 1n, 2n, 4n]);
    expect(faultOf(() => made([0n, 2n, 1n]))).toMatchObject({
      code: 'constraint-violated',
      path: 'trace',
      broken: { row: 1, constraint: 'is_bit', operands: [2n, 1n] },
    });
    expect(faultOf(() => made([0n, 1n, 0n]))).toMatchObject({ broken: { row: 1, constraint: 'grows' } });
    expect(faultOf(() => made([0n, 1n, 1n], 0n))).toMatchObject({
      code: 'no-filler',
      path: 'filler',
      broken: { row: 2, constraint: 'grows' },
    });
    expect(faultOf(() => made([0n, 1n, 1n], 2n))).toMatchObject({ code: 'no-filler', broken: { row: 2 } });
    // The last row is of the statement, for what looks at it alone.
    expect(faultOf(() => made([0n, 0n, 2n]))).toMatchObject({
      ...{ code: 'constraint-violated', path: 'trace', broken: { row: 2, constraint: 'is_bit' } },
    });
  });

  it('is checked at every row and cell: any that is changed is found, at its row or the one before', () => {
    const { columns, publicInputs } = makeOwnTrace(
      sums,
      { rows: 6, given: { x: [1n, 2n, 3n, 4n, 5n, 6n] } },
      8,
    );
    expect(checkOwnTrace(sums, columns, publicInputs, 6, 8)).toBeUndefined();
    for (let column = 0; column < 4; column++) {
      for (let row = 0; row < 7; row++) {
        const changed = columns.map(each => BigUint64Array.from(each));
        changed[column][row] += 1n;
        const broken = checkOwnTrace(sums, changed, publicInputs, 6, 8);
        expect([row - 1, row]).toContain(broken?.row);
      }
    }
  });
});
