import fc from 'fast-check';
import { deriveConstants, WEIGHT_UNITS } from './model-constants.js';
import { PlasticSynapses, type TravellingSpike } from './plastic-synapses.js';
import type { Plasticity } from './simulation.js';

const STDP: Plasticity = {
  rule: 'stdp-nn',
  aPlus: 0.01,
  aMinus: 0.0105,
  tauPlusMs: 20,
  tauMinusMs: 30,
  wMaxMv: 3.24,
};
const [DT_MS, DELAY_STEPS] = [0.1, 16];
const [PRE, POST] = [0, 1];

interface Trains {
  /** Steps in which the source spikes, and the neuron behind its synapses. */
  readonly pre: readonly number[];
  readonly post: readonly number[];
}

/** Plays trains over as many synapses between the same two neurons: their rounding differs, nothing else. */
function play(plasticity: Plasticity, { pre, post }: Trains, synapseCount: number): PlasticSynapses {
  const network = { neuronCount: 2, outDegree: synapseCount, dtMs: DT_MS, delayMs: 1.5, seed: 1, plasticity };
  const constants = deriveConstants(network);
  expect(constants.delaySteps).toBe(DELAY_STEPS);
  const synapses = new PlasticSynapses(plasticity, DT_MS, 2, synapseCount, constants, [123, 456]);
  const [sent, fired] = [new Set(pre), new Set(post)];
  const onTheWay = new Map<number, TravellingSpike>();
  const last = Math.max(...pre, ...post) + DELAY_STEPS;
  for (let step = 0; step <= last; step++) {
    const spike = onTheWay.get(step);
    if (spike) for (let m = 0; m < synapseCount; m++) synapses.arrive(spike, m, POST, step);
    if (sent.has(step)) onTheWay.set(step + DELAY_STEPS, synapses.spiked(PRE, step));
    if (fired.has(step)) synapses.spiked(POST, step);
  }
  return synapses;
}

/** Mean change over the synapses, units of weight. */
function meanChange(plasticity: Plasticity, trains: Trains, synapseCount = 2_000): number {
  const { weights } = play(plasticity, trains, synapseCount);
  const initial = Math.round((1.62 / plasticity.wMaxMv) * WEIGHT_UNITS);
  return weights.reduce((sum, weight) => sum + weight - initial, 0) / synapseCount;
}

/**
 * The same by the definition: sums over pairs of an arrival and a postsynaptic spike, each at its time.
 * Nearest neighbours, symmetric (Morrison, Diesmann & Gerstner 2008, figure 7A): a postsynaptic spike
 * pairs with the arrival before it, an arrival with the postsynaptic spike before it. A weight is as the
 * last arrival found it.
 */
function pairSum(plasticity: Plasticity, { pre, post }: Trains): number {
  const { rule, aPlus, aMinus, tauPlusMs, tauMinusMs } = plasticity;
  const arrivals = pre.map(step => step + DELAY_STEPS);
  const spikes = post.map(step => step + 1);
  const lastArrival = Math.max(...arrivals);
  const window = (tauMs: number) => (distance: number) => Math.exp((-distance * DT_MS) / tauMs);
  const sum = (distances: number[], tauMs: number): number => {
    const paired = rule === 'stdp-all' ? distances : distances.length > 0 ? [Math.min(...distances)] : [];
    return paired.map(window(tauMs)).reduce((a, b) => a + b, 0);
  };
  let change = 0;
  for (const spike of spikes.filter(time => time <= lastArrival)) {
    change +=
      aPlus *
      sum(
        arrivals.filter(time => time < spike).map(time => spike - time),
        tauPlusMs,
      );
  }
  for (const arrival of arrivals) {
    change -=
      aMinus *
      sum(
        spikes.filter(time => time <= arrival).map(time => arrival - time),
        tauMinusMs,
      );
  }
  return change * WEIGHT_UNITS;
}

describe.each(['stdp-nn', 'stdp-all'] as const)('the window of an isolated pair, %s', rule => {
  const plasticity = { ...STDP, rule };

  it('is an exponential for a postsynaptic spike after an arrival', () => {
    for (const distanceMs of [0.1, 0.2, 1, 5, 10, 20, 40, 80]) {
      const post = 100 + DELAY_STEPS + Math.round(distanceMs / DT_MS) - 1;
      // The second arrival finds what the spike did; by then the pair with itself is nothing.
      const change = meanChange(plasticity, { pre: [100, 6_000], post: [post] });
      expect(Math.abs(change - 655.35 * Math.exp(-distanceMs / 20))).toBeLessThan(0.05);
    }
  });

  it('is an exponential for an arrival at a postsynaptic spike or after it', () => {
    for (const distanceMs of [0, 0.1, 1, 5, 10, 30, 60, 120]) {
      const post = 2_000 + DELAY_STEPS - Math.round(distanceMs / DT_MS) - 1;
      const change = meanChange(plasticity, { pre: [2_000], post: [post] });
      expect(Math.abs(change + 688.1175 * Math.exp(-distanceMs / 30))).toBeLessThan(0.05);
    }
  });
});

