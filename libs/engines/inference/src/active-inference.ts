import { type ActiveInferenceInput, type GenerativeModel, readGenerativeModel } from './generative-model.js';
import { InferenceInputError } from './inference-input-error.js';

/** What an agent believes and does; every list over policies has the order of `E`. */
export interface ActiveInferenceResult {
  /** Posterior over the present state. */
  readonly qs: readonly number[];
  /** Variational free energy of the observations, nats; exact, so −ln of their probability. */
  readonly F: number;
  /** Negative expected free energy, −G, of each policy, nats: `total` = `utility` + `infoGain`. */
  readonly negEFE: {
    readonly utility: readonly number[];
    readonly infoGain: readonly number[];
    readonly total: readonly number[];
  };
  /** Posterior over policies. */
  readonly qPi: readonly number[];
  /** `qPi` summed over the policies that begin with each action. */
  readonly actionMarginal: readonly number[];
  /** Probabilities with which an agent of precision `alpha` draws its action: marginal^alpha, made to sum to 1. */
  readonly actionProbabilities: readonly number[];
  /** The action of the greatest marginal, the first of those that equal it to 1e-9 nats. */
  readonly action: number;
}

/**
 * One cycle of discrete active inference, as pymdp and SPM have it for one factor and one modality: infer the present state
 * from readings of it, score every action sequence by its expected free energy, and choose the next action. No small number
 * is added inside logarithms; 0 · ln 0 is 0.
 *
 * F = Σ q(s)·(ln q(s) − ln D(s) − Σ ln A(o|s)); −G(π) = Σ_t [q(o)·ln softmax(C) + H(q(o)) − E_q(s) H(A(·|s))];
 * q(π) = softmax(γ·(−G) + ln E).
 *
 * Source: L. Da Costa et al.: Active inference on discrete state-spaces, 2020, sections 4 and 5; C. Heins et al.: pymdp, 2022.
 *
 * @example
 * activeInference({ A: [[0.9, 0.1], [0.1, 0.9]], B: [stay, swap], C: [2, 0], D: [0.5, 0.5], observations: [1] }).action // 1
 * @throws InferenceInputError with the path of the fault: whatever is not a model, and observations that cannot be
 */
export const activeInference = (input: ActiveInferenceInput): ActiveInferenceResult =>
  inferFrom(readGenerativeModel(input));

/** As {@link activeInference}, of a model that was read before. @throws InferenceInputError for observations that cannot be */
export function inferFrom(model: GenerativeModel): ActiveInferenceResult {
  const { qs, F } = inferState(model);
  const { utility, infoGain } = expectedFreeEnergy(model, qs);
  const total = utility.map((value, policy) => value + infoGain[policy]);
  const logPolicies = total.map(
    (value, policy) => model.gamma * value + (model.E === undefined ? 0 : Math.log(model.E[policy])),
  );
  const evidence = logSumExp(logPolicies);
  const logMarginal = logActionMarginal(logPolicies, model.actions, evidence);
  const actionMarginal = logMarginal.map(value => Math.exp(value));
  return {
    qs: Array.from(qs),
    F,
    negEFE: { utility: Array.from(utility), infoGain: Array.from(infoGain), total: Array.from(total) },
    qPi: Array.from(logPolicies, value => Math.exp(value - evidence)),
    actionMarginal,
    actionProbabilities: sharpened(logMarginal, model.alpha),
    action: firstOfGreatest(logMarginal),
  };
}

/** Bayes' rule in logarithms: the exact posterior, under which F is −ln P(observations). */
function inferState({ A, D, states, observations }: GenerativeModel): { qs: Float64Array; F: number } {
  const logJoint = D.map(Math.log);
  observations.forEach((outcome, at) => {
    for (let s = 0; s < states; s++) logJoint[s] += Math.log(A[outcome * states + s]);
    if (logJoint.every(value => value === -Infinity)) {
      const message = `is impossible: observation ${outcome} has probability 0 in every state that the prior and the readings before it leave`;
      throw new InferenceInputError('IMPOSSIBLE', `observations[${at}]`, message, { got: outcome });
    }
  });
  const evidence = logSumExp(logJoint);
  // Minus zero is no different answer.
  return { qs: logJoint.map(value => Math.exp(value - evidence)), F: 0 - evidence };
}

