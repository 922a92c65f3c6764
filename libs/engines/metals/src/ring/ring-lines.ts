import {
  addScaled,
  type Band,
  type DampedLine,
  fitDampedLines,
  type LineFit,
  lineTransform,
  type RingTransform,
} from './damped-lines.js';

/** A line of the ring, as fitted. */
export interface RingLine {
  readonly frequencyHz: number;
  readonly uncertaintyHz: number;
  /** Sum of its squares over the window: the same whichever window showed it. */
  readonly energy: number;
  readonly snr: number;
  /** Seconds to 1/e of the amplitude; null where it could not be measured. */
  readonly decaySeconds: number | null;
}

/** A peak to fit. */
export interface LineStart {
  readonly frequencyHz: number;
  readonly power: number;
  readonly snr: number;
}

/** Peaks closer than this are fitted together: the skirts of one lie under the other. */
const TOGETHER_BINS = 24;
const TOGETHER_MAX = 3;
/** A band reaches so many bins, and so many widths of a line, to both sides. */
const REACH_BINS = 20;
const REACH_WIDTHS = 5;
const REACH_BINS_MAX = 160;
/** Lines farther away change so slowly over a band that its background stands for them. */
const NEIGHBOUR_BINS = 700;
/** Decays that a fit begins with, as shares of the window. */
const DECAY_STARTS = [1, 0.25, 0.08, 0.03];
/** Two lines in place of one must explain so much more than chance (Bayes' criterion counts the unknowns). */
const SPLIT_EVIDENCE = 30;
/** Lines of a doublet differ by at most 20 dB, else the weaker one is a flaw of the model. */
const SPLIT_AMPLITUDE_RATIO_MAX = 10;
const SPLIT_HZ_MIN = 5;
const PASSES = 2;
const ECHO_ENERGY_RATIO = 10;
const ECHO_WIDTHS = 8;
const ECHO_HZ_MIN = 30;
const ECHO_HZ_MAX = 500;

interface Cluster {
  readonly starts: readonly LineStart[];
  fit: LineFit | null;
}

/**
 * Frequency, uncertainty and decay of each peak, by fits of damped lines: strongest first, and once more with everything
 * else taken out. A peak that two lines explain much better than one becomes two.
 */
export function fitRingLines(
  transform: RingTransform,
  peaks: readonly LineStart[],
  sampleRateHz: number,
): RingLine[] {
  const binHz = sampleRateHz / transform.size;
  const clusters = clustersOf(peaks, binHz);
  for (let pass = 0; pass < PASSES; pass++) {
    for (const cluster of clusters) cluster.fit = fitCluster(cluster, clusters, transform, binHz, pass);
  }
  return withoutEchoes(clusters.flatMap(cluster => linesOf(cluster, transform, sampleRateHz)));
}

/**
 * A room lets some frequencies of a mode's skirt ring on after it, as thin lines beside it: what is weaker by 10 dB and lies
 * within eight widths of a mode is taken for its echo. The weak line of a pair goes with them.
 */
function withoutEchoes(lines: readonly RingLine[]): RingLine[] {
  return lines.filter(line =>
    lines.every(
      ({ frequencyHz, energy, decaySeconds }) =>
        energy < ECHO_ENERGY_RATIO * line.energy ||
        Math.abs(frequencyHz - line.frequencyHz) >
          Math.min(ECHO_HZ_MAX, ECHO_HZ_MIN + ECHO_WIDTHS / (Math.PI * (decaySeconds ?? Infinity))),
    ),
  );
}

/** Strongest first, each with its neighbours. */
function clustersOf(peaks: readonly LineStart[], binHz: number): Cluster[] {
  const left = [...peaks].sort((a, b) => b.power - a.power);
  const clusters: Cluster[] = [];
  while (left.length > 0) {
    const starts = [left.shift()!];
    for (let i = 0; i < left.length && starts.length < TOGETHER_MAX;) {
      const distance = Math.abs(left[i].frequencyHz - starts[0].frequencyHz) / binHz;
      if (distance < TOGETHER_BINS) starts.push(...left.splice(i, 1));
      else i++;
    }
    clusters.push({ starts, fit: null });
  }
  return clusters;
}

function fitCluster(
  cluster: Cluster,
  clusters: readonly Cluster[],
  transform: RingTransform,
  binHz: number,
  pass: number,
): LineFit | null {
  const { size, count } = transform;
  const frequencies = cluster.starts.map(({ frequencyHz }) => (2 * Math.PI * frequencyHz) / (binHz * size));
  const decays = cluster.fit && cluster.fit.lines.length === frequencies.length ? [null] : DECAY_STARTS;
  let best: LineFit | null = null;
  for (const decay of decays) {
    const start =
      decay === null
        ? cluster.fit!.lines
        : frequencies.map(angularFrequency => ({ angularFrequency, damping: 1 / (decay * count) }));
    const band = bandAround(start, transform);
    const fit = fitDampedLines(start, residueOf(cluster, clusters, transform, band), band, transform);
    if (fit && (!best || perBin(fit) < perBin(best))) best = fit;
  }
  if (!best) return cluster.fit;
  return pass > 0 && best.lines.length === 1 ? split(best, cluster, clusters, transform, binHz) : best;
}

