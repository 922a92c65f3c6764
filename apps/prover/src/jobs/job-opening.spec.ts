import { expect, it } from '@jest/globals';
import { createLogger, type ServiceEnvironment } from '@svc/platform';
import type { ProveService } from '../prove/prove.service.js';
import { type Opening, StarkProveService } from '../prove/stark-prove.service.js';
import { JobService } from './job.service.js';
import type { JobSettlement } from './job-settlement.js';
import { type JobEvent, QUEUED, transition } from './job-state.js';
import type { JobStore, StoredJob } from './job-store.js';

const JOB = {
  jobId: 'job',
  claim: { claimId: 'claim', attempt: 1, receipt: 'receipt', canBeGivenUp: true },
};

it('tells what opens its commitment in its first answer and in the delivered one, and keeps it nowhere', async () => {
  let row = { ...QUEUED, ...JOB, operationId: 'stark.prove-goldilocks', createdAt: new Date() } as StoredJob;
  const kept: unknown[] = [];
  const store = {
    create: () => Promise.resolve(true),
    find: () => Promise.resolve(row),
    apply: (_jobId: string, event: JobEvent, result?: Record<string, unknown>) => {
      kept.push(result);
      row = { ...row, ...transition(row, event), ...(result ? { result } : {}) };
      return Promise.resolve(row);
    },
  } as unknown as JobStore;
  const delivered: unknown[] = [];
  const settlement = {
    settle: (job: StoredJob) => Promise.resolve(delivered.push(job.result) && 'delivered'),
  } as unknown as JobSettlement;
  const statements = {
    admit: () => undefined,
    drawOpening: StarkProveService.prototype.drawOpening,
    prove: (_request: unknown, { opening }: { opening?: Opening }) =>
      Promise.resolve({ proof: new Uint8Array(1), proofId: 'prf_x', opening }),
  } as unknown as StarkProveService;
  const environment = { logger: createLogger('prover', { level: 'silent' }) } as ServiceEnvironment;
  const service = new JobService(store, settlement, {} as ProveService, statements, environment);

  const choice = { statement: 'binding', parameterSet: 'P100' } as const;
  const request = { ...choice, publicInputs: ['1'], friBlowup: 8 };
  const { opening } = await service.start({
    ...JOB,
    order: { operationId: 'stark.prove-goldilocks', request },
  });
  await service.beforeApplicationShutdown();
  expect(opening).toEqual({ salt: expect.stringMatching(/^0x[0-9a-f]{48}$/) });
  expect(delivered).toEqual([{ proofId: 'prf_x', opening }]);
  expect(kept).toContainEqual({ proofId: 'prf_x' });
  expect(JSON.stringify([kept, row, await service.find('job')])).not.toContain(opening!['salt']);
});
