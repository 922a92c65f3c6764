import { unitsOfInference } from './inference-work.js';

const shape = (actions: number, policyLength: number, states = 2, outcomes = 1) => ({
  ...{ actions, policyLength, states, outcomes },
});

describe('the work of an inference', () => {
  it.each([
    // Milliseconds that the whole product took beside the body and the 14 of any call.
    ['one policy', shape(1, 1, 1), 0],
    ['256 policies of four actions', shape(4, 4), 12],
    ['4,096 policies of two actions', shape(64, 2, 1), 12],
    ['4,096 policies of six actions', shape(4, 6), 31],
    ['16,384 policies of seven actions', shape(4, 7), 123],
    ['the same over 32 states', shape(4, 7, 32, 32), 150],
    ['45 million multiply-adds', shape(4, 6, 64, 64), 70],
  ])(
    'is estimated at up to twice and at least half of what was measured, with the call itself: %s',
    (_of, given, measuredMs) => {
      const estimated = 20 + unitsOfInference(given);
      expect(estimated).toBeGreaterThanOrEqual((14 + measuredMs) / 2);
      expect(estimated).toBeLessThanOrEqual(2 * (14 + measuredMs));
    },
  );

  it('grows with the numbers that it answers, and as they do', () => {
    const sizes = [5, 6, 7].map(policyLength => unitsOfInference(shape(4, policyLength)));
    expect(sizes[1] / sizes[0]).toBeCloseTo(4 * (10 / 9), 1);
    expect(sizes[2] / sizes[1]).toBeCloseTo(4 * (11 / 10), 1);
  });

  it('grows with the square of its states', () => {
    const [small, large] = [128, 256].map(states => unitsOfInference(shape(1, 8, states, states)) - 0.012);
    expect(large / small).toBeCloseTo(4, 5);
  });
});