/** Spikes of a Poisson process with the refractory time of the model. */
function poissonTrain(random: () => number, rateHz: number, steps: number): number[] {
  const train: number[] = [];
  for (let step = 0; step < steps; step++) {
    const resting = train.length > 0 && step - train[train.length - 1] <= 50;
    if (!resting && random() < (rateHz * DT_MS) / 1000) train.push(step);
  }
  return train;
}

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe.each(['stdp-nn', 'stdp-all'] as const)('a replay of Poisson trains, %s', rule => {
  it('comes to the sum over its pairs', () => {
    const seeds = process.env.SUITE_TIER === 'long' ? 60 : 6;
    let moved = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const random = generator(seed);
      const trains = { pre: poissonTrain(random, 35, 8_000), post: poissonTrain(random, 30, 8_000) };
      const plasticity = { ...STDP, rule };
      expect(play(plasticity, trains, 1).truncatedHistories).toBe(0);
      const expected = pairSum(plasticity, trains);
      const visits = trains.pre.length;
      // Rounding: half a unit a visit at random, over 1,000 synapses; tables: half of 1/256 a pair.
      const noise = (4 * 0.5 * Math.sqrt(visits)) / Math.sqrt(1_000) + (visits + trains.post.length) / 512;
      expect(Math.abs(meanChange(plasticity, trains, 1_000) - expected)).toBeLessThan(
        noise + 1e-5 * Math.abs(expected),
      );
      moved += Math.abs(expected);
    }
    expect(moved).toBeGreaterThan(100 * seeds);
  });

  it('comes to it with spikes that coincide with arrivals, too', () => {
    const train = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(train, train, (pre, post) => {
        // Both on a grid of 6 ms, so that arrivals meet spikes.
        const trains = {
          pre: pre.map(k => 60 * k).sort((a, b) => a - b),
          post: post.map(k => 60 * k + DELAY_STEPS - 1).sort((a, b) => a - b),
        };
        const plasticity = { ...STDP, rule };
        fc.pre(play(plasticity, trains, 1).truncatedHistories === 0);
        const tolerance = 2 + 1e-5 * Math.abs(pairSum(plasticity, trains));
        expect(Math.abs(meanChange(plasticity, trains, 300) - pairSum(plasticity, trains))).toBeLessThan(
          tolerance,
        );
      }),
      { numRuns: process.env.SUITE_TIER === 'long' ? 300 : 20, seed: 5 },
    );
  });
});

describe('plastic weights', () => {
  it('are rounded without bias: a change below a unit is one, as often as it is large', () => {
    const fraction = 0.3;
    const plasticity = { ...STDP, aMinus: fraction / WEIGHT_UNITS };
    const change = meanChange(plasticity, { pre: [200], post: [200 + DELAY_STEPS - 1] }, 40_000);
    expect(Math.abs(change + Math.round(fraction * 256) / 256)).toBeLessThan(4 * Math.sqrt(0.21 / 40_000));
  });

  it('stay between nothing and the greatest weight', () => {
    const often = Array.from({ length: 120 }, (_, k) => 60 * k);
    const strong = { ...STDP, aPlus: 0.3, aMinus: 0 };
    expect(
      play(strong, { pre: often, post: often.map(step => step + 20) }, 50).weights.every(w => w === 65_535),
    ).toBe(true);
    const weak = { ...STDP, aPlus: 0, aMinus: 0.3 };
    expect(play(weak, { pre: often, post: often }, 50).weights.every(w => w === 0)).toBe(true);
  });

  it('remember 16 spikes of a neuron, and count the arrivals that may have missed older ones', () => {
    const post = Array.from({ length: 20 }, (_, k) => 100 + 60 * k);
    const pre = [0, 100 + 60 * 20 + 6_000];
    const plasticity = { ...STDP, tauPlusMs: 30, tauMinusMs: 1 };
    const known = { pre, post: post.slice(4) };
    expect(play(plasticity, { pre, post }, 7).truncatedHistories).toBe(7);
    expect(play(plasticity, { pre, post: post.slice(5) }, 7).truncatedHistories).toBe(0);
    expect(Math.abs(meanChange(plasticity, { pre, post }) - pairSum(plasticity, known))).toBeLessThan(0.2);
  });
});
