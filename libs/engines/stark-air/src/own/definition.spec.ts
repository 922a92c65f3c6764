import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { DefinitionError } from './definition-error.js';
import { DEFINITION_BOUNDS, definitionFromJson, readDefinition } from './definition.js';
import { FIBONACCI, KNOWN, RATIO } from '../testing/own-definitions.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any definition

const changed = (text: string, change: (json: Json) => void): string => {
  const json = JSON.parse(text) as Json;
  change(json);
  return JSON.stringify(json);
};
const codeOf = (text: string): string => {
  try {
    readDefinition(text);
    return 'read';
  } catch (error) {
    if (error instanceof DefinitionError) return `${error.code} ${error.path}`;
    throw error;
  }
};

describe('a definition', () => {
  it.each(KNOWN)('of $name has its known id, degree and canonical text', ({ text, id, degree }) => {
    const definition = readDefinition(text);
    expect([definition.id, definition.degree]).toEqual([id, degree]);
    const hash = createHash('sha256').update(definition.canonical).digest('hex');
    expect(`air/sha256:${hash}`).toBe(id);
    expect(readDefinition(definition.canonical).id).toBe(id);
    // Its members in another order, and spaces between, are the same definition.
    const turned = Object.fromEntries(Object.entries(JSON.parse(text) as Json).reverse());
    expect(readDefinition(JSON.stringify(turned, undefined, 2)).id).toBe(id);
    expect(definitionFromJson(turned).id).toBe(id);
  });

  it('is another with any change of what it holds', () => {
    const known = readDefinition(RATIO).id;
    const ids = [
      (json: Json) =>
        (json.columns[0] =
          json.nodes[0][1] =
          json.nodes[1][1] =
          json.boundary[0].column =
          json.boundary[1].column =
            'terms'),
      (json: Json) => json.constraints.reverse(),
      (json: Json) => (json.nodes[4] = ['sub', 3, 0]),
      (json: Json) => (json.boundary[0].row = 1),
      (json: Json) =>
        (json.boundary[1].value = ['public', 'start']) && (json.boundary[0].value = ['public', 'end']),
      (json: Json) => (json.constraints[0].name = 'multiplied'),
      (json: Json) => (json.field = 'm31'),
      (json: Json) => json.public.reverse(),
    ].map(change => readDefinition(changed(RATIO, change)).id);
    expect(new Set([known, ...ids]).size).toBe(ids.length + 1);
  });

  it.each<[string, string, (json: Json) => void]>([
    ['no constraint', 'malformed-definition constraints', json => (json.constraints = [])],
    ['another form', 'malformed-definition format', json => (json.format = 'air/2')],
    ['another field', 'malformed-definition field', json => (json.field = 'bn254')],
    ['a member that is not known', 'malformed-definition ', json => (json.title = 'mine')],
    ['a member less', 'malformed-definition public', json => delete json.public],
    ['a column again', 'malformed-definition columns.1', json => (json.columns = ['a', 'a'])],
    [
      'a public input that every statement has',
      'malformed-definition public.2',
      json => (json.public[2] = 'rows'),
    ],
    ['a name in capitals', 'malformed-definition columns.0', json => (json.columns[0] = 'A')],
    [
      'a name that is no property of its own',
      'unknown-name nodes.0',
      json => (json.nodes[0] = ['next', 'constructor']),
    ],
    ['an object for a name', 'unknown-name nodes.0', json => (json.nodes[0] = ['next', {}])],
    ['a later node as an operand', 'malformed-definition nodes.2', json => (json.nodes[2] = ['sub', 0, 2])],
    [
      'a node with three operands',
      'malformed-definition nodes.2',
      json => (json.nodes[2] = ['sub', 0, 1, 1]),
    ],
    ['a node again', 'node-repeated nodes.4', json => (json.nodes[4] = ['cur', 'b'])],
    ['a node that nothing needs', 'node-unused nodes.7', json => json.nodes.push(['const', '1'])],
    [
      'an element that is not below p',
      'malformed-definition nodes.4',
      json => (json.nodes[4] = ['const', '18446744069414584321']),
    ],
    [
      'an element with a zero before',
      'malformed-definition nodes.4',
      json => (json.nodes[4] = ['const', '01']),
    ],
    ['an element as a number', 'malformed-definition nodes.4', json => (json.nodes[4] = ['const', 1])],
    [
      'a constraint of no node',
      'malformed-definition constraints.0.node',
      json => (json.constraints[0].node = 7),
    ],
    [
      'a constraint of constants',
      'constraint-without-column constraints.2',
      json => json.nodes.push(['const', '0']) && json.constraints.push({ name: 'nothing', node: 7 }),
    ],
    [
      'a constraint that holds of any rows',
      'constraint-always-zero constraints.2',
      json => json.nodes.push(['sub', 4, 4]) && json.constraints.push({ name: 'nothing', node: 7 }),
    ],
    [
      'one that is zero by another way to compute the same',
      'constraint-always-zero constraints.2',
      json => {
        json.nodes.push(
          ['add', 1, 4],
          ['mul', 7, 7],
          ['mul', 1, 1],
          ['mul', 4, 4],
          ['mul', 1, 4],
          ['add', 11, 11],
        );
        json.nodes.push(['add', 9, 10], ['add', 13, 12], ['sub', 8, 14]);
        json.constraints.push({ name: 'binomial', node: 15 });
      },
    ],
    [
      'two constraints of a node',
      'constraint-repeated constraints.1',
      json => (json.constraints[1].node = 2),
    ],
    [
      'two constraints of a name',
      'malformed-definition constraints.1',
      json => (json.constraints[1].name = 'shift'),
    ],
    ['a column that occurs nowhere', 'column-unused columns.2', json => json.columns.push('c')],
    [
      'a public input that is bound to nothing',
      'public-input-unbound public.3',
      json => json.public.push('other'),
    ],
    [
      'a cell that is fixed again',
      'boundary-repeated boundary.3',
      json => json.boundary.push({ column: 'a', row: 0, value: ['const', '1'] }),
    ],
    [
      'a row beyond those that may be fixed',
      'malformed-definition boundary.0.row',
      json => (json.boundary[0].row = 64),
    ],
    [
      'nine different rows',
      'boundary-rows-too-many boundary.9',
      json => {
        for (let row = 1; row < 9; row++) json.boundary.push({ column: 'a', row, value: ['const', '1'] });
      },
    ],
    [
      'degree four',
      'degree-too-high nodes.8',
      json =>
        json.nodes.push(['mul', 1, 1], ['mul', 7, 7]) && json.constraints.push({ name: 'far', node: 8 }),
    ],
    [
      'a cycle of three',
      'malformed-definition periodic.0.values',
      json => (json.periodic = [{ name: 'c', values: ['0', '1', '2'] }]),
    ],
    [
      'cycles of too many values',
      'malformed-definition periodic',
      json =>
        (json.periodic = Array.from({ length: 9 }, (_, i) => ({
          name: `c${i}`,
          values: Array(256).fill('1'),
        }))),
    ],
    [
      'too many columns',
      'malformed-definition columns',
      json => (json.columns = Array.from({ length: 65 }, (_, i) => `c${i}`)),
    ],
  ])('with %s is refused as %s', (_what, expected, change) => {
    expect(codeOf(changed(FIBONACCI, change))).toBe(expected);
  });

  it.each([
    ['a member again', FIBONACCI.replace('"field"', '"format":"air/1","field"')],
    ['a member again within a constraint', FIBONACCI.replace('"node":2', '"node":2,"node":2')],
    ['an exponent', FIBONACCI.replace('"row":0', '"row":0e0')],
    ['a fraction', FIBONACCI.replace('"row":0', '"row":0.0')],
    ['minus zero', FIBONACCI.replace('"row":0', '"row":-0')],
    ['a zero before', FIBONACCI.replace('["sub",0,1]', '["sub",00,1]')],
    ['an escape', FIBONACCI.replace('"cur"', '"c\\u0075r"')],
    ['null', FIBONACCI.replace('"row":0', '"row":null')],
    ['another character than ASCII', FIBONACCI.replace('"shift"', '"schïft"')],
    ['something behind it', `${FIBONACCI}{}`],
    ['nothing', ''],
    ['a comma too many', FIBONACCI.replace('"last"', '"last",')],
    ['a list that is not closed', FIBONACCI.slice(0, -2)],
    ['deep nesting', '['.repeat(100_000)],
  ])('whose text has %s is refused before it is looked at', (_what, text) => {
    expect(codeOf(text)).toMatch(/^malformed-json character \d+$/);
  });

  it('is refused where it is longer than a definition may be, spaced or not', () => {
    expect(codeOf(`${FIBONACCI}${' '.repeat(4 * DEFINITION_BOUNDS.bytes)}`)).toBe('too-long ');
    const long = changed(FIBONACCI, json => {
      json.nodes = Array.from({ length: 8_192 }, (_, i) => ['const', String(10n ** 18n + BigInt(i))]);
      json.constraints = Array.from({ length: 224 }, (_, i) => ({
        name: `c${i}_${'x'.repeat(20)}`,
        node: i,
      }));
    });
    expect(long.length).toBeGreaterThan(DEFINITION_BOUNDS.bytes);
    expect(codeOf(long)).toBe('too-long ');
  });

  it('that is damaged anywhere is refused, or is another definition', () => {
    const { id } = readDefinition(FIBONACCI);
    const damage = fc.tuple(
      fc.nat(FIBONACCI.length),
      fc.nat(8),
      fc.oneof(
        fc.string({ maxLength: 8 }),
        fc.constantFrom('"', '[', '{', ',', '0', '-1', '1e3', '\\', '"__proto__":'),
      ),
    );
    fc.assert(
      fc.property(damage, ([at, cut, put]) => {
        const text = FIBONACCI.slice(0, at) + put + FIBONACCI.slice(at + cut);
        try {
          const read = readDefinition(text);
          const plain = JSON.parse(text) as unknown;
          // What is read is what any reader of JSON reads.
          expect(JSON.parse(read.canonical)).toEqual(plain);
          if (read.id === id) expect(plain).toEqual(JSON.parse(FIBONACCI));
        } catch (error) {
          expect(error).toBeInstanceOf(DefinitionError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('of any JSON value is refused where it is none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything()), value => {
        expect(() => definitionFromJson(value)).toThrow(DefinitionError);
      }),
      { numRuns: 500 },
    );
  });
});
