import { expect } from '@jest/globals';
import { Controller, type Type } from '@nestjs/common';
import {
  type departmentTaskContract as DepartmentTasks,
  departmentTaskContract,
  type GraphReply,
  type InferenceReply,
  type ParsedRequestOf,
  type SimulationReply,
  type SnnAdmission,
  snnContract,
  type Task,
} from '@svc/contracts';
import { currentTurn, Handle } from '@svc/platform';
import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';

type Contract = typeof snnContract;
type Submitted = ParsedRequestOf<typeof DepartmentTasks.submitTask>;

/** What the service of spiking networks and the neuro desk do to one request after another. */
export interface SnnScript {
  /** Problems that admission refuses with, one after another. */
  admitFaults: Error[];
  /** Seconds that a run or a graph is expected to take, as its admission says. */
  seconds: number;
  /** What admission says that an inference takes. */
  workUnits: number;
  /** Runs before each answer: waits, or throws. */
  before: () => Promise<void>;
  /** What admission says instead of an estimate, where it refuses. */
  refusal?: Error | undefined;
  readonly admitted: { verb: string; mode?: string; standing?: string }[];
  readonly solved: ParsedRequestOf<Contract['solve']>[];
  readonly graphs: { text: string; callId?: string }[];
  readonly inferred: { text: string; callId?: string }[];
  readonly cancelled: string[];
  /** Problems that a task is refused with. */
  submitFaults: Error[];
  /** Waited for before a task is said to have ended. */
  taskEnds: () => Promise<void>;
  /** What a task has become by the time it is asked for. */
  taskBecomes: Partial<Task>;
  readonly submitted: Submitted[];
}

const ADMISSION: SnnAdmission = {
  ...{ memoryMb: 12, memoryKind: 'host', backend: 'wasm', connectivity: 'procedural', threads: 1 },
  ...{ synapses: 8_000, seconds: 0.25, waitMs: 7 },
};

/** A service and a desk that do what a script says. */
export function scriptedSnn() {
  const script: SnnScript = {
    ...{ admitFaults: [], admitted: [], solved: [], graphs: [], inferred: [], cancelled: [] },
    ...{ submitFaults: [], submitted: [], taskBecomes: {} },
    workUnits: 0,
    ...{ seconds: ADMISSION.seconds, before: async () => undefined, taskEnds: async () => undefined },
  };
  return { script, controllers: [snnOf(script)], deskControllers: [deskOf(script)] };
}

function snnOf(script: SnnScript): Type {
  const admit = (verb: string, mode?: string) => {
    script.admitted.push({ verb, standing: currentTurn()?.standing, ...(mode && { mode }) });
    const fault = script.admitFaults.shift();
    if (fault) throw fault;
  };
  @Controller()
  class SnnUnderTest {
    @Handle(snnContract.admitSolve)
    admitSolve({ mode }: ParsedRequestOf<Contract['admitSolve']>): SnnAdmission {
      if (script.refusal) throw script.refusal;
      admit('solve', mode);
      return { ...ADMISSION, seconds: script.seconds };
    }

    @Handle(snnContract.solve)
    async solve(call: ParsedRequestOf<Contract['solve']>): Promise<SimulationReply> {
      script.solved.push(call);
      await script.before();
      return { ...SIMULATED, neuronCount: call.request.neuronCount, seed: script.solved.length };
    }

    @Handle(snnContract.admitGraph)
    admitGraph({ mode }: ParsedRequestOf<Contract['admitGraph']>) {
      admit('graph', mode);
      return { seconds: script.seconds, waitMs: 0 };
    }

    @Handle(snnContract.solveGraph)
    async solveGraph({ graph, callId }: ParsedRequestOf<Contract['solveGraph']>): Promise<GraphReply> {
      const text = inflateRawSync(graph).toString('utf8');
      script.graphs.push({ text, callId });
      await script.before();
      return { ...SOLVED, requestDigest: READ };
    }

    @Handle(snnContract.admitInference)
    admitInference() {
      admit('inference');
      return { workUnits: script.workUnits };
    }

    @Handle(snnContract.infer)
    async infer({ model, callId }: ParsedRequestOf<Contract['infer']>): Promise<InferenceReply> {
      script.inferred.push({ text: inflateRawSync(model).toString('utf8'), callId });
      await script.before();
      return { ...INFERRED, requestDigest: READ };
    }

    @Handle(snnContract.cancelCall)
    cancelCall({ callId }: ParsedRequestOf<Contract['cancelCall']>) {
      script.cancelled.push(callId);
      return { cancelled: true };
    }
  }
  return SnnUnderTest;
}

/** An order whose inputs the desk's service has read. */
function unpacked(order: Submitted): Submitted {
  if (!order.packedTask) return order;
  expect(order.request.task).toEqual({});
  const task = JSON.parse(inflateRawSync(order.packedTask).toString('utf8')) as Record<string, unknown>;
  return { ...order, request: { ...order.request, task } };
}

function deskOf(script: SnnScript): Type {
  const tasks = new Map<string, Task>();
  @Controller()
  class DeskUnderTest {
    @Handle(departmentTaskContract.submitTask)
    submitTask(order: ParsedRequestOf<typeof departmentTaskContract.submitTask>): Task {
      script.submitted.push(unpacked(order));
      const fault = script.submitFaults.shift();
      if (fault) throw fault;
      const { taskId, deptId, request } = order;
      const task: Task = {
        ...{ taskId, deptId, capability: request.capability!, status: 'QUEUED', priority: 'normal' },
        ...{ payment: 'held', createdAt: '2026-04-02T00:00:00.000Z' },
      };
      tasks.set(taskId, task);
      return task;
    }

    @Handle(departmentTaskContract.task)
    task({ taskId }: { taskId: string }): Task {
      return { ...tasks.get(taskId)!, ...script.taskBecomes };
    }

    @Handle(departmentTaskContract.taskEvents)
    async taskEvents() {
      await script.taskEnds();
      return { events: [], ended: true };
    }

    @Handle(departmentTaskContract.cancelTask)
    cancelTask({ taskId }: { taskId: string }): Task {
      script.cancelled.push(taskId);
      return { ...tasks.get(taskId)!, status: 'CANCELLED' };
    }
  }
  return DeskUnderTest;
}

/** The digest of a request, as the service has read it. */
const READ = createHash('sha256').update('as the service has read it').digest();
const SIMULATED: SimulationReply = {
  ...{ activeNeurons: 3, spikeCount: 4, framerateFps: 5, vramConsumedMb: 1, meanRateHz: 6 },
  rateHistogram: { binHz: 1, counts: [1] },
  populationRate: { binMs: 4, ratesHz: [6] },
  ...{ buildMs: 1, stepMs: { p50: 1, p95: 1 }, realTimeFactor: 1, synapticEvents: 1, memoryKind: 'host' },
  ...{ backend: 'wasm', connectivity: 'procedural', threads: 1, iterations: 1, neuronCount: 1 },
  ...{ stateHash: '0x00000000000000ff', seed: 1 },
};
const SOLVED: Omit<GraphReply, 'requestDigest'> = {
  ...{ problem: 'sssp', exact: true, objective: 5, solution: [0, 2, 5], path: [0, 1, 2], spikes: 3 },
  ...{ events: 2, simSteps: 5, valid: true, solveMs: 1 },
};
const INFERRED: Omit<InferenceReply, 'requestDigest'> = {
  ...{ qs: [1], F: 0, negEFE: { utility: [0], infoGain: [0], total: [0] }, qPi: [1] },
  ...{ policies: [[0]], actionMarginal: [1], actionProbabilities: [1], action: 0 },
};
