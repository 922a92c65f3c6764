import fc from 'fast-check';
import { plainHash, plainKey } from '../testing/plain-network.js';
import { counterHash, hashKey, mix, mulHigh } from './counter-hash.js';

const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('the counter hash', () => {
  it('is what its description says, in arithmetic without overflow', () => {
    fc.assert(
      fc.property(
        word,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 200 }),
        word,
        (seed, domain, index, x) => {
          const key = hashKey(seed, domain, index);
          expect(BigInt(key)).toBe(plainKey(seed, domain, index));
          expect(BigInt(counterHash(x, key, seed))).toBe(plainHash(x, BigInt(key), BigInt(seed)));
        },
      ),
      { numRuns: 300, seed: 1 },
    );
  });

  it('mixes without collisions in a million neighbours', () => {
    const seen = new Set<number>();
    for (let x = 0; x < 1_000_000; x++) seen.add(mix(x));
    expect(seen.size).toBe(1_000_000);
  });

  it('changes half of the bits of its value with any bit of its place', () => {
    for (let bit = 0; bit < 32; bit++) {
      let changed = 0;
      for (let x = 0; x < 2_000; x++) {
        let difference = counterHash(x, 17, 23) ^ counterHash(x ^ (1 << bit), 17, 23);
        for (; difference !== 0; difference &= difference - 1) changed++;
      }
      expect(changed / 2_000).toBeGreaterThan(15.5);
      expect(changed / 2_000).toBeLessThan(16.5);
    }
  });

  it('takes the high half of a product exactly', () => {
    fc.assert(
      fc.property(word, fc.integer({ min: 1, max: 2 ** 20 }), (x, n) => {
        expect(BigInt(mulHigh(x, n))).toBe((BigInt(x) * BigInt(n)) >> 32n);
      }),
      { numRuns: 300, seed: 2 },
    );
  });
});
