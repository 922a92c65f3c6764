import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { answerFields, DISCLOSED_FIELDS_MAX, fieldLeafHash, isFieldPath } from './answer-field.js';

const pathsOf = (answer: object) => answerFields(answer).map(({ path }) => path);

it('gives a field to each member of a list or an object, and to each other member', () => {
  const answer = {
    verdict: 'PASS',
    modes: [{ n: 1 }, { n: 2 }],
    spot: { price: '1', 'a/b~c': null },
    none: [],
    left: undefined,
    nothing: null,
  };
  expect(answerFields(answer)).toEqual([
    { path: '/verdict', value: 'PASS' },
    { path: '/modes/0', value: { n: 1 } },
    { path: '/modes/1', value: { n: 2 } },
    { path: '/spot/price', value: '1' },
    { path: '/spot/a~1b~0c', value: null },
    { path: '/none', value: [] },
    { path: '/nothing', value: null },
  ]);
});

it('takes neither evidence nor pictures for fields', () => {
  const evidence = {
    auditProof: {},
    starkRoot: '',
    disclosure: {},
    disclosureProof: {},
    spectrumSvg: '<svg/>',
  };
  expect(pathsOf({ ...evidence, verdict: 'PASS', Svg: 1, svgs: 2 })).toEqual(['/verdict', '/svgs']);
  // Of these names, only members of the answer itself.
  expect(pathsOf({ of: evidence })).toHaveLength(5);
});

it('keeps the largest members whole where the fields would be too many', () => {
  const of = (count: number) => Array.from({ length: count }, (_, i) => i);
  expect(pathsOf({ a: of(400), b: of(112) })).toHaveLength(512);
  expect(pathsOf({ a: of(400), b: of(113) })).toEqual(['/a', ...of(113).map(i => `/b/${i}`)]);
  expect(pathsOf({ a: of(600), b: of(600), c: 1 })).toEqual(['/a', '/b', '/c']);
  const members = Object.fromEntries(of(513).map(i => [`m${i}`, i]));
  expect(() => answerFields(members)).toThrow(RangeError);
  expect(() => answerFields({ ...members, m0: of(3) })).toThrow(RangeError);
});

it('keeps a member whole whose parts have names too long for a path, and refuses one that has itself', () => {
  expect(pathsOf({ extracted: { ['x'.repeat(300)]: 1, y: 2 } })).toEqual(['/extracted']);
  expect(() => answerFields({ ['x'.repeat(300)]: 1 })).toThrow(RangeError);
});

it('names each field once, so that what it stands for can be looked up', () => {
  const property = fc.property(fc.dictionary(fc.string({ maxLength: 9 }), fc.jsonValue()), answer => {
    const fields = answerFields(answer);
    expect(fields.length).toBeLessThanOrEqual(DISCLOSED_FIELDS_MAX);
    expect(new Set(fields.map(({ path }) => path)).size).toBe(fields.length);
    for (const { path, value } of fields) {
      expect(isFieldPath(path)).toBe(true);
      const keys = path.split('/').slice(1);
      const names = keys.map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'));
      const found = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], answer);
      expect(found).toBe(value);
    }
  });
  fc.assert(property, { numRuns: 300 });
});

it('hashes a leaf as the documentation says', () => {
  const salt = Uint8Array.from({ length: 16 }, (_, i) => i);
  const text = '["/a~1b",{"x":1e-7,"é":[true,null]}]';
  const expected = createHash('sha256')
    .update(Buffer.concat([Buffer.of(0), salt, Buffer.from(text)]))
    .digest();
  const leaf = fieldLeafHash({ path: '/a~1b', value: { é: [true, null], x: 0.0000001 }, salt });
  expect(Buffer.from(leaf)).toEqual(expected);
});
