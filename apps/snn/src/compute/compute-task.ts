import type { InferenceReply } from '@svc/contracts';
import type { BranchingRatio, GenerativeModel, ParcelInput } from '@svc/inference';
import type { GraphProblem, GraphSolution } from '@svc/spiking-graph';
import type { SpikingResult } from '@svc/spiking';

/** A graph as it was read: its edges lie in shared memory, so that threads hand it on without a copy. */
export interface ReadGraph {
  readonly problem: GraphProblem;
  /** SHA-256 of the canonical JSON of the request. */
  readonly requestDigest: Uint8Array;
  /** Seconds of one core that its solution takes at most, roughly. */
  readonly seconds: number;
}

/** A model of active inference as it was read. */
export interface ReadModel {
  readonly model: GenerativeModel;
  /** SHA-256 of the canonical JSON of the request, its defaults filled in. */
  readonly requestDigest: Uint8Array;
  /** Milliseconds that the inference is expected to take, beside its request. */
  readonly workUnits: number;
}

/** What of a parcel's evaluation is answered. */
export interface ParcelAnswer {
  readonly variationalFreeEnergy: number;
  readonly homeostaticStatus: string;
  readonly optimalTrajectory: number[];
  readonly adaptingUpTo: number;
  readonly samples: number;
  readonly negLogEvidence: number;
}

/** What a thread computes, by its name: what goes in, and what comes out. */
export interface ComputeTasks {
  readonly readGraph: { input: { packed: Uint8Array }; output: ReadGraph };
  readonly solveGraph: { input: GraphProblem; output: GraphSolution & { readonly solveMs: number } };
  readonly readModel: { input: { packed: Uint8Array }; output: ReadModel };
  readonly infer: { input: ReadModel; output: InferenceReply };
  readonly parcel: { input: ParcelInput; output: ParcelAnswer };
  readonly branchingRatio: {
    input: { spikes: Float64Array; binMs: number; seed: number };
    output: BranchingRatio;
  };
  readonly draw: { input: DrawnRun; output: { raster?: string; rates: string } };
}

/** What the pictures of a run show. */
export interface DrawnRun extends Pick<SpikingResult, 'populationRate' | 'rateHistogram' | 'meanRateHz'> {
  /** Neuron and step of each spike of the raster, one after the other: objects would take long to hand over. */
  readonly spikes: Int32Array;
  readonly rasterTruncated: boolean;
  readonly rasterNeurons: number;
  readonly neuronCount: number;
  readonly iterations: number;
  readonly dtMs: number;
}

export type ComputeKind = keyof ComputeTasks;
export type InputOf<Kind extends ComputeKind> = ComputeTasks[Kind]['input'];
export type OutputOf<Kind extends ComputeKind> = ComputeTasks[Kind]['output'];
