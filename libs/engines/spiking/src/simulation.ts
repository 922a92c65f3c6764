/** Plasticity of the excitatory synapses. */
export interface Plasticity {
  /** `stdp-nn`: nearest-neighbour symmetric pairs (Morrison, Diesmann & Gerstner 2008, figure 7A); `stdp-all`: all pairs. */
  readonly rule: 'stdp-nn' | 'stdp-all';
  /** Potentiation and depression of a pair without distance in time, shares of `wMaxMv`, 0 … 1. */
  readonly aPlus: number;
  readonly aMinus: number;
  readonly tauPlusMs: number;
  readonly tauMinusMs: number;
  /** Greatest weight, mV; the least is 0. */
  readonly wMaxMv: number;
}

/** A network of current-based leaky integrate-and-fire neurons (Vogels & Abbott 2005; Brette et al. 2007, benchmark 2). */
export interface SpikingNetwork {
  /** 80 % of them, the first, are excitatory. */
  readonly neuronCount: number;
  /** Synapses of each neuron. */
  readonly outDegree: number;
  readonly dtMs: number;
  readonly delayMs: number;
  /** 0 … 2^32 − 1: decides connectivity, initial potentials and the rounding of weights. */
  readonly seed: number;
  /** Absent: the weights stay. */
  readonly plasticity?: Plasticity;
}

/** What of a run is kept beside its sums. */
export interface Recording {
  /** Neurons of which each spike is kept: evenly spread, `floor(k · neuronCount / rasterNeurons)`. */
  readonly rasterNeurons: number;
  /** Bins of the histogram of the neurons' rates. */
  readonly rateHistogramBins: number;
  /** Width of the bins of the population's rate, ms; at least one step. */
  readonly binMs: number;
}

/** How long a network runs, and what of it is told. */
export interface SpikingRun {
  /** Steps that are counted, recorded and timed. */
  readonly iterations: number;
  /** Steps before them. */
  readonly warmupSteps: number;
  readonly recording: Recording;
}

/** Where the targets of synapses come from: computed at each spike, or kept in memory. The network is the same. */
export type Connectivity = 'procedural' | 'stored';

/** How a run is done; nothing of it changes what comes out. */
export interface RunOptions {
  readonly connectivity: Connectivity;
  readonly threads: number;
  /** 0 … 19: how readily the threads leave the cores to others, on Linux. */
  readonly niceness?: number;
  /** Ends the run within some tens of milliseconds; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told about ten times a second: steps that are behind, of warm-up and iterations together. */
  readonly onProgress?: (stepsDone: number, stepCount: number) => void;
}

/** One spike of a recorded neuron; the step counts from the end of the warm-up. */
export interface RasterSpike {
  readonly neuron: number;
  readonly stepIndex: number;
}

/** What a run came to. All but the times, the bytes and the adapter is a function of network and run alone. */
export interface SpikingResult {
  /** Distinct neurons that spiked. */
  readonly activeNeurons: number;
  readonly spikeCount: number;
  /** Spikes that reached a synapse. */
  readonly synapticEvents: number;
  readonly meanRateHz: number;
  /** Neurons by their own mean rate: bin k is [k, k + 1) · `binHz`, a whole number of spikes wide; all of them fit. */
  readonly rateHistogram: { readonly binHz: number; readonly counts: readonly number[] };
  /** Mean rate of the whole population in bins of `binMs`, the last one possibly shorter, Hz. */
  readonly populationRate: { readonly binMs: number; readonly ratesHz: readonly number[] };
  /** Ordered by step, then neuron; at most {@link RASTER_SPIKES_MAX}. */
  readonly raster: readonly RasterSpike[];
  readonly rasterTruncated: boolean;
  /**
   * `0x` and 16 hexadecimal digits over potentials, currents and plastic weights at the end: one for
   * reference and WASM, whatever the threads. A WebGPU run's begins with `webgpu:` and is its own.
   */
  readonly stateHash: string;
  /**
   * Mean and standard deviation of the plastic weights at the end, mV; and the arrivals that may have missed
   * spikes, since the neuron behind the synapse had more than 16 after the arrival before.
   */
  readonly weights?: { readonly meanMv: number; readonly sdMv: number; readonly truncatedHistories: number };
  readonly buildMs: number;
  /** Wall time of the iterations: without building, warm-up and what is read out after them. */
  readonly loopMs: number;
  /** Wall time of a step, a value for each block of steps between two barriers, ms. */
  readonly stepMs: Float64Array;
  /** Bytes really allocated for the run. */
  readonly bytesAllocated: number;
  /** Threads that ran it. */
  readonly threads: number;
  /** Of a GPU. */
  readonly adapter?: string;
}

/** Spikes that a raster holds at most. */
export const RASTER_SPIKES_MAX = 100_000;
