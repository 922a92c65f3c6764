import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { SeededRandom } from '@svc/kernels/testing';
import { MODALITIES } from '../modality.js';
import { simulateSurface, TEXTURE_CONTRAST } from './simulated-surface.js';
import { takePicture } from './take-picture.js';

const dsp = instantiateDsp(await loadDspModule());

function momentsOf(values: ArrayLike<number>) {
  let [sum, squares] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    sum += values[i];
    squares += values[i] * values[i];
  }
  const mean = sum / values.length;
  return { mean, deviation: Math.sqrt(squares / values.length - mean * mean) };
}

function correlationOf(a: Float32Array, b: Float32Array): number {
  const [ma, mb] = [momentsOf(a), momentsOf(b)];
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - ma.mean) * (b[i] - mb.mean);
  return sum / a.length / ma.deviation / mb.deviation;
}

describe('simulated surfaces', () => {
  it('have laser speckle with the exponential distribution of theory', () => {
    const seen = simulateSurface(dsp, 'laser_speckle', { seed: 4 }).look();
    const { mean, deviation } = momentsOf(seen);
    expect(mean).toBeCloseTo(1, 5);
    expect(deviation).toBeCloseTo(1, 1);
    for (const level of [0.1, 0.5, 1, 2, 3]) {
      const share = seen.reduce((count, value) => count + (value > level ? 1 : 0), 0) / seen.length;
      expect(Math.abs(share - Math.exp(-level))).toBeLessThan(0.012);
    }
  });

  it('keep ρ² of the intensity where the field keeps ρ (Siegert), and ρ of a texture', () => {
    for (const rho of [0.95, 0.8, 0.5]) {
      for (const modality of MODALITIES) {
        const surface = simulateSurface(dsp, modality, { seed: 6 });
        const kept = correlationOf(surface.look(), surface.look(rho, new SeededRandom(77)));
        expect(Math.abs(kept - (modality === 'laser_speckle' ? rho * rho : rho))).toBeLessThan(0.04);
      }
    }
  });

  it.each(MODALITIES)(
    'are decided by their seed, and have nothing in common with another’s (%s)',
    modality => {
      const [a, again, b] = [5, 5, 6].map(seed => simulateSurface(dsp, modality, { seed }).look());
      expect(Buffer.from(again.buffer).equals(Buffer.from(a.buffer))).toBe(true);
      expect(Math.abs(correlationOf(a, b))).toBeLessThan(0.03);
      if (modality !== 'laser_speckle') expect(momentsOf(a).deviation).toBeCloseTo(TEXTURE_CONTRAST, 2);
    },
  );
});

describe('pictures of them', () => {
  const surface = simulateSurface(dsp, 'laser_speckle', { seed: 4 });

  it('move with the surface, and show at the edge what was outside before', () => {
    const still = takePicture(surface, { seed: 1, sidePx: 300 });
    const moved = takePicture(surface, { seed: 1, sidePx: 300, shiftXPx: 12, shiftYPx: -5 });
    const wide = takePicture(surface, { seed: 1, sidePx: 340 });
    expect(moved.pixels[100 * 300 + 150]).toBe(still.pixels[105 * 300 + 138]);
    // 20 pixels more of margin: what comes in from the left is there.
    expect(moved.pixels[100 * 300 + 3]).toBe(wide.pixels[(100 + 5 + 20) * 340 + 3 - 12 + 20]);
  });

  it('are clipped at white by exposure, and noisy as they are told', () => {
    const bright = takePicture(surface, { seed: 1, exposure: 120 });
    const white = Array.from(bright.pixels).filter(value => value === 255).length / bright.pixels.length;
    expect(Math.abs(white - Math.exp(-255 / 120))).toBeLessThan(0.02);
    const plain = takePicture(surface, { seed: 1, exposure: 20 });
    const noisy = takePicture(surface, { seed: 1, exposure: 20, noise: 0.2 });
    const differences = Float32Array.from(plain.pixels, (value, i) => noisy.pixels[i] - value).filter(
      (_, i) => plain.pixels[i] > 15,
    );
    expect(momentsOf(differences).deviation).toBeCloseTo(4, 0);
  });
});
