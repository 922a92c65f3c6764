import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import {
  bitAt,
  compareSurface,
  extractFingerprint,
  FINGERPRINT_BITS,
  fractionalHammingDistance,
  MODALITIES,
  parametersOf,
} from '@svc/speckle';
import { decodeImage } from '@svc/speckle/node';
import { simulateSurface, takePicture, TEXTURE_CONTRAST } from '@svc/speckle/testing';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { partsOf } from '../../tools/bench/options.mjs';
import { CONDITIONS } from './conditions.mjs';
import { readByScipy } from './scipy-oracle.mjs';

export const packages = ['sharp'];

const FULL_PAIRS = 30_000;
const PARTS = { oracle, time, pairs };

/** `side` is that of the picture whose time is taken, pixels, over `rounds`; `pairs` is undefined for 240, or 30,000 with `full`. */
export const options = {
  ...{ only: undefined, modality: MODALITIES.join(','), pairs: undefined, full: false, first: 0 },
  ...{ threads: availableParallelism(), python: undefined, side: 1_024, rounds: 25 },
};
export const smoke = { modality: 'laser_speckle', pairs: 24, threads: 1, side: 256, rounds: 1 };

/**
 * Fingerprints of simulated surfaces: the same bits by numpy and scipy, the time of a megapixel, then genuine and impostor pairs
 * along the whole way (picture, alignment, verdict) under each condition, their distributions and degrees of freedom.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options; smoke: boolean }} run
 */
export default async function speckle({ report, options, smoke }) {
  const modalities = options.modality.split(',');
  for (const part of partsOf(PARTS, options.only)) await part(report, { ...options, modalities, smoke });
  report.note(
    'Every picture is simulated: random phases behind a circular aperture, fibres, or slopes of a self-affine height; 384 × 384 pixels of 8 bits. Noise is a part of the contrast of the structure. No camera took any.',
  );
}

const scaleOf = modality => (modality === 'laser_speckle' ? 1 : TEXTURE_CONTRAST);

async function oracle(report, { modalities, python, smoke }) {
  if (smoke) return report.leftOut('numpy and scipy', 'need Python');
  const dsp = instantiateDsp(await loadDspModule());
  report.table('the same pixels read by numpy and scipy in 64 bits: bits that differ');
  for (const modality of modalities) {
    const pictures = Array.from({ length: 20 }, (_, i) => {
      const surface = simulateSurface(dsp, modality, { seed: 70_000 + i, sidePx: 256 });
      return takePicture(surface, { seed: i, sidePx: 256, noise: 0.1 * scaleOf(modality) });
    });
    const theirs = readByScipy(modality, pictures, python);
    if (!theirs) return report.leftOut('numpy and scipy', 'python3 could not install them');
    const counts = { usableBitsThatDiffer: 0, maskBitsThatDiffer: 0, bitsCompared: 0 };
    pictures.forEach((picture, i) => {
      const ours = extractFingerprint(dsp, picture, { modality });
      const [bits, mask] = [theirs[i].bits, theirs[i].mask].map(hex => Buffer.from(hex, 'hex'));
      for (let bit = 0; bit < FINGERPRINT_BITS; bit++) {
        const usable = bitAt(ours.mask, bit);
        counts.bitsCompared += usable;
        counts.usableBitsThatDiffer += usable && bitAt(ours.bits, bit) ^ bitAt(bits, bit);
        counts.maskBitsThatDiffer += usable ^ bitAt(mask, bit);
      }
    });
    report.row(modality, counts);
  }
}

async function time(report, { side, rounds }) {
  const dsp = instantiateDsp(await loadDspModule());
  const modality = 'laser_speckle';
  const surface = simulateSurface(dsp, modality, { seed: 1, sidePx: 2 * side });
  const image = takePicture(surface, { seed: 1, sidePx: side, noise: 0.1 });
  const raw = { width: side, height: side, channels: 1 };
  const png = await sharp(image.pixels, { raw }).png().toBuffer();
  const jpeg = await sharp(image.pixels, { raw }).jpeg({ quality: 90 }).toBuffer();
  const enrolled = extractFingerprint(dsp, image, { modality });
  const timed = action => timesOf(rounds, action);
  report.table(`one picture of ${side} × ${side}, one thread`);
  report.row('extraction', await timed(() => extractFingerprint(dsp, image, { modality })));
  report.row('alignment and comparison', await timed(() => compareSurface(dsp, enrolled, image)));
  report.row('decoding of PNG', await timed(() => decodeImage(png)));
  report.row('decoding of JPEG', await timed(() => decodeImage(jpeg)));
}

async function timesOf(rounds, action) {
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    await action();
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  return { medianMs: round(times[rounds >> 1]), fastestMs: round(times[0]), slowestMs: round(times.at(-1)) };
}

async function pairs(report, { modalities, pairs: wanted, full, first, threads }) {
  const count = wanted ?? (full ? FULL_PAIRS : 240);
  const names = Object.keys(CONDITIONS);
  const rounds = count >= 10 * names.length * 30 ? 10 : 1;
  // One more a thread than the pairs need: its first surface has no other to be compared with.
  const surfaces = Math.ceil(count / (rounds * names.length)) + threads;
  for (const modality of modalities) {
    const read = await inThreads(modality, { first, surfaces, rounds, threads });
    const all = read.flatMap(({ pairs }) => pairs);
    report.note(`${modality}: surfaces ${first} to ${first + surfaces - 1}.`);
    reportConditions(report, modality, all, names);
    reportVerdicts(report, modality, all);
    reportImpostors(report, modality, read);
  }
}

