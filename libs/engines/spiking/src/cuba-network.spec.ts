import { readFileSync } from 'node:fs';
import { ReferenceNetwork } from './reference-network.js';

/** Mean rate and CV of inter-spike intervals of runs, one for each seed from `firstSeed` on. */
interface Ensemble {
  readonly firstSeed: number;
  readonly rateHz: readonly number[];
  readonly cv: readonly number[];
}

/** Written by bench/peers/brian2/cuba.py, and the same measurements of the engine. */
const VECTORS = JSON.parse(readFileSync(new URL('./cuba-network.vectors.json', import.meta.url), 'utf8')) as {
  readonly neuronCount: number;
  readonly outDegree: number;
  readonly warmupMs: number;
  readonly runMs: number;
  /** A neuron with fewer spikes has no CV. */
  readonly leastSpikes: number;
  /** Brian's own random networks: each pair of neurons with probability 0.02. */
  readonly brianDrawn: Ensemble;
  /** The engine's networks of the same seeds, simulated by Brian in f64. */
  readonly brianWired: Ensemble;
  readonly engine: Ensemble;
};

const DT_MS = 0.1;

function coefficientOfVariation(intervals: readonly number[]): number {
  const mean = intervals.reduce((sum, value) => sum + value, 0) / intervals.length;
  const variance = intervals.reduce((sum, value) => sum + (value - mean) ** 2, 0) / intervals.length;
  return Math.sqrt(variance) / mean;
}

function measure(seed: number): { rateHz: number; cv: number } {
  const { neuronCount, outDegree, warmupMs, runMs, leastSpikes } = VECTORS;
  const net = new ReferenceNetwork({ neuronCount, outDegree, dtMs: DT_MS, delayMs: 1.5, seed });
  const trains: number[][] = Array.from({ length: neuronCount }, () => []);
  for (let step = 0; step < (warmupMs + runMs) / DT_MS; step++) {
    for (const { source } of net.step()) if (step >= warmupMs / DT_MS) trains[source].push(step);
  }
  const cvs = trains
    .filter(train => train.length >= leastSpikes)
    .map(train => coefficientOfVariation(train.slice(1).map((step, k) => step - train[k])));
  return {
    rateHz: trains.reduce((sum, train) => sum + train.length, 0) / neuronCount / (runMs / 1000),
    cv: cvs.reduce((sum, cv) => sum + cv, 0) / cvs.length,
  };
}

/** Mean and its standard error. */
function meanOf(values: readonly number[]): { mean: number; error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, error: Math.sqrt(variance / values.length) };
}

describe('the CUBA network of 4,000 neurons', () => {
  const { engine, brianDrawn, brianWired } = VECTORS;

  it('comes to the recorded rates and CVs, seed by seed', () => {
    const seeds = process.env.SUITE_TIER === 'long' ? 20 : 1;
    for (let k = 0; k < seeds; k++) {
      const { rateHz, cv } = measure(engine.firstSeed + k);
      expect(rateHz).toBeCloseTo(engine.rateHz[k], 5);
      expect(cv).toBeCloseTo(engine.cv[k], 5);
    }
  });

  it.each(['rateHz', 'cv'] as const)(
    'agrees with the random networks of Brian 2 within 2 %% over seeds: %s',
    key => {
      const [own, brian] = [meanOf(engine[key]), meanOf(brianDrawn[key])];
      // The comparison is only worth something where the means are known better than the bound.
      expect(Math.hypot(own.error, brian.error)).toBeLessThan(0.007 * brian.mean);
      expect(Math.abs(own.mean - brian.mean)).toBeLessThan(0.02 * brian.mean);
    },
  );

  it.each(['rateHz', 'cv'] as const)('agrees with Brian 2 on its own networks, pair by pair: %s', key => {
    const count = brianWired[key].length;
    expect(count).toBeGreaterThanOrEqual(40);
    expect(brianWired.firstSeed).toBe(engine.firstSeed);
    const differences = brianWired[key].map((value, k) => engine[key][k] - value);
    const { mean, error } = meanOf(differences);
    const brian = meanOf(brianWired[key]).mean;
    expect(Math.abs(mean)).toBeLessThan(0.02 * brian);
    expect(Math.abs(mean)).toBeLessThan(3.5 * error);
  });
});
