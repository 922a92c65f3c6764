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
import { CONDITIONS, PHOTOGRAPHED } from './conditions.mjs';
import { photographFolder } from './photographs.mjs';
import { readByScipy } from './scipy-oracle.mjs';

export const packages = ['sharp'];

const FULL_PAIRS = 30_000;
const PARTS = { oracle, time, pairs, photographs };

/**
 * `side` is that of the picture whose time is taken, pixels, over `rounds`; `pairs` is undefined for 240, or 30,000 with `full`; `tiles`
 * are of photographs, each held against itself and so many `impostors` in every condition.
 */
export const options = {
  ...{ only: undefined, modality: MODALITIES.join(','), pairs: undefined, full: false, first: 0 },
  ...{ threads: availableParallelism(), python: undefined, side: 1_024, rounds: 25 },
  ...{ tiles: 75, impostors: 1, seed: 1, conditions: Object.keys(CONDITIONS).join(',') },
};
export const smoke = {
  ...{ modality: 'laser_speckle', pairs: 6, threads: 1, side: 256, rounds: 1 },
  conditions: 'any direction,scale of 0.7 to 1.4,all at once',
};

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
    'Surfaces by modality are simulated: random phases behind a circular aperture, fibres, or slopes of a self-affine height; 384 × 384 pixels of 8 bits. Noise is a part of the contrast of the structure. Photographs are public ones, turned, scaled, made noisy and packed by the benchmark: no camera saw a piece twice.',
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

async function pairs(report, { modalities, pairs: wanted, full, first, threads, conditions }) {
  const count = wanted ?? (full ? FULL_PAIRS : 240);
  const names = conditions.split(',');
  const rounds = count >= 10 * names.length * 30 ? 10 : 1;
  // One more a thread than the pairs need: its first surface has no other to be compared with.
  const surfaces = Math.ceil(count / (rounds * names.length)) + threads;
  for (const modality of modalities) {
    const read = await inThreads(modality, { first, surfaces, rounds, threads, names });
    const all = read.flatMap(({ pairs }) => pairs);
    report.note(`${modality}: surfaces ${first} to ${first + surfaces - 1}.`);
    reportConditions(report, modality, all, names);
    reportVerdicts(report, modality, all);
    reportImpostors(report, modality, read);
  }
}

function inThreads(modality, { first, surfaces, rounds, threads, names }) {
  const results = [];
  const runs = Array.from({ length: threads }, (_, thread) => {
    const seeds = [];
    for (let i = thread; i < surfaces; i += threads) seeds.push(100_000 + first + i);
    const worker = new Worker(new URL('./pairs-thread.mjs', import.meta.url), {
      workerData: { modality, seeds, rounds, names },
    });
    worker.on('message', result => results.push(result));
    return ended(worker);
  });
  return Promise.all(runs).then(() => results);
}

const ended = worker =>
  new Promise((resolve, reject) => {
    worker.on('error', reject);
    worker.on('exit', code =>
      code === 0 ? resolve() : reject(new Error(`a thread ended with code ${code}`)),
    );
  });

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

/** Tiles of public photographs: enrolled as they lie, then seen in other poses, and held against other tiles. */
async function photographs(report, { tiles, impostors, seed, threads, smoke }) {
  if (smoke) return report.leftOut('photographs', 'are fetched from a package registry');
  const folder = photographFolder();
  if (!folder) return report.leftOut('photographs', 'no Python could fetch them');
  const conditions = Object.entries(PHOTOGRAPHED).map(([name, condition]) => ({ name, ...condition }));
  const read = [];
  const settled = Array.from({ length: threads }, (_, first) => {
    const worker = new Worker(new URL('./photographs-thread.mjs', import.meta.url), {
      workerData: { folder, conditions, first, step: threads, count: tiles, impostors, seed },
    });
    worker.on('message', result => read.push(result));
    return ended(worker);
  });
  await Promise.all(settled);
  report.table('photographs: verdicts by pose; tiles that may be enrolled, and tiles that may not');
  for (const { name } of conditions) {
    const of = isGenuine => read.filter(pair => pair.condition === name && pair.isGenuine === isGenuine);
    const kept = of(true).filter(({ refused }) => !refused);
    const refused = of(true).filter(pair => pair.refused);
    const others = of(false);
    const distances = others.filter(pair => !pair.refused && pair.verdict !== 'inconclusive');
    const judged = kept.filter(({ verdict }) => verdict !== 'inconclusive');
    report.row(name, {
      ...{
        match: count(kept, 'match'),
        mismatch: count(kept, 'mismatch'),
        inconclusive: count(kept, 'inconclusive'),
      },
      ...{
        refusedMismatch: count(refused, 'mismatch'),
        refusedOther: refused.length - count(refused, 'mismatch'),
      },
      ...{ falseMatches: count(others, 'match'), impostors: others.length },
      fhdMedian: round(medianOf(kept.map(({ fhd }) => fhd)), 3),
      impostorFhdMin: round(momentsOf(others.map(({ fhd }) => fhd)).min, 3),
      equalErrorRate: equalErrorRate(judged, distances),
      cpuMs: round(medianOf(of(true).map(({ ms }) => ms)), 0),
    });
  }
  const judged = isGenuine =>
    read.filter(pair => pair.isGenuine === isGenuine && !pair.refused && pair.verdict !== 'inconclusive');
  const rate = equalErrorRate(judged(true), judged(false));
  report.note(
    `Equal error rate over all conditions: ${rate}, of what may be enrolled and is not inconclusive.`,
  );
  for (const { condition, isGenuine, tile, other, verdict, refused } of read) {
    const isWrong = isGenuine ? verdict === 'mismatch' : verdict === 'match';
    if (isWrong)
      report.note(
        `${condition}: ${tile} as ${other} is a ${verdict}${refused ? `, enrolment refused as ${refused}` : ''}.`,
      );
  }
}

const count = (pairs, verdict) => pairs.filter(pair => pair.verdict === verdict).length;

const medianOf = values => values.toSorted((a, b) => a - b)[values.length >> 1];

/** The greater of both error rates at the threshold where it is least; 0 where the two sets do not meet. */
function equalErrorRate(genuine, impostors) {
  const accepted = genuine.map(({ fhd }) => fhd).sort((a, b) => a - b);
  const refused = impostors.map(({ fhd }) => fhd).sort((a, b) => a - b);
  let passed = 0;
  let least = 1;
  for (let i = 0; i < accepted.length; i++) {
    while (passed < refused.length && refused[passed] <= accepted[i]) passed++;
    const falseRejects = (accepted.length - 1 - i) / accepted.length;
    least = Math.min(least, Math.max(passed / refused.length, falseRejects));
  }
  return round(least, 6);
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
