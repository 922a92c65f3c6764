/** r_k ≈ m^k·(α·cos ωk + β·sin ωk): what a pair of eigenvalues m·e^±iω makes of the slopes. */
export interface DampedOscillation {
  /** m, above 0 and below 1: by which factor the envelope decays in a bin. */
  readonly ratio: number;
  /** |α + iβ|. */
  readonly amplitude: number;
  /** ω, radians a bin. */
  readonly angularFrequency: number;
  /** What the fit makes of each slope. */
  readonly fitted: Float64Array;
}

const TIME_CONSTANTS = 40;
const FREQUENCIES = 60;
const TIME_CONSTANT_MIN = 0.5;
/** Bins of a period at least: quicker ones are not told from their aliases. */
const PERIOD_MIN = 4;
const ROUNDS = 4;
const GOLDEN_STEPS = 24;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The two waves of an eigenvalue pair, and the slopes' products with them. */
interface Projection {
  /** Squares of the slopes that the pair explains. */
  readonly explained: number;
  readonly cosine: number;
  readonly sine: number;
}

/**
 * Fits a damped oscillation by least squares: for each m and ω the best α and β are known, which leaves two dimensions, searched
 * on a grid and then by golden sections along each in turn. Bounded work, no start value, no random number. A period is from four
 * bins to as many as there are lags: a longer one is not told from a drift.
 */
export class OscillationFitter {
  private readonly logTimes: Float64Array;
  private readonly frequencies: Float64Array;
  /** For each point of the grid two vectors of length 1 and at right angles that span the waves. */
  private readonly bases: Float64Array[];

  /** @param timeConstantMax in bins: the longest that is told from no decay at all */
  constructor(
    private readonly lags: number,
    timeConstantMax: number,
  ) {
    this.logTimes = spaced(Math.log(TIME_CONSTANT_MIN), Math.log(timeConstantMax), TIME_CONSTANTS);
    this.frequencies = spaced((2 * Math.PI) / lags, (2 * Math.PI) / PERIOD_MIN, FREQUENCIES);
    this.bases = Array.from(this.logTimes).flatMap(logTime =>
      Array.from(this.frequencies, frequency => orthonormalWaves(logTime, frequency, lags)),
    );
  }

  /** The least and the greatest ω that are searched. */
  get frequencyRange(): readonly [number, number] {
    return [this.frequencies[0], this.frequencies[FREQUENCIES - 1]];
  }

  /** @returns undefined where no oscillation is nearer to the slopes than 0 is */
  fitOscillation(slopes: Float64Array): DampedOscillation | undefined {
    let best = -1;
    let most = 0;
    this.bases.forEach((basis, at) => {
      let [first, second] = [0, 0];
      for (let k = 0; k < this.lags; k++) {
        first += basis[k] * slopes[k];
        second += basis[this.lags + k] * slopes[k];
      }
      const explained = first * first + second * second;
      if (explained > most) [best, most] = [at, explained];
    });
    if (best < 0) return undefined;
    let logTime = this.logTimes[Math.floor(best / FREQUENCIES)];
    let frequency = this.frequencies[best % FREQUENCIES];
    let timeStep = this.logTimes[1] - this.logTimes[0];
    let frequencyStep = this.frequencies[1] - this.frequencies[0];
    for (let round = 0; round < ROUNDS; round++) {
      logTime = goldenSection(
        logTime,
        timeStep,
        this.logTimes,
        at => project(at, frequency, slopes).explained,
      );
      const ofFrequency = (at: number) => project(logTime, at, slopes).explained;
      frequency = goldenSection(frequency, frequencyStep, this.frequencies, ofFrequency);
      [timeStep, frequencyStep] = [timeStep / 2, frequencyStep / 2];
    }
    return this.oscillationAt(logTime, frequency, slopes);
  }

  private oscillationAt(logTime: number, frequency: number, slopes: Float64Array): DampedOscillation {
    const { cosine, sine } = project(logTime, frequency, slopes);
    const ratio = Math.exp(-1 / Math.exp(logTime));
    const fitted = Float64Array.from({ length: this.lags }, (_, lag) => {
      const phase = frequency * (lag + 1);
      return ratio ** (lag + 1) * (cosine * Math.cos(phase) + sine * Math.sin(phase));
    });
    return { ratio, amplitude: Math.hypot(cosine, sine), angularFrequency: frequency, fitted };
  }
}

const spaced = (from: number, to: number, count: number) =>
  Float64Array.from({ length: count }, (_, i) => from + (i * (to - from)) / (count - 1));

function orthonormalWaves(logTime: number, frequency: number, lags: number): Float64Array {
  const basis = new Float64Array(2 * lags);
  let [cosines, sines, products] = [0, 0, 0];
  for (let k = 1; k <= lags; k++) {
    const decay = Math.exp(-k / Math.exp(logTime));
    const cosine = decay * Math.cos(frequency * k);
    const sine = decay * Math.sin(frequency * k);
    [basis[k - 1], basis[lags + k - 1]] = [cosine, sine];
    cosines += cosine * cosine;
    sines += sine * sine;
    products += cosine * sine;
  }
  const along = products / cosines;
  const length = Math.sqrt(sines - along * products);
  for (let k = 0; k < lags; k++) {
    basis[lags + k] = (basis[lags + k] - along * basis[k]) / length;
    basis[k] /= Math.sqrt(cosines);
  }
  return basis;
}

/** Least squares of the slopes on both waves; the waves turn and shrink from lag to lag by one multiplication. */
function project(logTime: number, frequency: number, slopes: Float64Array): Projection {
  const decay = Math.exp(-1 / Math.exp(logTime));
  const turnCosine = decay * Math.cos(frequency);
  const turnSine = decay * Math.sin(frequency);
  let [cosine, sine] = [1, 0];
  let [cosines, sines, products, onCosine, onSine] = [0, 0, 0, 0, 0];
  for (const slope of slopes) {
    [cosine, sine] = [cosine * turnCosine - sine * turnSine, sine * turnCosine + cosine * turnSine];
    cosines += cosine * cosine;
    sines += sine * sine;
    products += cosine * sine;
    onCosine += cosine * slope;
    onSine += sine * slope;
  }
  const determinant = cosines * sines - products * products;
  const alpha = (sines * onCosine - products * onSine) / determinant;
  const beta = (cosines * onSine - products * onCosine) / determinant;
  return { explained: alpha * onCosine + beta * onSine, cosine: alpha, sine: beta };
}

/** Where `of` is greatest within a step of `at`, inside of the range. */
function goldenSection(at: number, step: number, range: Float64Array, of: (at: number) => number): number {
  let low = Math.max(range[0], at - step);
  let high = Math.min(range[range.length - 1], at + step);
  let left = high - GOLDEN * (high - low);
  let right = low + GOLDEN * (high - low);
  let [ofLeft, ofRight] = [of(left), of(right)];
  for (let i = 0; i < GOLDEN_STEPS; i++) {
    if (ofLeft > ofRight) {
      [high, right, ofRight] = [right, left, ofLeft];
      left = high - GOLDEN * (high - low);
      ofLeft = of(left);
    } else {
      [low, left, ofLeft] = [left, right, ofRight];
      right = low + GOLDEN * (high - low);
      ofRight = of(right);
    }
  }
  return (low + high) / 2;
}
