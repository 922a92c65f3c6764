import { Body, Controller, Headers, Req, Res } from '@nestjs/common';
import {
  type ActiveInferenceResult,
  snnContract,
  type SnnEstimate,
  SnnRequest,
  type SnnResult,
  snnRoutes,
  type SolveGraphResult,
} from '@svc/contracts';
import {
  type Admission,
  Endpoint,
  Metered,
  type MeteredCall,
  MeteredCallOf,
  PackedBody,
  prefersAsync,
  taskOfClaim,
  TaskSale,
  workOfAdmitted,
} from '@svc/edge';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { refuseAsTask } from './graph-task.js';
import { SnnCalls } from './snn-calls.js';

const { solve, solveGraph, activeInference } = snnRoutes;
const DESK = 'neuro';

/** The service reads it, and says what is wrong with it. */
const UnreadBody = z.custom<PackedBody>(value => value instanceof PackedBody, {
  error: 'must be a JSON object',
});

const modeOf = (request: FastifyRequest) =>
  prefersAsync(request.headers.prefer as string | undefined) ? 'task' : 'sync';

const admitSolve: Admission = (bus, body, request) =>
  bus.call(snnContract.admitSolve, { request: body as SnnRequest, mode: modeOf(request) });

const admitGraph: Admission = async (bus, body, request) => {
  const mode = modeOf(request);
  if (mode === 'task') refuseAsTask(body as PackedBody);
  return bus.call(snnContract.admitGraph, { graph: (body as PackedBody).deflated, mode });
};

/** What inferences are expected to take, as it was said when they were admitted. */
const unitsOfInference = new WeakMap<PackedBody, number>();

const admitInference: Admission = async (bus, body) => {
  const model = body as PackedBody;
  const admitted = await bus.call(snnContract.admitInference, { model: model.deflated });
  unitsOfInference.set(model, admitted.workUnits);
  return admitted;
};

/** What a run, or a solution, is expected to take, beside what every call does. */
const workOfRun = (admitted: unknown) => RUN_UNITS + 1_000 * (admitted as { seconds: number }).seconds;
const RUN_UNITS = 20;

/**
 * Spiking networks and active inference: within the month's requests for nothing, beyond them sold. Bodies are validated by
 * the payment guard, which has to see them before any money.
 */
@Controller()
export class SnnHttpController {
  constructor(
    private readonly calls: SnnCalls,
    private readonly sale: TaskSale,
  ) {}

  @Endpoint(solve)
  @Metered({
    operationId: solve.operationId,
    body: SnnRequest,
    admit: admitSolve,
    workOf: workOfRun,
    isFree: body => (body as SnnRequest).dryRun,
    workOfClaim: taskOfClaim,
  })
  async solve(
    @Body() body: SnnRequest,
    @Headers('prefer') prefer: string | undefined,
    @MeteredCallOf() call: MeteredCall,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SnnResult | SnnEstimate | Deferred> {
    if (body.dryRun) return this.calls.estimate(body);
    if (!prefersAsync(prefer)) return this.calls.solve(body, call);
    const task = { capability: solve.operationId, task: body, priority: 'normal' as const };
    return this.sale.defer({ deptId: DESK, request, reply, prefer }, task, call);
  }

  @Endpoint(solveGraph)
  @Metered({
    operationId: solveGraph.operationId,
    body: UnreadBody,
    admit: admitGraph,
    workOf: workOfRun,
    workOfClaim: taskOfClaim,
  })
  async solveGraph(
    @Body() body: PackedBody,
    @Headers('prefer') prefer: string | undefined,
    @MeteredCallOf() call: MeteredCall,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SolveGraphResult | Deferred> {
    if (!prefersAsync(prefer)) return this.calls.solveGraph(body, call);
    refuseAsTask(body);
    const task = { capability: solveGraph.operationId, task: {}, priority: 'normal' as const };
    const given = { deptId: DESK, request, reply, prefer, packedTask: body.deflated } as const;
    return this.sale.defer(given, task, call);
  }

  @Endpoint(activeInference)
  @Metered({
    operationId: activeInference.operationId,
    body: UnreadBody,
    admit: admitInference,
    workOf: workOfAdmitted,
  })
  activeInference(
    @Body() body: PackedBody,
    @MeteredCallOf() call: MeteredCall,
  ): Promise<ActiveInferenceResult> {
    return this.calls.infer(body, call, unitsOfInference.get(body));
  }
}

type Deferred = Awaited<ReturnType<TaskSale['defer']>>;
