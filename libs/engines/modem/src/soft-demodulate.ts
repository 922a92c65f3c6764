/** What is known of each tone: its mean power while it is sent, and while it is not. */
export interface ToneStatistics {
  on: number;
  off: number;
}

/** Log-likelihood ratios of symbols, and the energy of a symbol by the density of the noise as the known ones have it. */
export interface SoftSymbols {
  /** log P(1)/P(0), a value a symbol. */
  readonly llr: Float32Array;
  readonly pilotEsN0: number;
}

/** Symbols on either side that a symbol's statistics are taken of. */
const WINDOW_SYMBOLS = 128;
/** Symbols that share statistics. */
const STRIDE_SYMBOLS = 32;
const PASSES = 3;
/** Keeps silence from being divided by: far below the power of any sound. */
const POWER_MIN = 1e-60;

// Taken once: in the context of a test runner every look at a global is slow.
const { exp, log, max, min, sqrt } = Math;

/**
 * Soft decisions of noncoherent FSK.
 *
 * A tone that is sent has the envelope of Rice, one that is not that of Rayleigh, so that the ratio is
 * log I0(2a₁r₁/N₁) − a₁²/N₁ less the same of the other tone. Amplitude a and noise N of either tone (in rooms each fades by
 * itself, and its echoes go on while the other is sent) are those of the symbols around, weighted by what is believed of
 * them: from the pilot first, then again (expectation and maximisation).
 *
 * Source: Proakis, Digital Communications, 5th edition, 4.5; Dempster, Laird and Rubin 1977.
 *
 * @param space powers of the space in each symbol
 * @param mark powers of the mark
 * @param known the bits of the first symbols
 */
export function softDemodulate(
  space: Float32Array,
  mark: Float32Array,
  known: ArrayLike<number>,
): SoftSymbols {
  const count = space.length;
  const belief = new Float64Array(count).fill(0.5);
  for (let at = 0; at < known.length; at++) belief[at] = known[at];
  const start = gatherStatistics(space, mark, belief, 0, known.length);
  const llr = new Float32Array(count);
  fillRatios(llr, space, mark, 0, count, start);
  for (let pass = 1; pass < PASSES; pass++) {
    for (let at = known.length; at < count; at++) belief[at] = 1 / (1 + exp(-llr[at]));
    for (const { from, to, around } of strideStatistics(space, mark, belief)) {
      fillRatios(llr, space, mark, from, to, around);
    }
  }
  return { llr, pilotEsN0: pilotRatio(start) };
}

/** Statistics of both tones. */
export interface PairStatistics {
  readonly space: ToneStatistics;
  readonly mark: ToneStatistics;
  /** Weight of the symbols behind them. */
  readonly symbols: number;
}

/** Symbols that share statistics, and what these are: of the symbols around. */
export function* strideStatistics(
  space: Float32Array,
  mark: Float32Array,
  belief: Float64Array,
): Generator<{ from: number; to: number; around: PairStatistics }> {
  const count = space.length;
  for (let from = 0; from < count; from += STRIDE_SYMBOLS) {
    const to = min(count, from + STRIDE_SYMBOLS);
    const first = max(0, min(from - WINDOW_SYMBOLS, count - 2 * WINDOW_SYMBOLS));
    const last = min(count, max(to + WINDOW_SYMBOLS, 2 * WINDOW_SYMBOLS));
    yield { from, to, around: gatherStatistics(space, mark, belief, first, last) };
  }
}

/** Mean powers of both tones while sent and while not, by what is believed of each symbol. */
function gatherStatistics(
  space: Float32Array,
  mark: Float32Array,
  belief: Float64Array,
  from: number,
  to: number,
): PairStatistics {
  let marks = 1e-9;
  let spaces = 1e-9;
  const sums = { spaceOn: 0, spaceOff: 0, markOn: 0, markOff: 0 };
  for (let at = from; at < to; at++) {
    const p = belief[at];
    marks += p;
    spaces += 1 - p;
    sums.markOn += p * mark[at];
    sums.markOff += (1 - p) * mark[at];
    sums.spaceOn += (1 - p) * space[at];
    sums.spaceOff += p * space[at];
  }
  return {
    space: { on: sums.spaceOn / spaces, off: sums.spaceOff / marks },
    mark: { on: sums.markOn / marks, off: sums.markOff / spaces },
    symbols: to - from,
  };
}

