import { readWav, type Recording } from '@svc/recording';
import { RING_RECORDING_BOUNDS } from '../ring/ring-bounds.js';
import { drawRoom, soundInRoom } from '../testing/ring-room.js';
import { SeededRandom } from '@svc/kernels/testing';
import { addNoise } from '../testing/synthesize-ring.js';
import { findChallengeTone, makeChallengeTone } from './challenge-tone.js';

const RATE_HZ = 48_000;
const TRIALS = process.env.SUITE_TIER === 'long' ? 100 : 2;

const secretOf = (random: SeededRandom) => Uint8Array.from({ length: 16 }, () => random.uniform(0, 256));

/** The tone as a phone hears it that stands in a room, its clock off by a share, with noise. */
function heard(
  wav: Uint8Array,
  random: SeededRandom,
  { snrDb = 10, clock = 1, startSeconds = 0.3, seconds = 1.6 } = {},
): Recording {
  const tone = readWav(wav, RING_RECORDING_BOUNDS).samples;
  const samples = new Float64Array(seconds * RATE_HZ);
  for (let n = 0; n < samples.length; n++) {
    const at = (n - startSeconds * RATE_HZ) * clock;
    const low = Math.floor(at);
    if (low >= 0 && low + 1 < tone.length) samples[n] = tone[low] + (at - low) * (tone[low + 1] - tone[low]);
  }
  const room = soundInRoom(samples, drawRoom(random), RATE_HZ, random);
  const power = tone.reduce((sum, x) => sum + x * x, 0) / tone.length;
  addNoise(room, power / 10 ** (snrDb / 10), random, { hz: 500, sampleRateHz: RATE_HZ });
  return {
    samples: Float32Array.from(room),
    sampleRateHz: RATE_HZ,
    channels: 1,
    bitsPerSample: 32,
    durationSeconds: seconds,
    clippedFraction: 0,
  };
}

describe('a challenge tone', () => {
  it('is found at 10 dB in a room, where it is, with clocks up to 1 % off', () => {
    const random = new SeededRandom(1);
    for (let i = 0; i < TRIALS; i++) {
      const { wav, tonesHz, toneSeconds } = makeChallengeTone(secretOf(random));
      const clock = [1, 0.99, 1.01, random.uniform(0.99, 1.01)][i % 4];
      const startSeconds = random.uniform(0, 0.7);
      const match = findChallengeTone(heard(wav, random, { clock, startSeconds }), tonesHz);
      expect(match).toMatchObject({ found: true, of: 12 });
      expect(Math.abs(match.startSeconds - startSeconds)).toBeLessThan(0.04);
      expect(Math.abs(match.endSeconds - startSeconds - toneSeconds)).toBeLessThan(0.05);
    }
  });

  it('is not found in the recording of another one, in noise, or played backwards', () => {
    const random = new SeededRandom(2);
    let most = 0;
    for (let i = 0; i < 2 * TRIALS; i++) {
      const ours = makeChallengeTone(secretOf(random));
      const other = makeChallengeTone(secretOf(random));
      const recording = heard(other.wav, random, { snrDb: random.uniform(-20, 30) });
      const match = findChallengeTone(recording, ours.tonesHz);
      expect(match.found).toBe(false);
      most = Math.max(
        most,
        match.matched,
        findChallengeTone(recording, [...other.tonesHz].reverse()).matched,
      );
    }
    // Nine are asked for.
    expect(most).toBeLessThanOrEqual(6);
  });

  it('needs nine of its twelve tones', () => {
    const random = new SeededRandom(3);
    const { wav, tonesHz } = makeChallengeTone(secretOf(random));
    const recording = heard(wav, random, { snrDb: 30 });
    const silence = (tones: number) => {
      const samples = recording.samples.slice();
      samples.fill(0, 0, (0.3 + 0.06 * tones) * RATE_HZ);
      return findChallengeTone({ ...recording, samples }, tonesHz);
    };
    expect(silence(3)).toMatchObject({ found: true, matched: 9 });
    expect(silence(4)).toMatchObject({ found: false, matched: 8 });
  });

  it('is other for another secret, and has no two neighbours alike', () => {
    const random = new SeededRandom(4);
    const seen = new Set<string>();
    for (let i = 0; i < 24; i++) {
      const { tonesHz } = makeChallengeTone(secretOf(random));
      expect(tonesHz.every((hz, tone) => hz !== tonesHz[tone + 1])).toBe(true);
      seen.add(tonesHz.join());
    }
    expect(seen.size).toBe(24);
  });

  it('asks for enough randomness', () => {
    expect(() => makeChallengeTone(new Uint8Array(11))).toThrow(RangeError);
  });

  it('looks in recordings that are shorter than it', () => {
    const { tonesHz } = makeChallengeTone(new Uint8Array(12));
    const samples = new Float32Array(4_800).fill(0.1);
    const recording = {
      samples,
      sampleRateHz: RATE_HZ,
      channels: 1,
      bitsPerSample: 16,
      durationSeconds: 0.1,
      clippedFraction: 0,
    };
    expect(findChallengeTone(recording, tonesHz)).toMatchObject({ found: false, matched: 0 });
  });
});
