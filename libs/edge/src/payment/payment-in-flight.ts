import { ClaimHandle, type proofJobContract, starkRoutes } from '@svc/contracts';
import { type BusClient, type ProblemError, problem } from '@svc/platform';
import type { FastifyReply } from 'fastify';

/** Where a job is asked for. */
export const jobPathOf = (jobId: string): string => starkRoutes.job.path.replace(':jobId', jobId);

/**
 * The refusal of a payment that is in flight, naming the job that holds it, where one does: whoever lost the 202 can
 * follow and cancel it. The caller has shown the credential and the very request by then. Where the job cannot be
 * asked for now, the refusal goes without.
 */
export async function inFlight(
  refusal: ProblemError,
  jobOfClaim: typeof proofJobContract.jobOfClaim | undefined,
  bus: BusClient,
  reply: FastifyReply,
): Promise<ProblemError> {
  const { extensions, ...payload } = refusal.payload;
  // Which claim it is is nothing that leaves this house.
  const claim = ClaimHandle.safeParse(extensions).data;
  const job = claim && jobOfClaim && (await bus.call(jobOfClaim, claim).catch(() => undefined));
  if (job?.jobId === undefined) return problem(payload.code, payload.detail, payload);
  reply.header('Location', jobPathOf(job.jobId));
  return problem(payload.code, payload.detail, { ...payload, extensions: { jobId: job.jobId } });
}