/** γ = Es/N0 of known symbols: power of the signal by that of the noise in one symbol. */
function pilotRatio({ space, mark }: PairStatistics): number {
  const noise = (space.off + mark.off) / 2;
  return max(0, (space.on + mark.on) / 2 - noise) / (noise + POWER_MIN);
}

function fillRatios(
  llr: Float32Array,
  space: Float32Array,
  mark: Float32Array,
  from: number,
  to: number,
  statistics: PairStatistics,
): void {
  const [spaceModel, markModel] = envelopeModels(statistics);
  for (let at = from; at < to; at++) {
    llr[at] = envelopeRatio(mark[at], markModel) - envelopeRatio(space[at], spaceModel);
  }
}

/** Amplitude and noise power of a tone. */
export interface EnvelopeModel {
  readonly amplitude: number;
  readonly noise: number;
}

/** Below this many standard deviations two tones are taken to be alike: what differs then is mostly the estimate. */
const ALIKE_DEVIATIONS = 2;

/** Amplitudes and noise powers of space and mark; what chance alone makes of their difference is left out. */
export function envelopeModels({ space, mark, symbols }: PairStatistics): [EnvelopeModel, EnvelopeModel] {
  const noise = (space.off + mark.off) / 2 + 1e-9 * (space.on + mark.on) + POWER_MIN;
  const power = max((space.on + mark.on) / 2 - noise, 1e-3 * noise);
  const perTone = symbols / 2;
  // Variance of the logarithm of a mean power: of noise 1 a symbol, of a signal with noise 2/γ.
  const noiseDeviation = sqrt(2 / perTone);
  const signalDeviation = sqrt((4 * noise) / power / perTone);
  const noiseLog = shrunk(log((mark.off + POWER_MIN) / (space.off + POWER_MIN)), noiseDeviation);
  const powerOf = ({ on, off }: ToneStatistics) => max(on - off, 1e-3 * noise);
  const powerLog = shrunk(log(powerOf(mark) / powerOf(space)), signalDeviation);
  return [
    { amplitude: sqrt(power * split(-powerLog)), noise: noise * split(-noiseLog) },
    { amplitude: sqrt(power * split(powerLog)), noise: noise * split(noiseLog) },
  ];
}

/** Draws a logarithm towards 0 by what chance alone makes of it (James and Stein's positive part). */
function shrunk(ratioLog: number, deviation: number): number {
  const chance = (ALIKE_DEVIATIONS * deviation) / (ratioLog + POWER_MIN);
  return ratioLog * max(0, 1 - chance * chance);
}

/** Parts e^±log of a whole whose mean is 1: what one of two has of twice their mean. */
function split(ratioLog: number): number {
  return 2 / (1 + exp(-ratioLog));
}

/** log of Rice's density by Rayleigh's at one power. */
function envelopeRatio(power: number, { amplitude, noise }: EnvelopeModel): number {
  return logBesselI0((2 * amplitude * sqrt(power)) / noise) - (amplitude * amplitude) / noise;
}

/**
 * log I0(x), x ≥ 0.
 *
 * Source: Abramowitz and Stegun 9.8.1 and 9.8.2: within 2e-7 of I0.
 */
export function logBesselI0(x: number): number {
  if (x < 3.75) {
    const t = (x / 3.75) ** 2;
    return log(
      1 +
        t *
          (3.5156229 + t * (3.0899424 + t * (1.2067492 + t * (0.2659732 + t * (0.0360768 + t * 0.0045813))))),
    );
  }
  const t = 3.75 / x;
  const series =
    0.39894228 +
    t *
      (0.01328592 +
        t *
          (0.00225319 +
            t *
              (-0.00157565 +
                t *
                  (0.00916281 + t * (-0.02057706 + t * (0.02635537 + t * (-0.01647633 + t * 0.00392377)))))));
  return x - log(x) / 2 + log(series);
}
