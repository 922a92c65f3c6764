import { describe, expect, it } from '@jest/globals';
import { type BusClient, problem } from '@svc/platform';
import type { ProofStore } from '../proofs/proof-store.js';
import { JobSettlement } from './job-settlement.js';
import { type JobEvent, QUEUED, transition } from './job-state.js';
import type { JobOrders } from './job-orders.js';
import type { StoredJob } from './job-rows.js';

const CLAIM = { claimId: 'claim', attempt: 2, receipt: '', canBeGivenUp: true };
const BEGUN: JobEvent = { type: 'begun', run: 0 };
const FAILURE = problem('INTERNAL', 'broken').payload;

/** A job after what has happened to it. */
function jobAfter(...events: JobEvent[]): StoredJob {
  const createdAt = new Date();
  let job: StoredJob = {
    ...{ ...QUEUED, jobId: 'job', operationId: 'zk.prove', claim: CLAIM, turnSubject: '', createdAt },
    isForsaken: false,
  };
  for (const event of events) {
    job = { ...job, ...transition(job, event) };
    if (job.state === 'running') job = { ...job, startedAt: createdAt };
  }
  return job;
}

describe('a payment that a job gives back', () => {
  it.each<[string, JobEvent[], boolean, string]>([
    ['was given up', [BEGUN, { type: 'cancel-requested' }, { type: 'cancelled', run: 1 }], true, 'cancelled'],
    [
      'was given up, also where the process died at it',
      [BEGUN, { type: 'cancel-requested' }, { type: 'lease-lapsed' }],
      true,
      'cancelled',
    ],
    ['was not given up before the job began', [{ type: 'cancel-requested' }], false, 'cancelled'],
    [
      'was not given up by a failure',
      [BEGUN, { type: 'failed', run: 1, problem: FAILURE }],
      false,
      'INTERNAL',
    ],
    [
      'was not given up by deaths',
      [0, 1, 2].flatMap((run): JobEvent[] => [{ type: 'begun', run }, { type: 'lease-lapsed' }]),
      false,
      'INTERNAL',
    ],
  ])('%s', async (_name, events, givenUp, reason) => {
    const calls: unknown[] = [];
    const bus = {
      call: (_procedure: unknown, request: unknown) => {
        calls.push(request);
        return Promise.resolve({ released: true });
      },
    } as unknown as BusClient;
    const settlement = new JobSettlement(bus, {} as ProofStore, {} as JobOrders);
    expect(await settlement.settle(jobAfter(...events))).toBe('returned');
    expect(calls).toEqual([{ claimId: 'claim', attempt: 2, reason, givenUp }]);
  });
});
