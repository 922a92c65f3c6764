import { SnnRequest } from '@svc/contracts';
import { snnLimitsOf } from '../snn-config.js';
import { planSimulation } from './simulation-plan.js';
import { SimulationSpeed } from './simulation-speed.js';

const limits = { ...snnLimitsOf({}), threadsDefault: 2, threadsMax: 2 };
const planOf = (request: object) => planSimulation(SnnRequest.parse(request), limits);
const DEFAULT = planOf({ neuronCount: 1_000_000 });

it('expects first what slow cores take, and learns from runs what these take', () => {
  const speed = new SimulationSpeed();
  const first = speed.estimateMs(DEFAULT);
  for (let run = 0; run < 30; run++) speed.learn(DEFAULT, { meanRateHz: 6 }, first / 2);
  expect(speed.estimateMs(DEFAULT) / first).toBeCloseTo(0.5, 1);
  // Of other synapses nothing has been learnt.
  const fixed = planOf({ neuronCount: 1_000_000, plasticity: { rule: 'none' } });
  expect(speed.estimateMs(fixed)).toBe(new SimulationSpeed().estimateMs(fixed));
});

it('does not take a silent network for a fast machine', () => {
  const speed = new SimulationSpeed();
  const first = speed.estimateMs(DEFAULT);
  const silentMs = 0.6 * first;
  for (let run = 0; run < 30; run++) speed.learn(DEFAULT, { meanRateHz: 0 }, silentMs);
  expect(speed.estimateMs(DEFAULT)).toBeGreaterThan(0.8 * first);
});

it('learns nothing from runs that are over at once', () => {
  const speed = new SimulationSpeed();
  const before = speed.estimateMs(DEFAULT);
  speed.learn(DEFAULT, { meanRateHz: 6 }, 50);
  expect(speed.estimateMs(DEFAULT)).toBe(before);
});

it('takes no more threads than there are, and those of the service where none are named', () => {
  expect(DEFAULT.threads).toBe(2);
  expect(planOf({ neuronCount: 1_000, threads: 64 }).threads).toBe(2);
  expect(planOf({ neuronCount: 1_000, threads: 1 }).threads).toBe(1);
});

it('widens the bins of a long run where nobody says how wide they are', () => {
  const plan = planOf({ neuronCount: 1_000, iterations: 100_000, dtMs: 1 });
  expect(plan.run.recording.binMs).toBe(10);
});
