import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ProofJobClaim } from '@svc/contracts';
import { createLogger, type ServiceEnvironment } from '@svc/platform';
import type { ProveService } from '../prove/prove.service.js';
import type { StarkProveService } from '../prove/stark-prove.service.js';
import { JobService } from './job.service.js';
import type { JobSettlement } from './job-settlement.js';
import { type JobEvent, QUEUED, transition } from './job-state.js';
import type { JobStore, StoredJob } from './job-store.js';

const REQUEST = { traceData: 'x', degree: 64, friBlowup: 8 };
const claimOf = (claimId: string): ProofJobClaim => ({
  ...{ claimId, attempt: 1, receipt: '', canBeGivenUp: true },
});

/** The table of jobs, which can be away. */
class Jobs {
  readonly rows = new Map<string, StoredJob>();
  awayTimes = 0;
  /** Resolves what `create` waits for. */
  recording: Promise<void> = Promise.resolve();

  async create(jobId: string, operationId: string, claim: ProofJobClaim): Promise<boolean> {
    await this.recording;
    this.rows.set(jobId, {
      ...{ ...QUEUED, jobId, operationId, claim, createdAt: new Date(), isForsaken: false },
    });
    return true;
  }

  find(jobId: string): Promise<StoredJob> {
    return Promise.resolve(this.rows.get(jobId)!);
  }

  apply(jobId: string, event: JobEvent): Promise<StoredJob | undefined> {
    if ((event.type === 'failed' || event.type === 'cancelled') && this.awayTimes-- > 0) {
      return Promise.reject(new Error('the database is away'));
    }
    const job = this.rows.get(jobId)!;
    const next = transition(job, event);
    if (next) this.rows.set(jobId, { ...job, ...next });
    return Promise.resolve(next && this.rows.get(jobId)!);
  }

  postpone(): Promise<void> {
    return Promise.resolve();
  }

  renewLeases(jobIds: string[]) {
    return Promise.resolve(new Map(jobIds.map(jobId => [jobId, this.rows.get(jobId)!.state])));
  }

  neglected(): Promise<StoredJob[]> {
    return Promise.resolve([]);
  }
}

describe('the jobs of one process', () => {
  let jobs: Jobs;
  let service: JobService;
  /** What the payments service says of each claim's renewal. */
  let renewals: Map<string, () => Promise<boolean>>;

  beforeEach(() => {
    jest.useFakeTimers();
    jobs = new Jobs();
    renewals = new Map();
    const settlement = {
      settle: () => Promise.resolve('returned'),
      renew: ({ claimId }: ProofJobClaim) => (renewals.get(claimId) ?? (() => Promise.resolve(true)))(),
    };
    // A proof that takes for ever, unless it is ended.
    const prover = {
      admit: () => undefined,
      prove: (_request: unknown, { signal, onStart }: { signal: AbortSignal; onStart: () => void }) =>
        new Promise((_resolve, reject) => {
          if (signal.aborted) reject(signal.reason as Error);
          else onStart();
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    };
    service = new JobService(
      jobs as unknown as JobStore,
      settlement as unknown as JobSettlement,
      prover as unknown as ProveService,
      prover as unknown as StarkProveService,
      { logger: createLogger('prover', { level: 'silent' }) } as ServiceEnvironment,
    );
    service.onApplicationBootstrap();
  });
  afterEach(() => void jest.useRealTimers());

  const start = (jobId: string) =>
    service.start({
      ...{ jobId, claim: claimOf(jobId) },
      order: { operationId: 'zk.prove', request: REQUEST },
    });

  it('have their payments renewed each, whatever becomes of the others, and end where they are lost', async () => {
    renewals.set('away', () => Promise.reject(new Error('the payments service is away')));
    renewals.set('lost', () => Promise.resolve(false));
    for (const jobId of ['away', 'kept', 'lost']) await start(jobId);
    await jest.advanceTimersByTimeAsync(46_000);
    expect([...jobs.rows.values()].map(({ jobId, state }) => [jobId, state])).toEqual([
      ['away', 'running'],
      ['kept', 'running'],
      ['lost', 'failed'],
    ]);
    expect(jobs.rows.get('lost')!.problem).toMatchObject({ code: 'CONFLICT' });
  });

  it('are ended by a close while they are being recorded, and refused after it has begun', async () => {
    let record = () => undefined as void;
    jobs.recording = new Promise(resolve => (record = resolve));
    const started = start('late');
    let isClosed = false;
    const closed = service.beforeApplicationShutdown().then(() => (isClosed = true));
    await expect(start('later')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(isClosed).toBe(false);
    record();
    await Promise.all([started, closed]);
    expect(jobs.rows.get('late')).toMatchObject({
      ...{ state: 'failed', payment: 'returned', problem: { code: 'SERVICE_UNAVAILABLE' } },
    });
    expect(jobs.rows.has('later')).toBe(false);
  });

  it('end as they ended, also where the database is away at that moment', async () => {
    jest.useRealTimers();
    await start('cancelled');
    jobs.awayTimes = 1;
    await service.cancel('cancelled');
    await service.beforeApplicationShutdown();
    expect(jobs.rows.get('cancelled')).toMatchObject({ state: 'cancelled', payment: 'returned' });
  });
});
