import fc from 'fast-check';
import { stateDigest, stateHash, weightDigest, WordHash } from './state-hash.js';

function wideHash(words: Iterable<number>): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const word of words) hash = ((hash ^ BigInt(word >>> 0)) * 0x100000001b3n) & 0xffff_ffff_ffff_ffffn;
  return hash;
}

const wide = ({ low, high }: { low: number; high: number }): bigint => (BigInt(high) << 32n) | BigInt(low);

describe('the hash of a state', () => {
  it('is FNV-1a of 64 bits over words', () => {
    fc.assert(
      fc.property(fc.uint32Array({ maxLength: 50 }), words => {
        expect(wide(new WordHash().words(words).digest())).toBe(wideHash(words));
        expect(wide(weightDigest(Uint16Array.from(words)))).toBe(wideHash(words.map(word => word & 0xffff)));
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('reads potentials and currents by their bits, and digests low half first', () => {
    const values = [
      Float32Array.of(-Infinity, -1.5),
      Float32Array.of(0, 2),
      Float32Array.of(-3, 1e-19),
    ] as const;
    const digest = stateDigest(...values);
    const words = values.flatMap(v => [...new Uint32Array(v.buffer)]);
    expect(wide(digest)).toBe(wideHash(words));
    expect(stateHash([digest])).toBe(
      `0x${wideHash([digest.low, digest.high]).toString(16).padStart(16, '0')}`,
    );
  });

  it('differs for a last bit, and for the order of the sectors', () => {
    const one = stateDigest(Float32Array.of(-1), Float32Array.of(0), Float32Array.of(0));
    const two = stateDigest(Float32Array.of(-1 - 2 ** -23), Float32Array.of(0), Float32Array.of(0));
    expect(stateHash([one])).not.toBe(stateHash([two]));
    expect(stateHash([one, two])).not.toBe(stateHash([two, one]));
  });
});
