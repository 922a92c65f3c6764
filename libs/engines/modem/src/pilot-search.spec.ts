import { CHIRP_SAMPLES, modulate, RAMP_SAMPLES } from './modulate.js';
import { findPilot, type PilotLock, type TonePairHops } from './pilot-search.js';
import { GaussianNoise, scaleTime, swingSource } from './testing/index.js';
import { ToneHops } from './tone-hops.js';

/** 21 hops a symbol at 300 baud, and at 150. */
const HOP_SAMPLES = 7;
const SLOW_HOP_SAMPLES = 14;
const SIGMA = 0.35;

function hopsOf(samples: Float32Array, hopSamples = HOP_SAMPLES): TonePairHops {
  const space = new ToneHops(18_600, hopSamples, 16);
  const mark = new ToneHops(19_200, hopSamples, 16);
  space.push(samples);
  mark.push(samples);
  return { space, mark };
}

const sound = modulate(
  Uint8Array.from({ length: 60 }, (_, at) => at * 59),
  { baud: 300 },
);
const everyScale = { hopsPerScale: 0, spreadHops: 16, scaleFrom: 1 - 5.6e-3, scaleTo: 1 + 5.6e-3 };

describe('the search for a pilot', () => {
  it.each([-5_200, -1_000, 0, 333, 5_200])('finds its start and a scale of %d ppm in noise', ppm => {
    const samples = new GaussianNoise(ppm + 9_000).addTo(scaleTime(sound, ppm), SIGMA);
    const trueHop = (RAMP_SAMPLES + CHIRP_SAMPLES) / (1 + ppm * 1e-6) / HOP_SAMPLES;
    const found = findPilot(hopsOf(samples), { ...everyScale, startHop: trueHop + 9 });
    expect(Math.abs(found.startHop - trueHop)).toBeLessThan(2.5);
    expect(Math.abs((found.scale - 1) * 1e6 - ppm)).toBeLessThan(80);
    expect(found.strength).toBeGreaterThan(0.6);
    expect(found.agreement).toBeGreaterThan(28);
  });

  it.each([0.25, 0.75])(
    'finds one whose source accelerates at 3 m/s², and by how much: %d of a swing',
    phaseTurns => {
      const slow = modulate(Uint8Array.of(1, 2, 3), { baud: 150 });
      const motion = { peakPpm: 3_000, periodSeconds: 2, phaseTurns };
      const samples = new GaussianNoise(9_000).addTo(swingSource(slow, motion, 44_100), SIGMA);
      const trueHop = (RAMP_SAMPLES + CHIRP_SAMPLES) / SLOW_HOP_SAMPLES;
      const found = findPilot(hopsOf(samples, SLOW_HOP_SAMPLES), { ...everyScale, startHop: trueHop });
      const swing = 2 * Math.PI * (phaseTurns + (0.08 + 16 / 150) / 2);
      expect(found.strength).toBeGreaterThan(0.7);
      expect(Math.abs(found.scale - 1 - 3e-3 * Math.cos(swing)) * 1e6).toBeLessThan(80);
      expect(Math.abs(found.rate * 150 * 1e6 + 3_000 * Math.PI * Math.sin(swing))).toBeLessThan(800);
    },
  );

  it('takes neither noise nor the bits of a body for a pilot', () => {
    const locks = (samples: Float32Array) => {
      const hops = hopsOf(samples);
      return Array.from({ length: 16 }, (_, place) =>
        findPilot(hops, { ...everyScale, startHop: 4_000 + 400 * place }),
      );
    };
    const taken = ({ strength, agreement }: PilotLock) => strength >= 0.22 && agreement >= 22;
    expect(locks(new GaussianNoise(1).fill(new Float32Array(120_000), 1)).filter(taken)).toEqual([]);
    const ofBody = locks(sound);
    expect(ofBody.filter(taken).length).toBeLessThanOrEqual(1);
    // What agrees with the pilot in part agrees with its opposite as well.
    expect(ofBody.reduce((sum, { strength }) => sum + strength, 0) / ofBody.length).toBeLessThan(0.2);
  });
});
