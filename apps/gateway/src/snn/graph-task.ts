import { departmentsRoutes } from '@svc/contracts';
import type { PackedBody } from '@svc/edge';
import { problem } from '@svc/platform';

/** Bytes of a request that becomes a task: a desk keeps what its tasks are given. */
export const GRAPH_TASK_BYTES_MAX = departmentsRoutes.submit.bodyBytesMax;

/** @throws ProblemError BODY_TOO_LARGE */
export function refuseAsTask({ sizeBytes }: PackedBody): void {
  if (sizeBytes <= GRAPH_TASK_BYTES_MAX) return;
  const detail = `A graph of ${sizeBytes} bytes cannot be a task, which takes ${GRAPH_TASK_BYTES_MAX} at most: ask for it without respond-async`;
  throw problem('BODY_TOO_LARGE', detail, {
    errors: [{ path: '', message: 'too large for a task', bound: GRAPH_TASK_BYTES_MAX, got: sizeBytes }],
  });
}
