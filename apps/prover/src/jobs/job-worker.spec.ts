import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProofJobClaim } from '@svc/contracts';
import {
  createLogger,
  MemoryBus,
  openBusLink,
  openWorkQueue,
  problem,
  type ServiceEnvironment,
} from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { ProofMaker } from '../prove/proof-maker.js';
import type { ProveService } from '../prove/prove.service.js';
import { type Opening, type ProofCaller, StarkProveService } from '../prove/stark-prove.service.js';
import type { ProofStore } from '../proofs/proof-store.js';
import { JobKeeper } from './job-keeper.js';
import { JobOrders } from './job-orders.js';
import { JobQueue } from './job-queue.js';
import type { StoredJob } from './job-rows.js';
import { JobService } from './job.service.js';
import type { JobSettlement } from './job-settlement.js';
import { isEnded, type JobEvent, QUEUED, transition } from './job-state.js';
import type { JobStore, NewJob, WaitingJob } from './job-store.js';
import { JobWorker } from './job-worker.js';

const SECRETS = { AUDIT_SIGNING_SEEDS: 'signing-secret-of-the-tests-of-32-characters' };
const REQUEST = { traceData: 'x', degree: 64, friBlowup: 8 };
const logger = createLogger('prover', { level: 'silent' });

/** The table of jobs, which can be away. */
class Jobs {
  readonly rows = new Map<string, StoredJob>();
  readonly sealed = new Map<string, Buffer>();
  awayTimes = 0;

  create({ jobId, operationId, claim, sizeClass, turnSubject = '', sealedOrder }: NewJob): Promise<boolean> {
    const createdAt = new Date();
    this.rows.set(jobId, {
      ...{ ...QUEUED, jobId, operationId, claim, sizeClass, turnSubject, createdAt, isForsaken: false },
    });
    this.sealed.set(jobId, sealedOrder);
    return Promise.resolve(true);
  }

  find(jobId: string): Promise<StoredJob> {
    return Promise.resolve(this.rows.get(jobId)!);
  }

  sealedOrderOf(jobId: string): Promise<Buffer | undefined> {
    return Promise.resolve(this.sealed.get(jobId));
  }

  apply(jobId: string, event: JobEvent, result?: Record<string, unknown>): Promise<StoredJob | undefined> {
    if (this.awayTimes > 0) {
      this.awayTimes--;
      return Promise.reject(problem('SERVICE_UNAVAILABLE', 'the database is away'));
    }
    const job = this.rows.get(jobId)!;
    const next = transition(job, event);
    if (!next) return Promise.resolve(undefined);
    this.rows.set(jobId, { ...job, ...next, ...(result ? { result } : {}) });
    if (isEnded(next) || !next.isKept) this.sealed.delete(jobId);
    return Promise.resolve(this.rows.get(jobId)!);
  }