function inThreads(modality, { first, surfaces, rounds, threads }) {
  const results = [];
  const runs = Array.from({ length: threads }, (_, thread) => {
    const seeds = [];
    for (let i = thread; i < surfaces; i += threads) seeds.push(100_000 + first + i);
    const worker = new Worker(new URL('./pairs-thread.mjs', import.meta.url), {
      workerData: { modality, seeds, rounds },
    });
    return new Promise((resolve, reject) => {
      worker.on('message', result => results.push(result));
      worker.on('error', reject);
      worker.on('exit', code =>
        code === 0 ? resolve() : reject(new Error(`a thread ended with code ${code}`)),
      );
    });
  });
  return Promise.all(runs).then(() => results);
}

function reportConditions(report, modality, all, names) {
  report.table(`${modality}: genuine pairs by condition`);
  names.forEach((name, condition) => {
    const pairs = all.filter(pair => pair.condition === condition).map(({ genuine }) => genuine);
    const { mean, deviation, max } = momentsOf(pairs.map(({ fhd }) => fhd));
    const refused = pairs.filter(({ verdict }) => verdict !== 'match').length;
    report.row(name, {
      fhdMean: round(mean, 4),
      fhdDeviation: round(deviation, 4),
      fhdMax: round(max, 4),
      pairs: pairs.length,
      notMatched: refused,
      errorPxMax: round(Math.max(...pairs.map(({ errorPx }) => errorPx)), 2),
    });
  });
}

function reportVerdicts(report, modality, all) {
  const genuine = all.map(pair => pair.genuine);
  const impostors = all.flatMap(pair => (pair.impostor ? [pair.impostor] : []));
  const falseRejects = genuine.filter(({ verdict }) => verdict !== 'match').length;
  const falseAccepts = impostors.filter(({ verdict }) => verdict === 'match').length;
  const [g, i] = [genuine, impostors].map(set => momentsOf(set.map(({ fhd }) => fhd)));
  const eer = equalErrorRate(genuine, impostors);
  report.table(`${modality}: verdicts, the best alignment of each`);
  const decidability = (i.mean - g.mean) / Math.sqrt((i.deviation ** 2 + g.deviation ** 2) / 2);
  report.row('genuine', {
    errors: falseRejects,
    pairs: genuine.length,
    rateUpTo: upTo(falseRejects, genuine.length),
    ...rounded(g),
  });
  report.row('impostor', {
    errors: falseAccepts,
    pairs: impostors.length,
    rateUpTo: upTo(falseAccepts, impostors.length),
    ...rounded(i),
  });
  const bound = upTo(0, Math.min(genuine.length, impostors.length));
  report.note(
    `${modality}: equal error rate ${eer}, with no error at most ${bound} (95 %); decidability d′ ${round(decidability, 1)}.`,
  );
}

function reportImpostors(report, modality, read) {
  const distances = [];
  let usable = 0;
  read.forEach((a, i) => {
    for (const b of read.slice(0, i)) {
      const { fhd, usableBits } = fractionalHammingDistance(a, b);
      distances.push(fhd);
      usable += usableBits;
    }
  });
  const { mean, deviation, min } = momentsOf(distances);
  const dof = ((mean * (1 - mean)) / deviation ** 2) * ((FINGERPRINT_BITS * distances.length) / usable);
  report.table(`${modality}: impostors as they lie, every pair of the surfaces`);
  report.row('measured', {
    degreesOfFreedom: Math.round(dof),
    usedInVerdicts: parametersOf(modality).degreesOfFreedom,
    pairs: distances.length,
    fhdMean: round(mean, 4),
    fhdDeviation: round(deviation, 4),
    fhdMin: round(min, 4),
  });
}

/** The rate at the threshold where both errors are as frequent; 0 where the two sets do not meet. */
function equalErrorRate(genuine, impostors) {
  const accepted = genuine.map(({ fhd }) => fhd).sort((a, b) => a - b);
  const refused = impostors.map(({ fhd }) => fhd).sort((a, b) => a - b);
  let passed = 0;
  for (let i = 0; i < accepted.length; i++) {
    while (passed < refused.length && refused[passed] <= accepted[i]) passed++;
    const falseRejects = (accepted.length - 1 - i) / accepted.length;
    if (passed / refused.length >= falseRejects)
      return round((passed / refused.length + falseRejects) / 2, 6);
  }
  return 0;
}

/** Upper end of the 95 % interval of Clopper and Pearson, by bisection on the binomial. */
function upTo(errors, count) {
  let [low, high] = [errors / count, 1];
  for (let i = 0; i < 60; i++) {
    const p = (low + high) / 2;
    let term = (1 - p) ** count;
    let sum = term;
    for (let k = 1; k <= errors; k++) sum += term *= ((count - k + 1) / k) * (p / (1 - p));
    if (sum > 0.025) low = p;
    else high = p;
  }
  return Number(high.toPrecision(2));
}

function momentsOf(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  const min = values.reduce((a, b) => Math.min(a, b), Infinity);
  const max = values.reduce((a, b) => Math.max(a, b), -Infinity);
  return { mean, deviation: Math.sqrt(variance), min, max };
}

const rounded = ({ mean, deviation, min, max }) => ({
  fhdMean: round(mean, 4),
  fhdDeviation: round(deviation, 4),
  fhdMin: round(min, 4),
  fhdMax: round(max, 4),
});

const round = (value, digits = 2) => Number(value.toFixed(digits));
