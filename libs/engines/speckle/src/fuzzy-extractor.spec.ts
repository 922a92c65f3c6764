import { crc32 } from '@svc/kernels';
import { SeededRandom } from '@svc/kernels/testing';
import fc from 'fast-check';
import { packBits } from './fingerprint.js';
import { enrolKey, KeyEnrolmentError, type KeyEnrolmentOptions, reproduceKey } from './fuzzy-extractor.js';
import {
  BLOCK_DIMENSIONS,
  type BlockDimension,
  decodeHelperData,
  encodeHelperData,
  KEY_BITS,
  unpackBits,
} from './helper-data.js';
import type { SpeckleModality } from './modality.js';

const BIT_COUNT = 1_922;
const LASER: KeyEnrolmentOptions = { modality: 'laser_speckle' };
const FULL = process.env.SUITE_TIER === 'long';

/** A fingerprint of which half the bits are twice as reliable as the others. */
function surface(seed: number) {
  const random = new SeededRandom(seed);
  const values = Uint8Array.from({ length: BIT_COUNT }, () => (random.uniform() < 0.5 ? 1 : 0));
  const reliability = Float32Array.from(values, () => Math.abs(random.gaussian()));
  return { values, bits: packBits(values), reliability, random, bytes: bytesFrom(random) };
}

function bytesFrom(random: SeededRandom): (count: number) => Uint8Array {
  return count => Uint8Array.from({ length: count }, () => Math.floor(random.uniform(0, 256)));
}

function enrolled(seed: number, options: KeyEnrolmentOptions = LASER) {
  const one = surface(seed);
  const key = enrolKey(one.bits, one.reliability, one.bytes, options);
  const helper = decodeHelperData(key.helperData);
  if (!helper) throw new Error('helper data of enrolment is none');
  return { ...one, ...key, helper };
}

/** Turns each bit over with this probability. */
function noisy(values: Uint8Array, rate: number, random: SeededRandom): Uint8Array {
  return packBits(values.map(bit => (random.uniform() < rate ? 1 - bit : bit)));
}

/** Turns over the bits of one word: the places of every fourth of the positions. */
function withErrors(values: Uint8Array, positions: readonly number[], block: number, errors: number) {
  const hurt = values.slice();
  for (let i = 0; i < errors; i++) hurt[positions[block + 4 * ((i * 14) % 255)]] ^= 1;
  return packBits(hurt);
}

/** As somebody does it who wants the change to go unseen. */
function withChecksum(helperData: Uint8Array): Uint8Array {
  const changed = helperData.slice();
  const at = changed.length - 4;
  new DataView(changed.buffer).setUint32(at, crc32(changed.subarray(0, at)));
  return changed;
}

describe('a key of a surface', () => {
  it('comes out of the same bits again, and of no other surface', () => {
    const { bits, helperData, keyCommitment } = enrolled(1);
    const again = reproduceKey(bits, helperData, keyCommitment);
    expect(again).toMatchObject({ ok: true, correctedBits: 0 });
    expect(again.ok && again.key.length).toBe(32);
    const other = reproduceKey(surface(2).bits, helperData, keyCommitment);
    expect(other).toEqual({ ok: false, reason: 'TOO_FAR' });
  });

  // Worked out with Python's hmac, hashlib and zlib from the bits and the helper data, its words divided by the published
  // generator.
  it('is the one that is written down here, of bits and randomness that are known', () => {
    const { bits, helperData, keyCommitment } = enrolled(42);
    const again = reproduceKey(bits, helperData, keyCommitment);
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
    expect(hex(keyCommitment)).toBe('277a336200efba235b008eb4c226f9268ff60a8deef3274d754b161c388e8f3d');
    expect(again.ok && hex(again.key)).toBe(
      '7cdc20dbec4b903301efa8b2ad623018d40fab9887ca5b339be3606a13055ae1',
    );
  });

  it.each<[BlockDimension, number]>([
    [131, 18],
    [87, 26],
  ])(
    'of words with %i bits of message survives %i wrong bits in each, and not one more',
    (dimension, bound) => {
      const options = { ...LASER, degreesOfFreedom: KEY_BITS, dimension };
      const { values, helper, helperData, keyCommitment } = enrolled(dimension, options);
      for (let block = 0; block < 4; block++) {
        const near = withErrors(values, helper.positions, block, bound);
        const again = reproduceKey(near, helperData, keyCommitment);
        expect(again).toMatchObject({ ok: true, correctedBits: bound });
        const far = withErrors(values, helper.positions, block, bound + 1);
        expect(reproduceKey(far, helperData, keyCommitment)).toEqual({ ok: false, reason: 'TOO_FAR' });
      }
    },
  );

  it('is another one at each enrolment, since neither salt nor codewords are the same', () => {
    const { bits, reliability, bytes } = surface(5);
    const keys = [0, 1].map(() => enrolKey(bits, reliability, bytes, LASER));
    expect(keys[0].keyCommitment).not.toEqual(keys[1].keyCommitment);
    expect(reproduceKey(bits, keys[0].helperData, keys[1].keyCommitment).ok).toBe(false);
  });

  it('does not depend on bits that are not among the most reliable', () => {
    const { values, helper, helperData, keyCommitment } = enrolled(6);
    const used = new Set(helper.positions);
    const turned = packBits(values.map((bit, at) => (used.has(at) ? bit : 1 - bit)));
    expect(reproduceKey(turned, helperData, keyCommitment)).toMatchObject({ ok: true, correctedBits: 0 });
  });
});

