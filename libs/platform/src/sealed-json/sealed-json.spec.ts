import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SealedJson, SealError } from './sealed-json.js';

const SECRET = 'the-secret-of-the-tests-32-characters';
const OTHER = 'another-secret-of-the-tests-32-chars';
const PURPOSE = 'svc/test/v1';
const seal = new SealedJson([SECRET], PURPOSE);

describe('sealed JSON', () => {
  it('opens to what was sealed, under its secret, purpose and place alone', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.string(), (value, place, elsewhere) => {
        const sealed = seal.seal(value, place);
        expect(JSON.stringify(seal.open(sealed, place))).toBe(JSON.stringify(value));
        if (place !== elsewhere) expect(() => seal.open(sealed, elsewhere)).toThrow(SealError);
        for (const stranger of [new SealedJson([OTHER], PURPOSE), new SealedJson([SECRET], 'svc/test/v2')])
          expect(() => stranger.open(sealed, place)).toThrow(SealError);
      }),
      { numRuns: 100 },
    ));

  it('does not open once a bit of it has changed, or a byte is missing', () =>
    fc.assert(
      fc.property(fc.nat(), fc.nat(7), (at, bit) => {
        const sealed = seal.seal({ witness: '7' }, 'job');
        const altered = Buffer.from(sealed);
        altered[at % altered.length] ^= 1 << bit;
        expect(() => seal.open(altered, 'job')).toThrow(SealError);
        expect(() => seal.open(sealed.subarray(0, at % sealed.length), 'job')).toThrow(SealError);
      }),
      { numRuns: 200 },
    ));

  it('says the same twice in different bytes', () => {
    const once = seal.seal('witness', 'job');
    expect(seal.seal('witness', 'job').equals(once)).toBe(false);
    expect(once.includes('witness')).toBe(false);
  });

  it('opens what an older secret sealed, and seals with the newest', () => {
    const replaced = new SealedJson([OTHER, SECRET], PURPOSE);
    expect(replaced.open(seal.seal(7, 'job'), 'job')).toBe(7);
    expect(() => seal.open(replaced.seal(7, 'job'), 'job')).toThrow(SealError);
    expect(() => new SealedJson([], PURPOSE)).toThrow(RangeError);
  });
});
