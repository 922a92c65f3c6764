import { Controller, Module } from '@nestjs/common';
import { type ParsedRequestOf, type ReplyOf, snnContract } from '@svc/contracts';
import { Handle, problem } from '@svc/platform';
import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';

type Solve = ParsedRequestOf<typeof snnContract.solve>;
type Graph = Record<string, unknown>;

/** What the service of networks and inference is to do, and what it was asked. */
export class SnnScript {
  readonly admitted: ParsedRequestOf<typeof snnContract.admitSolve>[] = [];
  readonly solved: Solve[] = [];
  readonly graphs: Graph[] = [];
  /** Those graphs as they came. */
  readonly packed: Uint8Array[] = [];
  readonly cancelled: string[] = [];
  /** Calls whose progress was asked for. */
  readonly followed = new Set<string>();
  /** Runs before an admission: throws what it refuses. */
  beforeAdmission: () => Promise<void> = async () => undefined;
  /** Runs before each computation: waits, or throws. */
  beforeWork: (callId: string) => Promise<void> = async () => undefined;
}

/** The service's end of what tasks ask of it. */
export function snnStandIn(script: SnnScript) {
  @Module({ controllers: [simulations(script), graphs(script), inferences(script), calls(script)] })
  class SnnStandInModule {}
  return SnnStandInModule;
}

function simulations(script: SnnScript) {
  @Controller()
  class Simulations {
    @Handle(snnContract.admitSolve)
    async admitSolve(
      call: ParsedRequestOf<typeof snnContract.admitSolve>,
    ): Promise<ReplyOf<typeof snnContract.admitSolve>> {
      await script.beforeAdmission();
      script.admitted.push(call);
      return {
        ...{ memoryMb: 1, memoryKind: 'host', backend: 'wasm', connectivity: 'procedural' },
        ...{ threads: 1, synapses: 80, seconds: 1, waitMs: 0 },
      };
    }

    @Handle(snnContract.solve)
    async solve(call: Solve): Promise<ReplyOf<typeof snnContract.solve>> {
      script.solved.push(call);
      await script.beforeWork(call.callId!);
      return simulationOf(call.request);
    }
  }
  return Simulations;
}

function graphs(script: SnnScript) {
  @Controller()
  class Graphs {
    @Handle(snnContract.admitGraph)
    async admitGraph({ graph }: ParsedRequestOf<typeof snnContract.admitGraph>) {
      await script.beforeAdmission();
      read(graph);
      return { seconds: 0.01, waitMs: 0 };
    }

    @Handle(snnContract.solveGraph)
    async solveGraph({
      graph,
      callId,
    }: ParsedRequestOf<typeof snnContract.solveGraph>): Promise<ReplyOf<typeof snnContract.solveGraph>> {
      script.graphs.push(read(graph));
      script.packed.push(graph);
      await script.beforeWork(callId!);
      const requestDigest = createHash('sha256').update(inflateRawSync(graph)).digest();
      return {
        ...{ problem: 'sssp', exact: true, objective: 5, solution: [0, 2, 5], path: [0, 1, 2] },
        ...{ spikes: 3, events: 2, simSteps: 5, valid: true, solveMs: 0.1, requestDigest },
      };
    }
  }
  return Graphs;
}

function inferences(script: SnnScript) {
  @Controller()
  class Inferences {
    @Handle(snnContract.admitInference)
    async admitInference(): Promise<ReplyOf<typeof snnContract.admitInference>> {
      await script.beforeAdmission();
      return { workUnits: 0 };
    }

    @Handle(snnContract.infer)
    async infer({
      model,
      callId,
    }: ParsedRequestOf<typeof snnContract.infer>): Promise<ReplyOf<typeof snnContract.infer>> {
      await script.beforeWork(callId!);
      return {
        ...{ qs: [1], F: 0, negEFE: { utility: [0], infoGain: [0], total: [0] }, qPi: [1], policies: [[0]] },
        ...{ actionMarginal: [1], actionProbabilities: [1], action: 0 },
        requestDigest: createHash('sha256').update(inflateRawSync(model)).digest(),
      };
    }
  }
  return Inferences;
}

function calls(script: SnnScript) {
  @Controller()
  class Calls {
    @Handle(snnContract.cancelCall)
    cancelCall({ callId }: ParsedRequestOf<typeof snnContract.cancelCall>) {
      script.cancelled.push(callId);
      return { cancelled: true };
    }

    @Handle(snnContract.callProgress)
    callProgress({ callId, afterSeq }: ParsedRequestOf<typeof snnContract.callProgress>) {
      script.followed.add(callId);
      return afterSeq === 0
        ? { seq: 1, progress: 0.25, stage: 'simulate', ended: false }
        : { seq: 2, progress: 0.75, stage: 'simulate', ended: false };
    }
  }
  return Calls;
}

function read(graph: Uint8Array): Graph {
  const found = JSON.parse(inflateRawSync(graph).toString('utf8')) as Graph;
  if (found.problem !== 'sssp') {
    const errors = [{ path: 'problem', message: 'is none of this house', got: found.problem }];
    throw problem('VALIDATION_FAILED', 'problem: is none of this house', { errors });
  }
  return found;
}

/** What a network of the request would be told as. */
function simulationOf({ neuronCount, iterations, seed = 7 }: Solve['request']) {
  return {
    ...{ activeNeurons: 1, spikeCount: 1, framerateFps: 1_000, vramConsumedMb: 1, meanRateHz: 5 },
    ...{ rateHistogram: { binHz: 1, counts: [neuronCount] }, populationRate: { binMs: 4, ratesHz: [5] } },
    ...{ buildMs: 1, stepMs: { p50: 1, p95: 1 }, realTimeFactor: 1, synapticEvents: 80 },
    ...{ memoryKind: 'host' as const, backend: 'wasm' as const, connectivity: 'procedural' as const },
    ...{ threads: 1, iterations, neuronCount, stateHash: `0x${'0'.repeat(16)}`, seed },
  };
}