describe('the places of the bits', () => {
  it('are the most reliable, in their own order, and the first of those that tie', () => {
    const { helper, reliability } = enrolled(7);
    const least = Math.min(...helper.positions.map(at => reliability[at]));
    const used = new Set(helper.positions);
    for (let at = 0; at < BIT_COUNT; at++) expect(used.has(at)).toBe(reliability[at] >= least);
    const { bits, bytes } = surface(7);
    const tied = enrolKey(bits, new Float32Array(BIT_COUNT).fill(1), bytes, LASER);
    const first = Array.from({ length: KEY_BITS }, (_, at) => at);
    expect(decodeHelperData(tied.helperData)?.positions).toEqual(first);
  });

  it('are the same whatever the bits are: they say nothing of their values', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 241, maxLength: 241 }), fc.nat(), (bits, seed) => {
        const { reliability, bytes, bits: other } = surface(seed);
        const positions = [bits, other].map(
          one => decodeHelperData(enrolKey(one, reliability, bytes, LASER).helperData)?.positions,
        );
        expect(positions[0]).toEqual(positions[1]);
      }),
      { numRuns: 20 },
    );
  });

  it('lie beside one another in different words, so that a scratch hurts all words alike', () => {
    const { values, helper, helperData, keyCommitment } = enrolled(8);
    const hurt = values.slice();
    for (const at of helper.positions.slice(400, 400 + 4 * 18)) hurt[at] ^= 1;
    expect(reproduceKey(packBits(hurt), helperData, keyCommitment)).toMatchObject({ correctedBits: 72 });
  });
});

describe('enrolment', () => {
  it.each<[SpeckleModality, BlockDimension, number]>([
    ['laser_speckle', 131, 204],
    ['surface_texture', 187, 128],
    ['paper_texture', 199, 136],
  ])('of %s takes words of %i bits, and leaves %i bits unknown', (modality, dimension, entropy) => {
    const { helper, residualEntropyBits } = enrolled(9, { modality });
    expect(helper.dimension).toBe(dimension);
    expect(residualEntropyBits).toBe(entropy);
  });

  it.each<[KeyEnrolmentOptions, number]>([
    [{ modality: 'laser_speckle', dimension: 87 }, 28],
    [{ modality: 'paper_texture', dimension: 131 }, -136],
    [{ modality: 'laser_speckle', degreesOfFreedom: 351.9 }, 127],
    [{ modality: 'laser_speckle', degreesOfFreedom: NaN }, NaN],
  ])('refuses %j, which would leave %d bits', (options, got) => {
    const { bits, reliability, bytes } = surface(10);
    const enrol = () => enrolKey(bits, reliability, bytes, options);
    expect(enrol).toThrow(KeyEnrolmentError);
    expect(enrol).toThrow(expect.objectContaining({ code: 'TOO_LITTLE_ENTROPY', min: 128, got }));
  });

  it('refuses a fingerprint of which too little is usable', () => {
    const { bits, reliability, bytes } = surface(11);
    reliability.fill(0, KEY_BITS);
    reliability[3] = NaN;
    const enrol = () => enrolKey(bits, reliability, bytes, LASER);
    expect(enrol).toThrow(expect.objectContaining({ code: 'TOO_FEW_BITS', min: 1_020, got: 1_019 }));
  });

  it('refuses bits that are not those of the reliabilities, and a source that gives too little', () => {
    const { bits, reliability, bytes } = surface(12);
    expect(() => enrolKey(bits.subarray(1), reliability, bytes, LASER)).toThrow(RangeError);
    expect(() => enrolKey(bits, reliability, () => new Uint8Array(3), LASER)).toThrow('random must give');
  });
});

