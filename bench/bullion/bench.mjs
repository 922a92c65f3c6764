import { hannWindow, naiveRealDft, parabolicOffset, RealFft } from '@svc/kernels';
import { analyseRing, findChallengeTone, makeChallengeTone, RING_RECORDING_BOUNDS } from '@svc/metals';
import {
  addNoise,
  FAKE_KINDS,
  GENUINE_KINDS,
  powerAfterStrike,
  rocOf,
  scoreRingRecording,
  SeededRandom,
  synthesizeRing,
  tally,
  UNDETECTABLE_KINDS,
} from '@svc/metals/testing';
import { readWav, writeWav } from '@svc/recording';
import { partsOf } from '../../tools/bench/options.mjs';
import { compressedVerdicts } from './compressed-verdicts.mjs';
import { femVerdicts } from './fem-verdicts.mjs';

const RATE_HZ = 48_000;
const SIZE = 16_384;
/** Modes of a silver coin: hertz, amplitude, decay in seconds. */
const SILVER = [
  [3_753, 0.2, 0.3],
  [6_451, 0.12, 0.2],
  [8_653, 0.15, 0.15],
  [15_180, 0.1, 0.06],
];
const ROC_ZS = [0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
const NOISES_DB = [0, 10, 20, 30];
const OVERLOADS_DB = [-3, 1, 3, 6, 10];
const PARTS = {
  ...{ fft: transforms, time: timeOfAnalysis, accuracy, verdicts, noise, clipping, challenge },
  ...{ compressed: compressedVerdicts, fem: femVerdicts },
};

/** `rounds` are those that a time is taken of. */
export const options = { only: undefined, recordings: 1_000, rounds: 200, seed: 1 };
export const smoke = { recordings: 10, rounds: 4 };

/**
 * The ring test: its transform beside the definition, one second of WAV, frequencies beside a parabola through a Hann spectrum,
 * verdicts on synthetic recordings and their ROC, noise, clipping, challenge tones; verdicts on pieces by finite elements.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function bullion({ report, options }) {
  for (const part of partsOf(PARTS, options.only)) await part(report, options);
  report.note(
    'Every recording but those by finite elements is made up: modes of published tables or, held out, of theory, with scatter; doublets, place of the strike, room, phone, noise of 16 bits. SNR is the power of the first tenth of a second over that of the noise at all frequencies. Quality factors are assumed.',
  );
}

function transforms(report, { rounds }) {
  report.table('transform of real samples');
  const random = new SeededRandom(1);
  const samples = Float64Array.from({ length: 2_048 }, () => random.gaussian());
  const small = new RealFft(2_048);
  const spectrum = new Float64Array(2 * small.bins);
  report.row(
    'by definition, 2,048',
    timed(Math.min(5, rounds), () => naiveRealDft(samples)),
  );
  report.row(
    'RealFft, 2,048',
    timed(10 * rounds, () => small.forward(samples, spectrum)),
  );
  const large = new RealFft(SIZE);
  const long = Float64Array.from({ length: SIZE }, () => random.gaussian());
  const bins = new Float64Array(2 * large.bins);
  report.row(
    'RealFft, 16,384',
    timed(3 * rounds, () => large.forward(long, bins)),
  );
}

function timeOfAnalysis(report, { seed, rounds }) {
  const random = new SeededRandom(seed);
  const wavs = Array.from({ length: Math.min(40, rounds) }, () =>
    writeWav([silverRing(random, 20, 1).samples], RATE_HZ),
  );
  report.table('one second of WAV, 48 kHz, 16 bits');
  let i = 0;
  report.row(
    'read',
    timed(rounds, () => readWav(wavs[i++ % wavs.length], RING_RECORDING_BOUNDS)),
  );
  report.row(
    'read and analysed',
    timed(rounds, () => analyseRing(readWav(wavs[i++ % wavs.length], RING_RECORDING_BOUNDS))),
  );
}

/** Wall clock and the processor's time, which other programs on the machine do not lengthen as much. */
function timed(rounds, work) {
  for (let i = 0; i < Math.ceil(rounds / 4); i++) work();
  const times = [];
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const quantile = share => times[Math.floor(share * (times.length - 1))];
  return {
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    minMs: times[0],
    processorMs: (user + system) / 1_000 / rounds,
  };
}

function accuracy(report, { recordings, seed }) {
  for (const snrDb of [10, 0]) {
    const random = new SeededRandom(seed);
    const errors = { parabola: [], fit: [], z: [] };
    for (let i = 0; i < recordings / 5; i++) {
      const { samples, frequencies, strike } = silverRing(random, snrDb, 0.6);
      const { peaks } = analyseRing(recordingOf(samples));
      const spectrum = hannLevels(samples, strike);
      for (const hz of frequencies.slice(0, 3)) {
        errors.parabola.push(parabolaNear(spectrum, hz) - hz);
        const peak = peaks.find(({ frequencyHz }) => Math.abs(frequencyHz - hz) < 5);
        if (!peak) continue;
        errors.fit.push(peak.frequencyHz - hz);
        errors.z.push((peak.frequencyHz - hz) / peak.uncertaintyHz);
      }
    }
    report.table(`error of a mode’s frequency, ring at ${snrDb} dB`);
    report.row('highest bin near the true one, Hann, parabola', {
      rmsHz: rms(errors.parabola),
      modes: errors.parabola.length,
    });
    report.row('ours', { rmsHz: rms(errors.fit), modes: errors.fit.length, spreadOfZ: rms(errors.z) });
  }
}

function silverRing(random, snrDb, seconds) {
  const strike = 0.1 + random.uniform(0, 0.02);
  const shift = random.uniform(-10, 10);
  const modes = SILVER.map(([hz, amplitude, decaySeconds]) => ({
    ...{ frequencyHz: hz + shift, amplitude, decaySeconds, phase: random.uniform(0, 2 * Math.PI) },
  }));
  const samples = synthesizeRing(modes, { seconds, strikeSeconds: strike, sampleRateHz: RATE_HZ }, random);
  addNoise(samples, powerAfterStrike(samples, strike, RATE_HZ) / 10 ** (snrDb / 10), random);
  return { samples, strike, frequencies: modes.map(({ frequencyHz }) => frequencyHz) };
}

function recordingOf(samples) {
  const durationSeconds = samples.length / RATE_HZ;
  const format = { sampleRateHz: RATE_HZ, channels: 1, bitsPerSample: 32, clippedFraction: 0 };
  return { samples: Float32Array.from(samples), durationSeconds, ...format };
}

function hannLevels(samples, strike) {
  const start = Math.ceil((strike + 0.004) * RATE_HZ);
  const window = hannWindow(SIZE);
  const spectrum = new RealFft(SIZE).forward(window.map((w, n) => w * (samples[start + n] ?? 0)));
  return Float64Array.from({ length: SIZE / 2 }, (_, k) =>
    Math.log(spectrum[2 * k] ** 2 + spectrum[2 * k + 1] ** 2),
  );
}

/** The peer is told where to look. */
function parabolaNear(levels, hz) {
  const near = Math.round((hz * SIZE) / RATE_HZ);
  let top = near;
  for (let k = near - 2; k <= near + 2; k++) if (levels[k] > levels[top]) top = k;
  return ((top + parabolicOffset(levels[top - 1], levels[top], levels[top + 1])) * RATE_HZ) / SIZE;
}

const rms = values => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);

