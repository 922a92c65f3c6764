import { canonicalJson, requestDigest } from '@svc/protocols';
import fc from 'fast-check';
import { boundDigest } from './bound-digest.js';
import { canonicalPieces } from './canonical-pieces.js';

const values = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }) as fc.Arbitrary<unknown>;

describe('canonical JSON in pieces', () => {
  it('is the text that it is whole, however small the pieces', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 2, max: 40 }), (value, most) => {
        expect([...canonicalPieces(value, most)].join('')).toBe(canonicalJson(value));
      }),
      { numRuns: 500 },
    );
  });

  it('leaves out members that are not there, and parts no pair', () => {
    const value = { b: undefined, a: [{ c: undefined }, 'a😀😀😀😀"\\\n'], long: '😀'.repeat(9) };
    for (let most = 2; most < 20; most++)
      expect([...canonicalPieces(value, most)].join('')).toBe(canonicalJson(value));
  });

  it('is none of half of a pair, wherever it stands, nor of a number that is none', () => {
    for (const value of [`${'a'.repeat(50)}\ud800`, { ['\udc00']: 'a'.repeat(50) }, [NaN, 'a'.repeat(50)]])
      expect(() => [...canonicalPieces(value, 8)]).toThrow(expect.objectContaining({ name: 'JcsError' }));
  });

  it('of a body at the bound of the largest route comes in pieces that are short, and serves others between them', async () => {
    const body = {
      imageBase64: 'ABCD'.repeat(2_600_000),
      numbers: Array.from({ length: 50_000 }, (_, i) => i / 3),
    };
    const longest = [...canonicalPieces({ operationId: 'x', body })].reduce(
      (most, { length }) => Math.max(most, length),
      0,
    );
    expect(longest).toBeLessThan(400_000);
    let served = 0;
    let isOver = false;
    const others = () => {
      served++;
      if (!isOver) setImmediate(others);
    };
    setImmediate(others);
    const digest = await boundDigest('speckle.extract-puf', body);
    isOver = true;
    expect(digest).toBe(requestDigest('speckle.extract-puf', body));
    expect(served).toBeGreaterThan(3);
  });

  it('is 400 for what no payment can be bound to', async () => {
    await expect(boundDigest('x', { text: '\ud800' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});