describe('helper data that was changed', () => {
  it('is refused whichever bit was turned over', () => {
    const { bits, helperData, keyCommitment } = enrolled(20);
    for (let at = 0; at < helperData.length; at++) {
      const changed = helperData.slice();
      changed[at] ^= 1 << (at % 8);
      expect(reproduceKey(bits, changed, keyCommitment)).toEqual({
        ok: false,
        reason: 'HELPER_DATA_CHANGED',
      });
    }
  });

  it('is refused with a checksum made anew, although the same bits may still come out of it', () => {
    const { bits, helperData, keyCommitment } = enrolled(21);
    const step = FULL ? 1 : 13;
    for (let bit = 0; bit < 8 * (helperData.length - 4); bit += step) {
      const changed = helperData.slice();
      changed[bit >> 3] ^= 0x80 >> (bit & 7);
      const { ok } = reproduceKey(bits, withChecksum(changed), keyCommitment);
      if (ok) throw new Error(`bit ${bit} may be changed`);
    }
  });

  it('is refused where another codeword was added to the offset, which leads to the very same bits', () => {
    const { bits, helper, helperData, keyCommitment } = enrolled(22);
    // All ones are a codeword of these codes.
    const offset = helper.offset.map((bit, place) => (place % 4 === 2 ? 1 - bit : bit));
    const changed = encodeHelperData({ ...helper, offset });
    expect(changed).not.toEqual(helperData);
    expect(reproduceKey(bits, changed, keyCommitment)).toEqual({ ok: false, reason: 'HELPER_DATA_CHANGED' });
    expect(reproduceKey(bits, helperData, keyCommitment).ok).toBe(true);
  });

  it('is refused where its salt, its dimension or its places are another’s', () => {
    const { bits, helper, keyCommitment } = enrolled(23);
    const { helper: other } = enrolled(24);
    for (const swapped of [
      { salt: other.salt },
      { dimension: 87 as const },
      { positions: other.positions },
    ]) {
      const changed = encodeHelperData({ ...helper, ...swapped });
      expect(reproduceKey(bits, changed, keyCommitment).ok).toBe(false);
    }
  });

  it('is refused with a commitment that was cut off, has more behind it, or is another’s', () => {
    const { bits, helperData, keyCommitment } = enrolled(25);
    const longer = Uint8Array.from([...keyCommitment, 0]);
    for (const commitment of [
      keyCommitment.subarray(1),
      new Uint8Array(),
      longer,
      enrolled(26).keyCommitment,
    ]) {
      expect(reproduceKey(bits, helperData, commitment)).toEqual({
        ok: false,
        reason: 'HELPER_DATA_CHANGED',
      });
    }
  });

  it('is refused for a fingerprint of another length', () => {
    const { bits, helperData, keyCommitment } = enrolled(27);
    expect(reproduceKey(bits.subarray(0, 240), helperData, keyCommitment).ok).toBe(false);
  });
});

