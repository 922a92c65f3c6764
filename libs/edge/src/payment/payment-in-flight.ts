import {
  ClaimHandle,
  departmentsRoutes,
  departmentTaskContract,
  proofJobContract,
  starkRoutes,
} from '@svc/contracts';
import { type BusClient, type ProblemError, problem } from '@svc/platform';
import type { FastifyReply } from 'fastify';

/** Work that goes on by itself and has taken a payment over. */
export interface HoldingWork {
  /** Path at which it is asked for, and cancelled. */
  readonly path: string;
  /** Members of the problem that name it. */
  readonly named: Readonly<Record<string, string>>;
}

/** Asks for the work that holds a claim; undefined where there is none. */
export type WorkOfClaim = (bus: BusClient, claim: ClaimHandle) => Promise<HoldingWork | undefined>;

/** Where a job is asked for. */
export const jobPathOf = (jobId: string): string => starkRoutes.job.path.replace(':jobId', jobId);

/** Where a task is asked for. */
export const taskPathOf = (deptId: string, taskId: string): string =>
  departmentsRoutes.task.path.replace(':deptId', deptId).replace(':taskId', taskId);

/** The proof job that holds a claim. */
export const jobOfClaim: WorkOfClaim = async (bus, claim) => {
  const { jobId } = await bus.call(proofJobContract.jobOfClaim, claim);
  return jobId === undefined ? undefined : { path: jobPathOf(jobId), named: { jobId } };
};

/** The task of a desk that holds a claim. */
export const taskOfClaim: WorkOfClaim = async (bus, claim) => {
  const { deptId, taskId } = await bus.call(departmentTaskContract.taskOfClaim, claim);
  if (deptId === undefined || taskId === undefined) return undefined;
  return { path: taskPathOf(deptId, taskId), named: { deptId, taskId } };
};

/**
 * The refusal of a payment that is in flight, naming the work that holds it, where some does: whoever lost the 202 can
 * follow and cancel it. The caller has shown the credential and the very request by then. Where the work cannot be
 * asked for now, the refusal goes without.
 */
export async function inFlight(
  refusal: ProblemError,
  workOfClaim: WorkOfClaim | undefined,
  bus: BusClient,
  reply: FastifyReply,
): Promise<ProblemError> {
  const { extensions, ...payload } = refusal.payload;
  // Which claim it is is nothing that leaves this house.
  const claim = ClaimHandle.safeParse(extensions).data;
  const work = claim && workOfClaim && (await workOfClaim(bus, claim).catch(() => undefined));
  if (work === undefined) return problem(payload.code, payload.detail, payload);
  reply.header('Location', work.path);
  return problem(payload.code, payload.detail, { ...payload, extensions: { ...work.named } });
}