interface PolicyScores {
  readonly utility: Float64Array;
  readonly infoGain: Float64Array;
}

/** Walks the tree of action sequences depth first, so that a beginning is computed once for all policies that share it. */
function expectedFreeEnergy(model: GenerativeModel, qs: Float64Array): PolicyScores {
  const { actions, B, policies, policyLength } = model;
  const scores = { utility: new Float64Array(policies), infoGain: new Float64Array(policies) };
  const score = stepScorer(model);
  const beliefs = [qs, ...Array.from({ length: policyLength }, () => new Float64Array(model.states))];
  const visit = (depth: number, policy: number, utility: number, infoGain: number): void => {
    if (depth === policyLength) {
      scores.utility[policy] = utility;
      scores.infoGain[policy] = infoGain;
      return;
    }
    for (let action = 0; action < actions; action++) {
      predict(B[action], beliefs[depth], beliefs[depth + 1]);
      const step = score(beliefs[depth + 1]);
      visit(depth + 1, policy * actions + action, utility + step.utility, infoGain + step.infoGain);
    }
  };
  visit(0, 0, 0, 0);
  return scores;
}

function predict(transition: Float64Array, current: Float64Array, next: Float64Array): void {
  const states = current.length;
  for (let s = 0; s < states; s++) {
    let sum = 0;
    for (let from = 0; from < states; from++) sum += transition[s * states + from] * current[from];
    next[s] = sum;
  }
}

/** @returns what one step adds to −G, given the belief over the state that it leads to */
function stepScorer({ A, C, states, outcomes }: GenerativeModel) {
  const preferences = logSumExp(C);
  const logPreference = C.map(value => value - preferences);
  const ambiguity = new Float64Array(states);
  for (let at = 0; at < A.length; at++) ambiguity[at % states] -= timesLog(A[at]);
  return (belief: Float64Array): { utility: number; infoGain: number } => {
    let utility = 0;
    let entropy = 0;
    for (let outcome = 0; outcome < outcomes; outcome++) {
      let probability = 0;
      for (let s = 0; s < states; s++) probability += A[outcome * states + s] * belief[s];
      utility += probability * logPreference[outcome];
      entropy -= timesLog(probability);
    }
    let expectedAmbiguity = 0;
    for (let s = 0; s < states; s++) expectedAmbiguity += belief[s] * ambiguity[s];
    // A mutual information: below 0 by rounding alone.
    return { utility, infoGain: Math.max(0, entropy - expectedAmbiguity) };
  };
}

const timesLog = (x: number) => (x > 0 ? x * Math.log(x) : 0);

/** ln Σ e^x without overflow; −Infinity where every entry is. */
function logSumExp(values: Float64Array): number {
  let max = -Infinity;
  for (const value of values) max = Math.max(max, value);
  if (max === -Infinity) return -Infinity;
  let sum = 0;
  for (const value of values) sum += Math.exp(value - max);
  return max + Math.log(sum);
}

/** In logarithms, so that an action of a tiny probability is told from one that the prior forbids. */
function logActionMarginal(logPolicies: Float64Array, actions: number, evidence: number): number[] {
  const each = logPolicies.length / actions;
  return Array.from(
    { length: actions },
    (_, action) => logSumExp(logPolicies.subarray(action * each, (action + 1) * each)) - evidence,
  );
}

/** Policies that mirror each other differ by rounding: what is this near counts as equal, nats. */
const EQUAL_WITHIN = 1e-9;

function firstOfGreatest(logMarginal: readonly number[]): number {
  const greatest = Math.max(...logMarginal);
  return logMarginal.findIndex(value => value >= greatest - EQUAL_WITHIN);
}

/** softmax(alpha · ln marginal); with alpha 0 all actions that are possible at all are equally likely. */
function sharpened(logMarginal: readonly number[], alpha: number): number[] {
  const sharp = Float64Array.from(logMarginal, value => (value === -Infinity ? value : alpha * value));
  const norm = logSumExp(sharp);
  return Array.from(sharp, value => Math.exp(value - norm));
}
