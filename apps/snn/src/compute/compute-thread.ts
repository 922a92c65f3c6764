import type { InferenceReply, ProblemPayload } from '@svc/contracts';
import {
  branchingRatio,
  evaluateParcel,
  inferFrom,
  type ParcelInput,
  readGenerativeModel,
} from '@svc/inference';
import { rasterSvg, ratesSvg } from '@svc/spiking';
import { answerTasks } from '@svc/spiking/node';
import { checkGraph, estimateSeconds, type GraphProblem, solveGraph } from '@svc/spiking-graph';
import { readGraphRequest } from '../graph/graph-request.js';
import { readInferenceRequest } from '../inference/inference-request.js';
import { unitsOfInference } from '../inference/inference-work.js';
import type {
  ComputeKind,
  DrawnRun,
  InputOf,
  OutputOf,
  ParcelAnswer,
  ReadGraph,
  ReadModel,
} from './compute-task.js';
import { inputProblemOf } from './input-problem.js';
import { digestOf } from './request-faults.js';

/** A task on its way to a thread. */
export interface ComputeOrder {
  readonly kind: ComputeKind;
  readonly input: unknown;
}

/** What came out, or what is wrong with the input. */
export type ComputeReply = { readonly output: unknown } | { readonly problem: ProblemPayload };

/** Says what share of its task is done. */
type TellShare = (share: number) => void;

/** One thread of ComputeThreads: a task after the other. */
const TASKS: { [Kind in ComputeKind]: (input: InputOf<Kind>, tell: TellShare) => OutputOf<Kind> } = {
  readGraph: ({ packed }) => readGraph(packed),
  solveGraph: (problem, tell) => solve(problem, tell),
  readModel: ({ packed }) => readModel(packed),
  infer: read => infer(read),
  parcel: input => parcel(input),
  branchingRatio: ({ spikes, binMs, seed }) => branchingRatio(spikes, { dtMs: binMs, binMs, seed }),
  draw: run => draw(run),
};

answerTasks<ComputeOrder, ComputeReply, number>(({ kind, input }, tell) => {
  try {
    return { output: TASKS[kind](input as never, tell) };
  } catch (error) {
    const payload = inputProblemOf(error);
    // Anything else ends the thread, and its caller learns that it was lost.
    if (!payload) throw error;
    return { problem: payload };
  }
});

function readGraph(packed: Uint8Array): ReadGraph {
  const { problem, requestDigest } = readGraphRequest(packed);
  checkGraph(problem);
  return { problem, requestDigest, seconds: estimateSeconds(problem) };
}

function solve(problem: GraphProblem, tell: TellShare): OutputOf<'solveGraph'> {
  const startedAt = performance.now();
  const solution = solveGraph(problem, {
    onProgress: (done, total) => tell(total > 0 ? done / total : 0),
  });
  return { ...solution, solveMs: performance.now() - startedAt };
}

function readModel(packed: Uint8Array): ReadModel {
  const request = readInferenceRequest(packed);
  const model = readGenerativeModel(request);
  return { model, requestDigest: digestOf(request), workUnits: unitsOfInference(model) };
}

function infer({ model, requestDigest }: ReadModel): InferenceReply {
  const { qs, F, negEFE, qPi, actionMarginal, actionProbabilities, action } = inferFrom(model);
  const { utility, infoGain, total } = negEFE;
  return {
    qs: [...qs],
    F,
    negEFE: { utility: [...utility], infoGain: [...infoGain], total: [...total] },
    qPi: [...qPi],
    policies: policiesOf(model.actions, model.policyLength),
    actionMarginal: [...actionMarginal],
    actionProbabilities: [...actionProbabilities],
    action,
    requestDigest,
  };
}

/** All sequences of actions, the first action counting slowest: the order of every list over policies. */
function policiesOf(actions: number, length: number): number[][] {
  return Array.from({ length: actions ** length }, (_, policy) =>
    Array.from({ length }, (_, step) => Math.floor(policy / actions ** (length - 1 - step)) % actions),
  );
}

function parcel(input: ParcelInput): ParcelAnswer {
  const { optimalTrajectoryM, ...evaluation } = evaluateParcel(input);
  const { variationalFreeEnergy, homeostaticStatus, adaptingUpTo, samples, negLogEvidence } = evaluation;
  return {
    ...{ variationalFreeEnergy, homeostaticStatus, adaptingUpTo, samples, negLogEvidence },
    optimalTrajectory: Array.from(optimalTrajectoryM),
  };
}

function draw({ spikes, ...run }: DrawnRun): OutputOf<'draw'> {
  const raster = Array.from({ length: spikes.length / 2 }, (_, at) => ({
    neuron: spikes[2 * at],
    stepIndex: spikes[2 * at + 1],
  }));
  return {
    ...(run.rasterNeurons > 0 ? { raster: rasterSvg({ ...run, raster }) } : {}),
    rates: ratesSvg(run),
  };
}
