import { type GenerativeModel, multiplyAdds } from '@svc/inference';

// Measured as the time of all cores that a call took of the whole product, on two cores of an AMD EPYC with Node 20, quiet, the mean
// of 5 to 40 calls; beside other work a call takes up to 1.7 times that. The bytes of a body count apart.

/** A number of the answer, which is written three times, read twice and digested: 0.5 to 0.8 µs. */
const UNITS_OF_NUMBER = 0.001;
/** 0.9 to 1.1 ns. */
const UNITS_OF_MULTIPLY_ADD = 1.2e-6;
/** Utility, information gain, their sum and the posterior. */
const NUMBERS_OF_POLICY = 4;

type Shape = Pick<GenerativeModel, 'actions' | 'policyLength' | 'states' | 'outcomes'>;

/** Milliseconds that an inference is expected to take beside its request: each policy is answered with its actions and its numbers. */
export function unitsOfInference({ actions, policyLength, states, outcomes }: Shape): number {
  const numbers = actions ** policyLength * (policyLength + NUMBERS_OF_POLICY);
  const sums = multiplyAdds(actions, policyLength, states, outcomes);
  return numbers * UNITS_OF_NUMBER + sums * UNITS_OF_MULTIPLY_ADD;
}
