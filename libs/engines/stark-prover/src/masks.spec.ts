import { GOLDILOCKS_MODULUS } from '@svc/kernels';
import { maskingRowCount, proofGeometry, type ProofParameters } from '@svc/stark-verifier';
import { seededRandomSource } from '../testing/seeded-random.js';
import { drawMasks, systemRandomSource, type ZeroKnowledgeMasks } from './masks.js';

const masked: ProofParameters = {
  profile: 'gl3',
  traceLength: 2048,
  blowupFactor: 4,
  queryCount: 3,
  grindingBits: 0,
  zeroKnowledge: true,
};
const AIR = { columnCount: 5, constraintDegree: 3 };

it('draws t elements a column, t coefficients a chunk but the last, a polynomial of full degree, and a salt a leaf', () => {
  const maskCount = maskingRowCount(masked);
  expect(maskCount).toBe(16 * 3 + 2 * 3 + 16);
  const masks = drawMasks(proofGeometry(masked, AIR), systemRandomSource) as ZeroKnowledgeMasks;
  expect(masks.traceRows).toHaveLength(5 * maskCount);
  expect(masks.chunkMasks).toHaveLength(2 * 3 * maskCount);
  expect(masks.randomPolynomial).toHaveLength(3 * 2048);
  expect(masks.traceSalts).toHaveLength((16 * 2048 * 4) / 8);
  expect(masks.compositionSalts).toHaveLength((16 * 2048 * 4) / 8);
  const elements = [...masks.traceRows, ...masks.chunkMasks, ...masks.randomPolynomial];
  expect(new Set(elements).size).toBe(elements.length);
});

it('draws nothing where nothing is masked', () => {
  const plain = { ...masked, zeroKnowledge: false };
  let draws = 0;
  const counting = {
    fill(bytes: Uint8Array<ArrayBuffer>) {
      draws++;
      systemRandomSource.fill(bytes);
    },
  };
  expect(drawMasks(proofGeometry(plain, AIR), counting)).toBeUndefined();
  expect(draws).toBe(0);
  drawMasks(proofGeometry(masked, AIR), counting);
  expect(draws).toBeGreaterThan(0);
});

it.each([
  ['gl3', 8, GOLDILOCKS_MODULUS],
  ['m31', 4, 2n ** 31n - 1n],
] as const)(
  'draws elements of %s below p alone, and draws again what is not',
  (profile, wordBytes, modulus) => {
    // Every word of the first, large draws is p or more, or p in its low bits; single words follow from a good source.
    const seeded = seededRandomSource(profile);
    let redrawn = 0;
    const source = {
      fill(bytes: Uint8Array<ArrayBuffer>) {
        if (bytes.length > wordBytes) bytes.fill(255);
        else {
          seeded.fill(bytes);
          redrawn++;
        }
      },
    };
    const geometry = proofGeometry({ ...masked, profile }, AIR);
    const masks = drawMasks(geometry, source) as ZeroKnowledgeMasks;
    const elements = [masks.traceRows, masks.chunkMasks, masks.randomPolynomial].flatMap(words =>
      Array.from(words as BigUint64Array, BigInt),
    );
    expect(elements.every(element => element >= 0n && element < modulus)).toBe(true);
    expect(redrawn).toBeGreaterThanOrEqual(elements.length);
    expect(new Set(elements).size).toBeGreaterThan(0.99 * elements.length);
  },
);

it('fills more than the platform gives at once', () => {
  const bytes = new Uint8Array(200_000);
  systemRandomSource.fill(bytes);
  for (let start = 0; start < bytes.length; start += 20_000) {
    expect(new Set(bytes.subarray(start, start + 20_000)).size).toBe(256);
  }
});
