import { m31 } from '@svc/kernels';
import { FIBONACCI, RATIO, UP_AND_SQUARE } from '../testing/own-definitions.js';
import type { WitnessError } from '../witness-error.js';
import { type OwnDefinition, readDefinition } from './definition.js';
import { ownStatementFromJson, type OwnStatementJson, ownStatementToJson } from './own-request.js';
import { makeOwnTrace, type OwnHint, sentColumns, type StatementError } from './own-trace.js';
import { bits, statement } from './statement.js';

const definitionOf = (field: 'goldilocks' | 'm31', write: (s: ReturnType<typeof statement>) => void) => {
  const s = statement(field);
  write(s);
  return readDefinition(s.json());
};

/** `v` is the sum of four bits, and `inverse` that of another column. */
const NIBBLES = definitionOf('m31', s => {
  const v = s.column('v');
  const value = bits(s, 'bit', 4);
  s.require('sum', v.sub(value));
  const [x, y] = [s.column('x'), s.column('y')];
  s.require('one', x.mul(x.mul(y).sub(s.constant(1n))));
  s.last(v, s.public('end'));
});
const BITS: OwnHint = { bits: { of: 'v', into: ['bit_0', 'bit_1', 'bit_2', 'bit_3'] } };
const INVERSE: OwnHint = { inverse: { of: 'x', into: 'y' } };
const HINTS = [BITS, INVERSE];

function faultOf<T extends Error>(make: () => unknown): T {
  try {
    make();
  } catch (error) {
    return error as T;
  }
  throw new Error('nothing was refused');
}
const refusal = (definition: OwnDefinition, json: OwnStatementJson) => {
  const { code, field, message, bound } = faultOf<WitnessError>(() => ownStatementFromJson(definition, json));
  return { code, field, message, bound };
};

