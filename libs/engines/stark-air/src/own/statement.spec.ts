import { goldilocks } from '@svc/kernels';
import { FIBONACCI, RATIO, UP_AND_SQUARE } from '../testing/own-definitions.js';
import { DefinitionError } from './definition-error.js';
import { readDefinition } from './definition.js';
import { checkOwnTrace, makeOwnTrace, type StatementError } from './own-trace.js';
import { accumulate, bits, flag, select, statement, sum } from './statement.js';

/** Readings below 2^16 whose sum is at least what is public: what is left over is a number of 32 bits in the last row. */
function meanAtLeast() {
  const s = statement('goldilocks');
  const reading = bits(s, 'reading', 16);
  const total = accumulate(s, 'total', reading);
  const over = bits(s, 'over', 32);
  const [least, isLast] = [s.public('least'), s.column('is_last')];
  s.require('is_last_is_a_bit', isLast.mul(isLast.sub(1)));
  s.require('compare', isLast.mul(total.sub(least).sub(over)));
  s.last(isLast, 1n);
  return s.definition();
}

const bitsOf = (values: readonly bigint[], name: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${name}_${i}`, values.map(value => (value >> BigInt(i)) & 1n)]),
  );

describe('a statement that is written by a program', () => {
  it('is the definition that stands for it, whatever was written and not needed', () => {
    const fibonacci = statement('goldilocks');
    const [a, b] = [fibonacci.column('a'), fibonacci.column('b')];
    const [first, second, result] = ['first', 'second', 'result'].map(name => fibonacci.public(name));
    fibonacci.require('shift', a.next.sub(b));
    a.add(5).mul(b);
    fibonacci.require('sum', b.next.sub(a.add(b)));
    fibonacci.first(a, first);
    fibonacci.first(b, second);
    fibonacci.last(b, result);
    const { nodes, constraints, boundary } = readDefinition(FIBONACCI);
    expect(fibonacci.definition()).toMatchObject({
      boundary,
      degree: 1,
      publicInputs: ['first', 'second', 'result'],
    });
    expect([fibonacci.definition().nodes.length, constraints.length]).toEqual([nodes.length, 2]);
    // The same program once more is the same definition, and its text is read as what it is.
    expect(fibonacci.id).toBe(readDefinition(fibonacci.json()).id);
  });

  it.each([
    [
      RATIO,
      () => {
        const s = statement('goldilocks');
        const [term, ratio] = [s.column('term'), s.column('ratio')];
        const [start, end] = [s.public('start'), s.public('end')];
        s.require('multiply', term.next.sub(term.mul(ratio)));
        s.require('hold', ratio.next.sub(ratio));
        s.first(term, start);
        s.last(term, end);
        return { s, statement: { rows: 5, start: { term: 2n, ratio: 3n } } };
      },
    ],
    [
      UP_AND_SQUARE,
      () => {
        const s = statement('m31');
        const x = s.column('x');
        const [k, end] = [s.public('k'), s.public('end')];
        const up = s.cycle('up', [1, 0]);
        s.require('step', x.next.sub(select(up, x.add(k), x.mul(x))));
        s.first(x, 3);
        s.last(x, end);
        return { s, statement: { rows: 7, publicInputs: { k: 11n } } };
      },
    ],
  ])('has the traces of the same statement by hand', (text, write) => {
    const { s, statement: asked } = write();
    const [made, byHand] = [s.definition(), readDefinition(text)].map(each => makeOwnTrace(each, asked, 64));
    expect(made).toEqual(byHand);
  });

  it('proves a mean of hidden readings, and no other', () => {
    const definition = meanAtLeast();
    const readings = [40_000n, 60_000n, 10n, 0n, 65_535n];
    const total = readings.slice(0, -1).reduce((all, each) => all + each, 0n);
    const asked = (least: bigint, over: bigint) => ({
      rows: 5,
      publicInputs: { least },
      given: {
        ...bitsOf(readings, 'reading', 16),
        ...bitsOf([0n, 0n, 0n, 0n, over], 'over', 32),
        is_last: [0n, 0n, 0n, 0n, 1n],
      },
      filler: {
        ...Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`reading_${i}`, 0n])),
        is_last: 0n,
      },
    });
    expect(total).toBe(100_010n);
    const { columns, publicInputs } = makeOwnTrace(definition, asked(100_000n, 10n), 64);
    expect(publicInputs).toEqual({ least: 100_000n });
    expect(checkOwnTrace(definition, columns, publicInputs, 5, 64)).toBeUndefined();
    const broken = (least: bigint, over: bigint): StatementError => {
      try {
        makeOwnTrace(definition, asked(least, over), 64);
      } catch (error) {
        return error as StatementError;
      }
      throw new Error('it was made');
    };
    expect(broken(100_000n, 11n)).toMatchObject({ broken: { row: 4, constraint: 'compare' } });
    // What is missing is no number of 32 bits: modulo p it is near p.
    expect(broken(100_011n, (goldilocks.modulus - 1n) & 0xffff_ffffn)).toMatchObject({
      broken: { constraint: 'compare' },
    });
  });

  it('ends by a flag that never goes on again', () => {
    const s = statement('goldilocks');
    const on = flag(s, 'on');
    const count = accumulate(s, 'count', on);
    s.last(count, s.public('counted'));
    const definition = s.definition();
    const made = (list: bigint[]) =>
      makeOwnTrace(definition, { rows: list.length, given: { on: list } }, 64).publicInputs;
    expect(made([1n, 1n, 1n, 0n, 0n])).toEqual({ counted: 3n });
    expect(() => made([1n, 0n, 1n])).toThrow('breaks on_stays_off at row 1');
    expect(() => made([1n, 2n, 0n])).toThrow('breaks on at row 1');
  });

  it('takes products up to degree 3, and further ones by columns of their own', () => {
    const s = statement('m31');
    const x = s.column('x');
    const cube = x.mul(x).mul(x);
    expect(() => cube.mul(x)).toThrow(
      'the product has degree 4, at most 3: let() puts a factor into a column of its own',
    );
    const held = s.let('cube', cube);
    s.require('step', x.next.sub(held.mul(held).mul(x)));
    expect(s.definition().degree).toBe(3);
    const { columns } = makeOwnTrace(s.definition(), { rows: 2, start: { x: 2n } }, 64);
    expect([columns[0][1], columns[1][1]]).toEqual([128n, 2_097_152n]);
  });

  it('refuses terms of another, and what says nothing as any definition', () => {
    const [one, other] = [statement('m31'), statement('m31')];
    const [x, y] = [one.column('x'), other.column('y')];
    expect(() => x.add(y)).toThrow('two terms are of different statements');
    expect(() => one.require('y', y)).toThrow('y is a term of another statement');
    expect(() => one.json()).toThrow(DefinitionError);
    one.require('nothing', x.sub(x));
    expect(() => one.json()).toThrow('constraints.0 holds of any rows');
  });

  it('writes constants as elements, also negative ones', () => {
    const s = statement('m31');
    const x = s.column('x');
    s.require('down', x.next.sub(sum([x, s.constant(-1)])));
    expect(JSON.parse(s.json()).nodes).toContainEqual(['const', '2147483646']);
    const { columns } = makeOwnTrace(s.definition(), { rows: 2, start: { x: 1n } }, 64);
    expect([...columns[0]].slice(0, 3)).toEqual([1n, 0n, 2_147_483_646n]);
  });
});