  nextInTurn(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  postpone(): Promise<void> {
    return Promise.resolve();
  }

  renewLeases(runs: readonly Pick<WaitingJob, 'jobId' | 'run'>[]) {
    const mine = runs.filter(({ jobId, run }) => this.rows.get(jobId)!.run === run);
    return Promise.resolve(new Map(mine.map(({ jobId }) => [jobId, this.rows.get(jobId)!.state])));
  }

  neglected(): Promise<StoredJob[]> {
    return Promise.resolve([]);
  }

  async until(jobId: string, holds: (job: StoredJob) => boolean): Promise<StoredJob> {
    while (!holds(this.rows.get(jobId)!)) await delay(2);
    return this.rows.get(jobId)!;
  }
}

/** What a test does with a proof that is being made. */
interface Making {
  readonly caller: ProofCaller;
  finish(proofId: string): void;
}

describe('the jobs of one process', () => {
  let jobs: Jobs;
  let makings: Making[];
  let delivered: { readonly jobId: string; readonly opening?: Opening }[];
  let discarded: string[];
  let service: JobService;
  let worker: JobWorker;
  let isRoom: boolean;
  /** Proofs that wait for room. */
  let waiting: number;

  function start(variables: Record<string, string> = {}): void {
    const environment = {
      logger,
      secrets: SECRETS,
      variables,
      bus: { kind: 'nats' },
    } as unknown as ServiceEnvironment;
    const link = openBusLink({ kind: 'memory', bus: new MemoryBus() }, 'prover', logger);
    const store = jobs as unknown as JobStore;
    const orders = new JobOrders(store, environment);
    const counted = { query: () => Promise.resolve([{ count: 0, own: 0 }]) } as unknown as DataSource;
    const queue = new JobQueue(counted, openWorkQueue(link, { owner: 'prover' }, logger), environment);
    const settlement = {
      settle: async (job: StoredJob) => {
        if (job.payment === 'return-due') return 'returned';
        delivered.push({ jobId: job.jobId, opening: (await orders.of(job.jobId))?.opening });
        return 'delivered';
      },
    } as unknown as JobSettlement;
    const keeper = new JobKeeper(store, settlement, queue, environment);
    const prove = async (_request: unknown, caller: ProofCaller) => {
      const { signal } = caller;
      waiting++;
      try {
        while (!isRoom) {
          signal?.throwIfAborted();
          await delay(2);
        }
      } finally {
        waiting--;
      }
      await caller.onStart?.();
      return new Promise((resolve, reject) => {
        const finish = (proofId: string) =>
          resolve({ proof: new Uint8Array(1), proofId, opening: caller.opening });
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        makings.push({ caller, finish });
      });
    };
    const prover = { plan: () => PLAN, prove } as unknown as ProveService;
    const { drawOpening } = StarkProveService.prototype;
    const statements = { plan: () => PLAN, prove, drawOpening } as unknown as StarkProveService;
    const maker = { sizeClassOf: () => 'small' } as unknown as ProofMaker;
    const proofs = { discard: (id: string) => Promise.resolve(discarded.push(id)) } as unknown as ProofStore;
    worker = new JobWorker(store, orders, queue, keeper, proofs, prover, statements, environment);
    service = new JobService(store, orders, queue, keeper, worker, maker, prover, statements);
    worker.onApplicationBootstrap();
  }
  const PLAN = { parameters: { traceLength: 64 }, memoryBytes: 1 };

  beforeEach(() => {
    [jobs, makings, delivered, discarded, isRoom, waiting] = [new Jobs(), [], [], [], true, 0];
  });
  afterEach(() => worker.beforeApplicationShutdown());

  const claimOf = (claimId: string): ProofJobClaim => ({
    ...{ claimId, attempt: 1, receipt: 'receipt', canBeGivenUp: true },
  });
  const order = (jobId: string) =>
    service.start({ jobId, claim: claimOf(jobId), order: { operationId: 'zk.prove', request: REQUEST } });
  const makingsReach = async (count: number) => {
    while (makings.length < count) await delay(2);
  };

  it('tell what opens a commitment in the first answer and in the delivered one, and keep it nowhere unsealed', async () => {
    start();
    const request = {
      statement: 'binding',
      parameterSet: 'P100',
      publicInputs: ['1'],
      friBlowup: 8,
    } as const;
    const { opening } = await service.start({
      ...{ jobId: 'job', claim: claimOf('job') },
      order: { operationId: 'stark.prove-goldilocks', request: { ...request, publicInputs: ['1'] } },
    });
    await makingsReach(1);
    expect(opening).toEqual({ salt: expect.stringMatching(/^0x[0-9a-f]{48}$/) });
    expect(makings[0].caller).toMatchObject({ opening, receipt: 'receipt' });
    const kept = jobs.sealed.get('job')!;
    expect(kept.includes(opening!['salt'].slice(2)) || kept.includes('publicInputs')).toBe(false);
    makings[0].finish('prf_x');
    const job = await jobs.until('job', isEnded);
    expect(delivered).toEqual([{ jobId: 'job', opening }]);
    expect(JSON.stringify([job, await service.find('job')])).not.toContain(opening!['salt']);
    expect(jobs.sealed.size).toBe(0);
  });

  it('go back to the queue as they are where a close finds them waiting', async () => {
    isRoom = false;
    start();
    await order('waiting');
    while (waiting === 0) await delay(2);
    await worker.beforeApplicationShutdown();
    expect(jobs.rows.get('waiting')).toMatchObject({ state: 'queued', run: 0, begins: 0, payment: 'held' });
    expect(jobs.sealed.has('waiting')).toBe(true);
  });

  it('are finished by a close that has the time, and given back by one that has not', async () => {
    start();
    await order('finished');
    await makingsReach(1);
    const closed = worker.beforeApplicationShutdown();
    makings[0].finish('prf_x');
    await closed;
    expect(jobs.rows.get('finished')).toMatchObject({ state: 'succeeded', payment: 'delivered' });

    start({ PROOF_DRAIN_SECONDS: '0' });
    await order('given-back');
    await makingsReach(2);
    await worker.beforeApplicationShutdown();
    expect(jobs.rows.get('given-back')).toMatchObject({
      state: 'queued',
      run: 1,
      begins: 0,
      payment: 'held',
    });
  });

  it('end as they ended, also where the database is away at that moment', async () => {
    start();
    await order('cancelled');
    await makingsReach(1);
    await jobs.apply('cancelled', { type: 'cancel-requested' });
    jobs.awayTimes = 1;
    worker.cancel('cancelled');
    expect(await jobs.until('cancelled', isEnded)).toMatchObject({ state: 'cancelled', payment: 'returned' });
  });

  it('are begun as soon as the database is there again', async () => {
    start();
    isRoom = false;
    await order('early');
    jobs.awayTimes = 1;
    isRoom = true;
    await makingsReach(1);
    expect(jobs.rows.get('early')).toMatchObject({ state: 'running', run: 1, begins: 1 });
    makings[0].finish('prf_x');
  });

  it('are what the newest run makes of them: a late one changes nothing, and its proof is not kept', async () => {
    start();
    await order('doubled');
    await makingsReach(1);
    const lapsed = await jobs.apply('doubled', { type: 'lease-lapsed' });
    expect(lapsed).toMatchObject({ state: 'queued', run: 1 });
    const begun = await jobs.apply('doubled', { type: 'begun', run: 1 });
    makings[0].caller.onStage?.('fri');
    makings[0].finish('prf_late');
    while (discarded.length === 0) await delay(2);
    expect(discarded).toEqual(['prf_late']);
    expect(jobs.rows.get('doubled')).toEqual(begun);
    expect(delivered).toEqual([]);
  });

  it('end at once where they are cancelled while they wait, and nothing is made of them', async () => {
    isRoom = false;
    start();
    await order('unwanted');
    while (waiting === 0) await delay(2);
    expect(await service.cancel('unwanted')).toMatchObject({ state: 'cancelled', payment: 'returned' });
    isRoom = true;
    while (waiting > 0) await delay(2);
    await order('next');
    await makingsReach(1);
    expect([...jobs.sealed.keys()]).toEqual(['next']);
    makings[0].finish('prf_x');
    await jobs.until('next', isEnded);
    expect([makings.length, delivered.map(({ jobId }) => jobId)]).toEqual([1, ['next']]);
  });
});