describe('a statement under a definition, as a request has it', () => {
  it('is read in every form of an element, by names and by columns', () => {
    expect(
      ownStatementFromJson(readDefinition(FIBONACCI), {
        rows: 9,
        start: { a: 1, b: '0x1' },
        public: { first: '1' },
      }),
    ).toEqual({ rows: 9, start: { a: 1n, b: 1n }, publicInputs: { first: 1n } });
    const given = ownStatementFromJson(NIBBLES, {
      trace: [
        [3, '9', '0xf'],
        ['1', 2, 0],
      ],
      hints: HINTS,
      filler: { v: 1 },
    });
    expect(given).toMatchObject({ rows: 3, hints: HINTS, filler: { v: 1n } });
    expect(Object.entries(given.given ?? {}).map(([name, list]) => [name, ...Array.from(list)])).toEqual([
      ['v', 3n, 9n, 15n],
      ['x', 1n, 2n, 0n],
    ]);
  });

  it('is written as it is read', () => {
    const statement = {
      ...{ rows: 3, hints: HINTS, filler: { v: 1n }, publicInputs: { end: 15n }, start: {} },
      given: { v: BigUint64Array.of(3n, 9n, 15n), x: BigUint64Array.of(1n, 2n, 0n) },
    };
    const json = JSON.parse(JSON.stringify(ownStatementToJson(NIBBLES, statement))) as OwnStatementJson;
    expect(json.trace).toEqual([
      ['3', '9', '15'],
      ['1', '2', '0'],
    ]);
    expect(ownStatementFromJson(NIBBLES, json)).toEqual(statement);
    const started = { rows: 9, start: { a: 1n, b: 1n } };
    expect(ownStatementToJson(readDefinition(FIBONACCI), started)).toEqual({
      rows: 9,
      start: { a: '1', b: '1' },
    });
  });

  it.each(['goldilocks', 'm31'] as const)('takes the same columns as bytes over %s', field => {
    const definition = definitionOf(field, s => {
      const [a, b] = [s.column('a'), s.column('b')];
      s.require('equal', b.sub(a.mul(a)));
      s.last(a, s.public('end'));
    });
    // b follows from a: one column is sent.
    expect(sentColumns(definition)).toEqual(['a']);
    const values = [7n, 0n, field === 'm31' ? m31.modulus - 1n : 2n ** 64n - 2n ** 32n];
    const bytes = Buffer.alloc(values.length * (field === 'm31' ? 4 : 8));
    values.forEach((value, i) =>
      field === 'm31' ? bytes.writeUInt32LE(Number(value), 4 * i) : bytes.writeBigUInt64LE(value, 8 * i),
    );
    const { given, rows } = ownStatementFromJson(definition, { traceBytes: bytes.toString('base64') });
    expect([rows, Array.from(given?.['a'] ?? [])]).toEqual([3, values]);
    bytes.fill(0xff);
    expect(refusal(definition, { traceBytes: bytes.toString('base64') })).toMatchObject({
      code: 'malformed-element',
      field: 'traceBytes',
      message: expect.stringContaining('at column a, row 0'),
    });
    expect(refusal(definition, { traceBytes: bytes.subarray(1).toString('base64') })).toMatchObject({
      code: 'malformed-trace',
      bound: { max: field === 'm31' ? 4 : 8, got: bytes.length - 1 },
    });
  });

  it.each<[string, OwnDefinition, OwnStatementJson, object]>([
    [
      'no rows',
      readDefinition(RATIO),
      { start: { term: 1, ratio: 2 } },
      { field: 'rows', message: 'rows is missing' },
    ],
    ['a row too few', readDefinition(RATIO), { rows: 1 }, { field: 'rows', bound: { max: 2, got: 1 } }],
    [
      'a name that is not public',
      readDefinition(RATIO),
      { rows: 4, public: { ratio: 3 } },
      { field: 'public.ratio' },
    ],
    [
      'an element at the modulus',
      readDefinition(UP_AND_SQUARE),
      { rows: 4, public: { k: '2147483647' } },
      { code: 'malformed-element', field: 'public.k', bound: { max: '2147483646' } },
    ],
    [
      'a trace that nothing asks for',
      readDefinition(RATIO),
      { rows: 4, trace: [[1, 2]] },
      { field: 'trace', bound: { max: 0 } },
    ],
    [
      'no trace',
      NIBBLES,
      { rows: 4 },
      { field: 'trace', message: expect.stringContaining('bit_0, bit_1, bit_2, bit_3, x, y') },
    ],
    [
      'a column too few',
      NIBBLES,
      { trace: [[1, 2]], hints: HINTS },
      { field: 'trace', bound: { max: 2, got: 1 } },
    ],
    [
      'columns of two lengths',
      NIBBLES,
      { trace: [[1, 2], [1]], hints: HINTS },
      { field: 'trace.1', bound: { max: 2, got: 1 } },
    ],
    [
      'rows beside another number of them',
      NIBBLES,
      {
        rows: 5,
        trace: [
          [1, 2],
          [1, 1],
        ],
        hints: HINTS,
      },
      { field: 'trace', bound: { max: 5, got: 2 } },
    ],
    [
      'an element that is none',
      NIBBLES,
      {
        trace: [
          [1, 2],
          [1, 'x'],
        ],
        hints: HINTS,
      },
      { code: 'malformed-element', field: 'trace.1.1' },
    ],
    ['both forms of a trace', NIBBLES, { trace: [[1]], traceBytes: 'AAAA' }, { field: 'traceBytes' }],
    ['a hint of neither kind', NIBBLES, { hints: [{}] }, { field: 'hints.0' }],
    [
      'a hint without its columns',
      NIBBLES,
      { hints: [{ bits: { of: 'v' } }] },
      { field: 'hints.0.bits.into' },
    ],
    [
      'too many hints',
      NIBBLES,
      { hints: Array(65).fill(INVERSE) },
      { field: 'hints', bound: { max: 64, got: 65 } },
    ],
  ])('of %s is refused, and names it', (_name, definition, json, fault) => {
    expect(refusal(definition, json)).toMatchObject(fault);
  });
});

