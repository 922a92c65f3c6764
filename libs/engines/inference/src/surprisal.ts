import { logStudentT, type StudentT } from './student-t.js';

/** The prior's say on the spread: so many observations, of that standard deviation. */
export interface SpreadPrior {
  /** Above 0. */
  readonly degrees: number;
  /** Above 0, in the unit of the values. */
  readonly standardDeviation: number;
}

/** One observation that says: logarithms of a rate scatter by a tenth. */
export const WEAK_PRIOR: SpreadPrior = { degrees: 1, standardDeviation: 0.1 };

/** Values a magnitude of which is past this would overflow when squared. */
export const OBSERVATION_MAX = 1e150;

/**
 * How surprising each value is after those before it: −ln p(newest | history) in nats, under a normal model of unknown mean
 * and spread. Flat in the mean, weakly scaled-inverse-χ² in the variance; what is expected next is then Student's t with
 * ν + n − 1 degrees of freedom about the mean, of scale² = (ν·s² + Σ(x − mean)²)/(ν + n − 1) · (1 + 1/n). It is a density: below 1
 * per unit it gives positive nats, above it negative ones.
 *
 * Sums are kept as mean and squared deviations, so that a large offset costs no digits.
 *
 * Source: A. Gelman et al.: Bayesian Data Analysis, 3rd edition, sections 3.2 and 3.3; B. P. Welford: Note on a method for
 * calculating corrected sums of squares, 1962.
 *
 * @example
 * const history = new SurprisalHistory();
 * history.observe(Math.log(1667)); // undefined: nothing to expect it from
 * history.observe(Math.log(1650)); // nats
 */
export class SurprisalHistory {
  private count = 0;
  private mean = 0;
  private squaredDeviations = 0;

  /** @throws RangeError unless both numbers of the prior are above 0 and finite */
  constructor(private readonly prior: SpreadPrior = WEAK_PRIOR) {
    const { degrees, standardDeviation } = prior;
    if (!(
      degrees > 0 &&
      degrees < Infinity &&
      standardDeviation > 0 &&
      standardDeviation < OBSERVATION_MAX
    )) {
      throw new RangeError(
        `a prior's degrees and standard deviation are above 0, not ${degrees}, ${standardDeviation}`,
      );
    }
  }

  /** How many values it knows. */
  get size(): number {
    return this.count;
  }

  /** What is expected next; undefined before the first value. */
  predictive(): StudentT | undefined {
    if (this.count === 0) return undefined;
    const degrees = this.prior.degrees + this.count - 1;
    const squares = this.prior.degrees * this.prior.standardDeviation ** 2 + this.squaredDeviations;
    return {
      location: this.mean,
      scale: Math.sqrt((squares / degrees) * (1 + 1 / this.count)),
      degrees,
    };
  }

  /** −ln p of a value, in nats, without learning from it; undefined before the first value. */
  surprisalOf(value: number): number | undefined {
    requireObservation(value);
    const expected = this.predictive();
    return expected === undefined ? undefined : -logStudentT(value, expected);
  }

  /** The value's surprisal under the history, which then knows the value. @throws RangeError */
  observe(value: number): number | undefined {
    const surprisal = this.surprisalOf(value);
    this.count++;
    const apart = value - this.mean;
    this.mean += apart / this.count;
    this.squaredDeviations += apart * (value - this.mean);
    return surprisal;
  }
}

function requireObservation(value: number): void {
  if (Math.abs(value) <= OBSERVATION_MAX) return;
  throw new RangeError(`an observation is a number of at most ±${OBSERVATION_MAX}, not ${value}`);
}
