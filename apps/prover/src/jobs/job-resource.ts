import type { ProofJob } from '@svc/contracts';
import { progressOf, type StoredJob } from './job-rows.js';

/** A job as whoever has its id sees it. */
export function resourceOf(job: StoredJob): ProofJob {
  const { code, detail, errors, extensions = {} } = job.problem ?? {};
  const { reason, row, constraint, column } = extensions as Partial<NonNullable<ProofJob['problem']>>;
  const payment = job.payment === 'delivery-due' || job.payment === 'return-due' ? 'held' : job.payment;
  return {
    jobId: job.jobId,
    operationId: job.operationId,
    state: job.state,
    ...progressOf(job),
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString(),
    endedAt: job.endedAt?.toISOString(),
    payment,
    proofId: job.proofId,
    result: job.result as ProofJob['result'],
    ...(code === undefined
      ? {}
      : { problem: { code, detail: detail!, errors, reason, row, constraint, column } }),
  };
}
