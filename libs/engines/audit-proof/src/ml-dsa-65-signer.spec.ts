import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import {
  DEGREE,
  GAMMA2,
  highBits,
  innerProduct,
  lowBits,
  Q,
  reduce,
  transform,
  transformBack,
} from './ml-dsa-65-ring.js';
import { MlDsa65Signer } from './ml-dsa-65-signer.js';

const acvp: {
  sigGen: { tcId: number; sk: string; message: string; signature: string; rnd: string | null }[];
} = JSON.parse(readFileSync(new URL('./ml-dsa-65.acvp.vectors.json', import.meta.url), 'utf8'));

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const polynomial = fc
  .array(fc.integer({ min: -(Q - 1) / 2, max: (Q - 1) / 2 }), { minLength: DEGREE, maxLength: DEGREE })
  .map(values => Float64Array.from(values));
const modulo = (x: number, m: number) => ((x % m) + m) % m;

it.each(acvp.sigGen)('signs ACVP case $tcId to the byte', ({ sk, message, signature, rnd }) => {
  const randomness = rnd === null ? new Uint8Array(32) : hexToBytes(rnd);
  const signer = new MlDsa65Signer(hexToBytes(sk));
  expect(signer.signFormatted(hexToBytes(message), randomness)).toEqual(hexToBytes(signature));
});

it('signs as another implementation does to the byte, hedged or not, many times with one key', () => {
  const keys = Array.from({ length: 3 }, (_, i) => ml_dsa65.keygen(new Uint8Array(32).fill(i)));
  const signers = keys.map(({ secretKey }) => new MlDsa65Signer(secretKey));
  const message = fc.uint8Array({ maxLength: 300 });
  const context = fc.uint8Array({ maxLength: 255 });
  const randomness = fc.option(bytes(32), { nil: false as const });
  fc.assert(
    fc.property(fc.nat({ max: 2 }), message, context, randomness, (key, message, context, extraEntropy) => {
      const { secretKey, publicKey } = keys[key];
      const signature = signers[key].sign(message, context, extraEntropy);
      expect(signature).toEqual(ml_dsa65.sign(message, secretKey, { context, extraEntropy }));
      expect(ml_dsa65.verify(signature, message, publicKey, { context })).toBe(true);
    }),
    { numRuns: 20, endOnFailure: true },
  );
});

// Of seven thousand messages under this key, thirty-five met such an attempt.
it.each([136, 491, 962])('gives up an attempt with more hints than a signature has room for: %i', number => {
  const { secretKey } = ml_dsa65.keygen(new Uint8Array(32));
  const message = Uint8Array.of(number & 0xff, number >> 8);
  const signature = new MlDsa65Signer(secretKey).sign(message, new Uint8Array(), false);
  expect(signature).toEqual(ml_dsa65.sign(message, secretKey, { extraEntropy: false }));
});

it('refuses a key, randomness or context of another length', () => {
  const { secretKey } = ml_dsa65.keygen(new Uint8Array(32));
  const signer = new MlDsa65Signer(secretKey);
  expect(() => new MlDsa65Signer(secretKey.subarray(1))).toThrow(RangeError);
  expect(() => signer.sign(new Uint8Array(), new Uint8Array(), new Uint8Array(31))).toThrow(RangeError);
  expect(() => signer.sign(new Uint8Array(), new Uint8Array(256), false)).toThrow(RangeError);
  expect(signer.sign(new Uint8Array(), utf8ToBytes('x'), false)).toEqual(
    signer.signFormatted(concatBytes(Uint8Array.of(0, 1), utf8ToBytes('x')), new Uint8Array(32)),
  );
});

it('multiplies modulo X^256 + 1 and q by the transform as by definition', () => {
  fc.assert(
    fc.property(polynomial, polynomial, (a, b) => {
      const expected = new Array<bigint>(DEGREE).fill(0n);
      a.forEach((x, i) =>
        b.forEach((y, j) => {
          expected[(i + j) % DEGREE] += (i + j < DEGREE ? 1n : -1n) * BigInt(x) * BigInt(y);
        }),
      );
      const product = innerProduct([transform(a.slice()).map(reduce)], [transform(b.slice())]);
      const m = BigInt(Q);
      expect([...product].map(c => modulo(c, Q))).toEqual(expected.map(c => Number(((c % m) + m) % m)));
    }),
    { numRuns: 10, endOnFailure: true },
  );
});

it('comes back from the transform, at the largest values too', () => {
  const largest = new Float64Array(DEGREE).fill((Q - 1) / 2);
  for (const w of [largest, largest.map(x => -x), largest.map((x, i) => (i % 2 ? x : -x))]) {
    expect(transformBack(transform(w.slice()).map(reduce))).toEqual(w);
  }
});

it('rounds as the definition has it, at every edge of a bucket', () => {
  const edges = Array.from({ length: 17 }, (_, i) => i * 2 * GAMMA2).flatMap(centre =>
    [-GAMMA2, -GAMMA2 + 1, -1, 0, 1, GAMMA2, GAMMA2 + 1].map(by => centre + by),
  );
  const values = Float64Array.from([...edges, ...edges.map(x => x - Q), 0, Q - 1, -Q, Q]);
  const [high, low] = [highBits(values), lowBits(values)];
  values.forEach((value, i) => {
    if (i >= DEGREE) return;
    // Algorithm 36.
    const r = modulo(value, Q);
    let r0 = modulo(r, 2 * GAMMA2);
    if (r0 > GAMMA2) r0 -= 2 * GAMMA2;
    const isTop = r - r0 === Q - 1;
    expect([high[i], low[i]]).toEqual(isTop ? [0, r0 - 1] : [(r - r0) / (2 * GAMMA2), r0]);
  });
});
