import type { FactoryProvider } from '@nestjs/common';
import { Retention, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { IdempotentCallStore } from '../execution/idempotent-call-store.js';
import { JobStore } from '../jobs/job-store.js';
import { ProofCalls } from '../prove/proof-calls.js';
import { ProofStore } from './proof-store.js';

const INTERVAL_MS = 60 * 60 * 1_000;

/** Deletes proofs, jobs, cancellations and idempotent calls past their time, once an hour. */
export const proofRetention: FactoryProvider<Retention> = {
  provide: Retention,
  inject: [SERVICE_ENVIRONMENT, ProofStore, JobStore, ProofCalls, IdempotentCallStore],
  useFactory: (
    { logger }: ServiceEnvironment,
    proofs: ProofStore,
    jobs: JobStore,
    calls: ProofCalls,
    executions: IdempotentCallStore,
  ) =>
    new Retention(
      INTERVAL_MS,
      {
        proofs: () => proofs.purgeExpired(),
        jobs: () => jobs.purgeExpired(),
        cancellations: () => calls.purge(),
        idempotentCalls: () => executions.purgeExpired(),
      },
      logger,
    ),
};