function verdicts(report, { recordings, seed }) {
  const scores = scored(recordings, seed, { snrDb: 20 });
  report.table(`verdicts at 20 dB, ${recordings} recordings`);
  report.row('all', shares(tally(scores, [...GENUINE_KINDS, ...FAKE_KINDS])));
  for (const kind of [...GENUINE_KINDS, ...FAKE_KINDS]) report.row(kind, shares(tally(scores, [kind])));
  report.row('fakes, all kinds', shares(tally(scores, FAKE_KINDS)));
  report.table('fakes that a ring is published not to tell, at 20 dB');
  for (const kind of UNDETECTABLE_KINDS) {
    report.row(kind, shares(tally(scored(Math.ceil(recordings / 10), seed, { snrDb: 20, kind }), [kind])));
  }
  report.table('ROC of the ring alone: two modes within z, none beyond 2z');
  for (const { z, truePass, falsePass } of rocOf(scores, ROC_ZS)) {
    report.row(`z ${z}`, { falsePassPercent: 100 * falsePass, truePassPercent: 100 * truePass });
  }
}

function noise(report, { recordings, seed }) {
  report.table('verdicts by noise');
  for (const snrDb of NOISES_DB) {
    const scores = scored(Math.ceil(recordings / 5), seed, { snrDb });
    report.row(`${snrDb} dB, genuine`, shares(tally(scores, GENUINE_KINDS)));
    report.row(`${snrDb} dB, fakes`, shares(tally(scores, FAKE_KINDS)));
  }
}

function clipping(report, { recordings, seed }) {
  report.table('genuine pieces by overload of the recording, 30 dB');
  for (const overloadDb of OVERLOADS_DB) {
    const scores = scored(Math.ceil(recordings / 20), seed, { snrDb: 30, overloadDb, kind: 'genuine' });
    const unreadable = scores.filter(({ verdict }) => verdict === 'UNREADABLE').length / scores.length;
    report.row(`${overloadDb} dB over full scale`, {
      ...shares(tally(scores, GENUINE_KINDS)),
      refusedPercent: 100 * unreadable,
    });
  }
}

function challenge(report, { recordings, seed }) {
  const random = new SeededRandom(seed);
  const secret = () => Uint8Array.from({ length: 12 }, () => random.uniform(0, 256));
  report.table(`challenge tones in a second of sound, ${recordings} each`);
  for (const snrDb of [10, 0, -5, -10]) {
    let own = 0;
    let other = 0;
    for (let i = 0; i < recordings; i++) {
      const { wav, tonesHz } = makeChallengeTone(secret());
      const samples = new Float64Array(RATE_HZ);
      samples.set(readWav(wav, RING_RECORDING_BOUNDS).samples, Math.floor(random.uniform(0, 0.25) * RATE_HZ));
      addNoise(
        samples,
        samples.reduce((sum, x) => sum + x * x, 0) / (0.72 * RATE_HZ) / 10 ** (snrDb / 10),
        random,
      );
      const recording = recordingOf(samples);
      if (findChallengeTone(recording, tonesHz).found) own++;
      if (findChallengeTone(recording, makeChallengeTone(secret()).tonesHz).found) other++;
    }
    report.row(`${snrDb} dB`, {
      foundPercent: (100 * own) / recordings,
      falselyFoundPercent: (100 * other) / recordings,
    });
  }
}

function scored(count, seed, options) {
  return Array.from({ length: count }, (_, i) => scoreRingRecording(seed + i, options));
}

const shares = ({ count, pass, fail, inconclusive }) => ({
  count,
  passPercent: 100 * pass,
  failPercent: 100 * fail,
  inconclusivePercent: 100 * inconclusive,
});