describe('hints', () => {
  const made = (values: bigint[], inverses: bigint[], hints: readonly OwnHint[] = HINTS) =>
    makeOwnTrace(NIBBLES, { rows: values.length, given: { v: values, x: inverses }, hints }, 16);

  it('make bits and inverses row by row, and of 0 the inverse 0', () => {
    const { columns, publicInputs } = made([5n, 8n, 15n], [2n, 0n, 10n]);
    expect(publicInputs).toEqual({ end: 15n });
    const rowOf = (row: number) =>
      Object.fromEntries(NIBBLES.columns.map((name, at) => [name, columns[at][row]]));
    expect(rowOf(0)).toMatchObject({
      v: 5n,
      bit_0: 1n,
      bit_1: 0n,
      bit_2: 1n,
      bit_3: 0n,
      x: 2n,
      y: 2n ** 30n,
    });
    expect(rowOf(1)).toMatchObject({ v: 8n, bit_3: 1n, x: 0n, y: 0n });
    expect((rowOf(2)['x'] * rowOf(2)['y']) % m31.modulus).toBe(1n);
    // The last row goes on behind the statement.
    expect(rowOf(15)).toEqual(rowOf(2));
  });

  it('make the bits of a column that follows from the row before', () => {
    const counted = definitionOf('goldilocks', s => {
      const x = s.column('x');
      const value = bits(s, 'bit', 6);
      s.require('step', x.next.sub(x.add(s.constant(3n))));
      s.require('range', value.sub(x));
      s.last(x, s.public('end'));
    });
    const hints = [{ bits: { of: 'x', into: [0, 1, 2, 3, 4, 5].map(i => `bit_${i}`) } }];
    const { columns } = makeOwnTrace(counted, { rows: 10, start: { x: 1n }, hints }, 16);
    for (let row = 0; row < 16; row++) {
      const sum = [1, 2, 3, 4, 5, 6].reduce((all, at, bit) => all + (columns[at][row] << BigInt(bit)), 0n);
      expect(sum).toBe(1n + 3n * BigInt(row));
    }
    const tooLong = faultOf<StatementError>(() =>
      makeOwnTrace(counted, { rows: 30, start: { x: 1n }, hints }, 32),
    );
    expect(tooLong).toMatchObject({
      code: 'hint-too-small',
      path: 'hints.0',
      broken: { row: 21, column: 'x', operands: [64n] },
    });
  });

  it.each<[string, () => unknown, object]>([
    [
      'a value of more bits',
      () => made([5n, 16n], [1n, 1n]),
      { code: 'hint-too-small', broken: { row: 1, column: 'v', operands: [16n] } },
    ],
    [
      'bits in another order',
      () =>
        made(
          [5n, 5n],
          [1n, 1n],
          [{ bits: { of: 'v', into: ['bit_1', 'bit_0', 'bit_2', 'bit_3'] } }, INVERSE],
        ),
      { code: 'constraint-violated', path: 'trace', broken: { row: 0, column: 'v', operands: [6n, 5n] } },
    ],
    [
      'a column that is not there',
      () => made([5n, 5n], [1n, 1n], [{ inverse: { of: 'w', into: 'y' } }]),
      { path: 'hints.0.inverse.of' },
    ],
    [
      'a column that a constraint gives',
      () => made([5n, 5n], [1n, 1n], [{ inverse: { of: 'x', into: 'v' } }]),
      { path: 'hints.0.inverse.into' },
    ],
    [
      'a column twice',
      () => made([5n, 5n], [1n, 1n], [BITS, INVERSE, INVERSE]),
      { path: 'hints.2.inverse.into' },
    ],
    [
      'what is made later',
      () => made([5n, 5n], [1n, 1n], [{ inverse: { of: 'bit_0', into: 'y' } }, BITS]),
      { path: 'hints.0.inverse.of' },
    ],
    [
      'no column',
      () => made([5n, 5n], [1n, 1n], [{ bits: { of: 'v', into: [] } }, INVERSE]),
      { path: 'hints.0.bits.into' },
    ],
  ])('%s: refused', (_name, make, fault) => {
    expect(faultOf<StatementError>(make)).toMatchObject(fault);
  });
});