describe('helper data', () => {
  it('is of 393 bytes, and is read as it was written', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...BLOCK_DIMENSIONS), (seed, dimension) => {
        const { helperData } = enrolled(seed, { ...LASER, degreesOfFreedom: KEY_BITS, dimension });
        expect(helperData.length).toBe(393);
        const helper = decodeHelperData(helperData);
        expect(helper).toMatchObject({ dimension, bitCount: BIT_COUNT });
        expect(helper && encodeHelperData(helper)).toEqual(helperData);
      }),
      { numRuns: 20 },
    );
  });

  /** The first that is used. */
  function dropPlace(bytes: Uint8Array): void {
    const at = bytes.findIndex((byte, i) => i >= 20 && byte > 0);
    bytes[at] &= bytes[at] - 1;
  }

  it('has one encoding of every value: what is read out of any bytes is written as these bytes', () => {
    const { helperData, bits, keyCommitment } = enrolled(30);
    const edits = fc.array(fc.tuple(fc.nat(392), fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(edits, fc.oneof(fc.constant(393), fc.nat(400)), fc.boolean(), (changes, length, fixed) => {
        let bytes = new Uint8Array(length);
        bytes.set(helperData.subarray(0, length));
        for (const [at, value] of changes) if (at < length) bytes[at] = value;
        if (fixed && length > 8) bytes = Uint8Array.from(withChecksum(bytes));
        const helper = decodeHelperData(bytes);
        if (helper) expect(encodeHelperData(helper)).toEqual(bytes);
        reproduceKey(bits, bytes, keyCommitment);
      }),
      { numRuns: FULL ? 20_000 : 500 },
    );
  });

  it.each<[string, (bytes: Uint8Array) => void]>([
    ['of version 2', bytes => (bytes[0] = 2)],
    ['of words with 139 bits of message', bytes => (bytes[1] = 139)],
    ['of a longer fingerprint than it has bytes for', bytes => (bytes[2] = 0xff)],
    ['with a place less', bytes => dropPlace(bytes)],
    ['with a place more', bytes => (bytes[20 + bytes.subarray(20).findIndex(byte => byte < 128)] |= 128)],
    ['with a place past the end instead of one', bytes => (dropPlace(bytes), (bytes[20 + 240] |= 0x20))],
    ['with bits behind the offset', bytes => (bytes[393 - 5] |= 1)],
  ])('%s is none', (_, change) => {
    const bytes = enrolled(31).helperData.slice();
    change(bytes);
    expect(decodeHelperData(withChecksum(bytes))).toBeUndefined();
  });

  it('is none where it is nothing, noise or half of it', () => {
    const { helperData } = enrolled(32);
    const random = bytesFrom(new SeededRandom(1));
    for (const bytes of [new Uint8Array(), random(3), random(393), helperData.subarray(0, 200)]) {
      expect(decodeHelperData(bytes)).toBeUndefined();
    }
    expect(unpackBits(Uint8Array.of(0b10100000), 3)).toEqual(Uint8Array.of(1, 0, 1));
  });
});

/** P(more than `bound` of 255). */
function wordFails(rate: number, bound: number): number {
  let within = 0;
  let term = (1 - rate) ** 255;
  for (let errors = 0; errors <= bound; errors++) {
    within += term;
    term *= ((255 - errors) / (errors + 1)) * (rate / (1 - rate));
  }
  return 1 - within;
}

describe('refusals of the surface itself', () => {
  // At the rates that a surface has, and at one where there are enough to count.
  it.each<[BlockDimension, number, number]>([
    [131, 0.005, 100],
    [131, 0.01, 100],
    [131, 0.03, FULL ? 20_000 : 200],
    [131, 0.05, FULL ? 4_000 : 300],
    [87, 0.08, FULL ? 4_000 : 200],
    [187, 0.005, FULL ? 4_000 : 100],
    [187, 0.02, FULL ? 4_000 : 200],
    [199, 0.01, FULL ? 4_000 : 200],
  ])(
    'of words with %i bits of message at %d wrong are as many as the binomial says',
    (dimension, rate, tries) => {
      const { values, helperData, keyCommitment } = enrolled(40, {
        ...LASER,
        degreesOfFreedom: KEY_BITS,
        dimension,
      });
      const random = new SeededRandom(rate * 1_000);
      let refused = 0;
      for (let i = 0; i < tries; i++) {
        if (!reproduceKey(noisy(values, rate, random), helperData, keyCommitment).ok) refused++;
      }
      const bound = { 87: 26, 131: 18, 187: 9, 199: 7 }[dimension];
      const expected = 1 - (1 - wordFails(rate, bound)) ** 4;
      const deviation = Math.sqrt(tries * expected * (1 - expected));
      expect(Math.abs(refused - tries * expected)).toBeLessThanOrEqual(4 * deviation + 1);
    },
  );
});
