import fc from 'fast-check';
import { canonicalForm, decodeForm, type Form } from './form-encoding.js';
import { Parameters } from './parameters.js';
import { StripeError } from './stripe-error.js';

type Tree = string | { [key: string]: Tree };

const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter(text => !/[[\]]/.test(text));
const { tree } = fc.letrec<{ tree: Tree; map: { [key: string]: Tree } }>(tie => ({
  tree: fc.oneof({ depthSize: 'small' }, fc.string({ unit: 'binary', maxLength: 12 }), tie('map')),
  map: fc.dictionary(key, tie('tree'), { minKeys: 1, maxKeys: 4 }),
}));
const form = fc.dictionary(key, tree, { maxKeys: 5 });

/** The other direction, as stripe-node does it: brackets for members. */
function encode(value: { [key: string]: Tree }, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const path = prefix ? `${prefix}[${encodeURIComponent(name)}]` : encodeURIComponent(name);
    return typeof member === 'string' ? [`${path}=${encodeURIComponent(member)}`] : encode(member, path);
  });
}

function depthOf(value: Tree): number {
  return typeof value === 'string' ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const plain = (value: string | Form): Tree =>
  typeof value === 'string'
    ? value
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));

it('reads back what was written, whatever the names and values are', () => {
  fc.assert(
    fc.property(form, value => {
      fc.pre(depthOf(value) <= 8);
      expect(plain(decodeForm(encode(value).join('&')))).toEqual(plain(value as Form));
    }),
    { numRuns: 500 },
  );
});

it('says the same of the same parameters in any order, and something else of others', () => {
  fc.assert(
    fc.property(form, form, (one, other) => {
      fc.pre(depthOf(one) <= 8 && depthOf(other) <= 8);
      const [a, b, c] = [encode(one), encode(one).reverse(), encode(other)].map(pairs =>
        decodeForm(pairs.join('&')),
      );
      expect(canonicalForm(a)).toBe(canonicalForm(b));
      const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
      expect(canonicalForm(a) === canonicalForm(c)).toBe(same);
    }),
    { numRuns: 500 },
  );
});

function sorted(value: Tree): unknown {
  return typeof value === 'string'
    ? value
    : Object.entries(value)
        .map(([name, member]) => [name, sorted(member)])
        .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
}

it('answers any text at all with a form or an error of 400, and leaves every prototype as it was', () => {
  const piece = fc.constantFrom(
    'a',
    'metadata',
    '__proto__',
    'constructor',
    '[',
    ']',
    '[]',
    '[0]',
    '=',
    '&',
    '%',
    '%5B',
    '+',
    'é',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(piece, { maxLength: 40 }).map(parts => parts.join('')),
  );
  fc.assert(
    fc.property(text, given => {
      try {
        const parameters = new Parameters(decodeForm(given));
        parameters.metadata();
        parameters.texts('a');
      } catch (error) {
        expect(error).toBeInstanceOf(StripeError);
        expect((error as StripeError).status).toBe(400);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

it('refuses names that are a value and a map, too many pairs and too many levels', () => {
  for (const text of [
    'a=1&a[b]=2',
    'a[b]=2&a=1',
    `a${'[b]'.repeat(9)}=1`,
    'x=1&'.repeat(1_001),
    'a[b=1',
    '[a]=1',
  ]) {
    expect(() => decodeForm(text)).toThrow(StripeError);
  }
  expect(plain(decodeForm('a[]=x&a[]=y&b=1&b=2&c'))).toEqual({ a: { 0: 'x', 1: 'y' }, b: '2', c: '' });
});