function perBin({ residual, degreesOfFreedom }: LineFit): number {
  return residual / Math.max(1, degreesOfFreedom);
}

function bandAround(
  lines: readonly Pick<DampedLine, 'angularFrequency' | 'damping'>[],
  { size }: RingTransform,
): Band {
  const binOf = (w: number) => (w * size) / (2 * Math.PI);
  const widths = lines.map(({ damping }) => (Math.max(0, damping) * size) / Math.PI);
  const reach = Math.min(REACH_BINS_MAX, REACH_BINS + REACH_WIDTHS * Math.max(...widths));
  const bins = lines.map(({ angularFrequency }) => binOf(angularFrequency));
  return {
    first: Math.max(1, Math.floor(Math.min(...bins) - reach)),
    last: Math.min(size / 2 - 1, Math.ceil(Math.max(...bins) + reach)),
  };
}

/** The transform's bins of a band, without the lines of other clusters near it. */
function residueOf(
  cluster: Cluster,
  clusters: readonly Cluster[],
  transform: RingTransform,
  band: Band,
): Float64Array {
  const residue = transform.spectrum.slice(2 * band.first, 2 * (band.last + 1));
  for (const other of clusters) {
    if (other === cluster || !other.fit) continue;
    for (const line of other.fit.lines) {
      const bin = (line.angularFrequency * transform.size) / (2 * Math.PI);
      if (bin < band.first - NEIGHBOUR_BINS || bin > band.last + NEIGHBOUR_BINS) continue;
      const [re, im] = line.amplitude;
      addScaled(residue, lineTransform(line, band, transform).values, -re, -im);
    }
  }
  return residue;
}

/** Two lines in place of one, where they explain the band so much better that it is not by chance. */
function split(
  one: LineFit,
  cluster: Cluster,
  clusters: readonly Cluster[],
  transform: RingTransform,
  binHz: number,
): LineFit {
  const [{ angularFrequency, damping }] = one.lines;
  const band = bandAround(one.lines, transform);
  const residue = residueOf(cluster, clusters, transform, band);
  const again = fitDampedLines(one.lines, residue, band, transform);
  if (!again) return one;
  const perHz = (2 * Math.PI) / (binHz * transform.size);
  const half = Math.max((SPLIT_HZ_MIN / 2) * perHz, damping / 2);
  const two = fitDampedLines(
    [-half, half].map(by => ({ angularFrequency: angularFrequency + by, damping: Math.max(damping / 2, 0) })),
    residue,
    band,
    transform,
  );
  if (!two) return again;
  const bins = residue.length / 2;
  // Two real unknowns each in frequency and amplitude come with a line.
  const evidence = 2 * bins * Math.log(again.residual / two.residual) - 4 * Math.log(2 * bins);
  const amplitudes = two.lines.map(({ amplitude }) => Math.hypot(...amplitude));
  const ratio = Math.max(...amplitudes) / Math.min(...amplitudes);
  const apartHz = Math.abs(two.lines[0].angularFrequency - two.lines[1].angularFrequency) / perHz;
  const isSplit =
    evidence * (transform.count / transform.size) > SPLIT_EVIDENCE &&
    ratio < SPLIT_AMPLITUDE_RATIO_MAX &&
    apartHz > SPLIT_HZ_MIN &&
    apartHz > 5 * (Math.max(...two.uncertainties) / perHz) &&
    two.lines.every(line => line.damping > 0);
  return isSplit ? two : again;
}

function linesOf({ starts, fit }: Cluster, transform: RingTransform, sampleRateHz: number): RingLine[] {
  const binHz = sampleRateHz / transform.size;
  if (!fit) return starts.map(start => unfitted(start, binHz, transform.count));
  const hzOf = sampleRateHz / (2 * Math.PI);
  const energies = fit.lines.map(line => energyOf(line, transform.count));
  return fit.lines.map((line, j) => {
    const nearest = starts.length === fit.lines.length ? starts[j] : starts[0];
    const share = starts.length === 1 ? energies[j] / Math.max(...energies) : 1;
    const uncertainty = fit.uncertainties[j];
    return {
      frequencyHz: line.angularFrequency * hzOf,
      uncertaintyHz: uncertainty * hzOf,
      energy: energies[j],
      snr: nearest.snr * share,
      decaySeconds: line.damping > 3 * uncertainty ? 1 / (line.damping * sampleRateHz) : null,
    };
  });
}

/** Σ |c·e^(sn)|². */
function energyOf({ amplitude: [re, im], damping }: DampedLine, count: number): number {
  const samples =
    Math.abs(damping) * count < 1e-9 ? count : -Math.expm1(-2 * damping * count) / (2 * damping);
  return (re * re + im * im) * samples;
}

/** As read off the spectrum: a tenth of a bin at the least, and what noise does to a peak under a Hann window. */
function unfitted(start: LineStart, binHz: number, count: number): RingLine {
  return {
    frequencyHz: start.frequencyHz,
    snr: start.snr,
    // A steady line's: half of the samples are its power under a Hann window.
    energy: (4 * start.power) / count,
    uncertaintyHz: binHz * Math.hypot(0.1, 1 / Math.sqrt(start.snr)),
    decaySeconds: null,
  };
}
