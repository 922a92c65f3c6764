import { type Dsp, instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { extractFingerprint } from './extract-fingerprint.js';
import { bitAt, type Fingerprint } from './fingerprint.js';
import { enrolKey, reproduceKey } from './fuzzy-extractor.js';
import { decodeHelperData } from './helper-data.js';
import { dimensionFor, KEY_DEGREES_OF_FREEDOM, residualEntropyBits } from './key-entropy.js';
import { GRID_POINTS, MODALITIES, type SpeckleModality } from './modality.js';
import { simulateSurface, takePicture } from './testing/index.js';

const FULL = process.env.SUITE_TIER === 'long';
const PLANE = GRID_POINTS * GRID_POINTS;
/** Steps of the grid over which answers are alike: the filters are 4 pixels wide, a step is 8. */
const REACH = 4;
const LAGS = 2 * REACH + 1;

let dsp: Dsp;
beforeAll(async () => {
  dsp = instantiateDsp(await loadDspModule());
});

function fingerprintOf(modality: SpeckleModality, seed: number, noise = 0.02, look = 0): Fingerprint {
  const picture = takePicture(simulateSurface(dsp, modality, { seed }), { seed: seed + look, noise });
  return extractFingerprint(dsp, picture, { modality });
}

/** Places of the bits that a key of this fingerprint is made of. */
function placesOf({ bits, reliability }: Fingerprint): readonly number[] {
  const random = (bytes: number) => new Uint8Array(bytes).fill(7);
  const { helperData } = enrolKey(bits, reliability, random, { modality: 'laser_speckle' });
  return decodeHelperData(helperData)?.positions ?? [];
}

/** Sums of products of signs by how far apart two bits are, and of which orientations. */
class SignProducts {
  private readonly sums = new Float64Array(4 * LAGS * LAGS);
  private readonly counts = new Float64Array(4 * LAGS * LAGS);
  private bits = 0;

  add(bits: Uint8Array, places: readonly number[]): void {
    const { sums, counts } = this;
    const signs = places.map(at => 2 * bitAt(bits, at) - 1);
    const rows = places.map(at => Math.floor((at % PLANE) / GRID_POINTS));
    const columns = places.map(at => (at % PLANE) % GRID_POINTS);
    const planes = places.map(at => (at < PLANE ? 0 : 1));
    const [reach, lags, count] = [REACH, LAGS, places.length];
    this.bits += count;
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        const [down, right] = [rows[j] - rows[i] + reach, columns[j] - columns[i] + reach];
        if (i === j || down < 0 || down >= lags || right < 0 || right >= lags) continue;
        const lag = ((2 * planes[i] + planes[j]) * lags + down) * lags + right;
        sums[lag] += signs[i] * signs[j];
        counts[lag]++;
      }
    }
  }

  /** By one plus the sum of the squared correlations with all others; of each what chance alone would give is taken off. */
  independentShare(): number {
    let total = 0;
    this.counts.forEach((count, lag) => {
      if (count > 0) total += this.sums[lag] ** 2 / count - 1;
    });
    return 1 / (1 + total / this.bits);
  }
}

it.each(MODALITIES)('the most reliable bits of %s are worth as many throws as the table says', modality => {
  const products = new SignProducts();
  let ones = 0;
  const surfaces = FULL ? 60 : 8;
  for (let seed = 1; seed <= surfaces; seed++) {
    const fingerprint = fingerprintOf(modality, 7_919 * seed);
    const places = placesOf(fingerprint);
    products.add(fingerprint.bits, places);
    ones += places.filter(at => bitAt(fingerprint.bits, at) === 1).length;
  }
  const throws = 1_020 * products.independentShare();
  expect(throws).toBeGreaterThan(0.97 * KEY_DEGREES_OF_FREEDOM[modality]);
  expect(throws).toBeLessThan(1.1 * KEY_DEGREES_OF_FREEDOM[modality]);
  // Their places say nothing of their values: as many are ones as of any throws of a coin.
  expect(Math.abs(ones / (1_020 * surfaces) - 0.5)).toBeLessThan(3 / Math.sqrt(4 * throws * surfaces));
});

it.each(FULL ? MODALITIES : MODALITIES.slice(0, 1))(
  'a key of %s comes out of another picture of it, and of no other surface',
  modality => {
    const enrolled = fingerprintOf(modality, 5);
    const random = (bytes: number) => new Uint8Array(bytes).map((_, i) => 37 * i);
    const { helperData, keyCommitment } = enrolKey(enrolled.bits, enrolled.reliability, random, { modality });
    const again = fingerprintOf(modality, 5, 0.03, 1);
    expect(again.bits).not.toEqual(enrolled.bits);
    expect(reproduceKey(again.bits, helperData, keyCommitment)).toMatchObject({ ok: true });
    const other = fingerprintOf(modality, 6);
    expect(reproduceKey(other.bits, helperData, keyCommitment)).toEqual({ ok: false, reason: 'TOO_FAR' });
  },
);

it('takes off what the offset gives away, and chooses the code that corrects the most of those that leave enough', () => {
  expect(residualEntropyBits(700, 131)).toBe(700 - 4 * 124);
  expect(residualEntropyBits(700, 87)).toBe(700 - 4 * 168);
  expect([1_020, 624, 623.9, 400, 399, 352, 351, 0].map(dimensionFor)).toEqual([
    ...[131, 131, 187, 187, 199, 199, 199, 199],
  ]);
});
