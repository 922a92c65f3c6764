import { Module } from '@nestjs/common';
import { SealedJson, SERVICE_ENVIRONMENT, type ServiceEnvironment, workQueueProvider } from '@svc/platform';
import { AuditNatsController } from './audit/audit.nats.controller.js';
import { auditProviders } from './audit/audit.providers.js';
import { engineProviders } from './engine.js';
import { ExecutionNatsController } from './execution/execution.nats.controller.js';
import { CoreTurns } from './core-turns.js';
import { ExecutionProofService } from './execution/execution-proof.service.js';
import { IdempotentCallStore } from './execution/idempotent-call-store.js';
import { IdempotentCalls } from './execution/idempotent-calls.js';
import { JobKeeper } from './jobs/job-keeper.js';
import { JobOrders } from './jobs/job-orders.js';
import { JobQueue } from './jobs/job-queue.js';
import { JobService } from './jobs/job.service.js';
import { JobSettlement } from './jobs/job-settlement.js';
import { signingSecretsOf } from './audit/signing-keys.js';
import { JOB_RESULTS, JobStore } from './jobs/job-store.js';
import { JobWorker } from './jobs/job-worker.js';
import { JobsNatsController } from './jobs/jobs.nats.controller.js';
import { proofRetention } from './proofs/proof-retention.js';
import { ProofStore } from './proofs/proof-store.js';
import { ProofsNatsController } from './proofs/proofs.nats.controller.js';
import { OwnStatements } from './prove/own-statement.js';
import { ProofCalls } from './prove/proof-calls.js';
import { ProofMaker } from './prove/proof-maker.js';
import { ProveNatsController } from './prove/prove.nats.controller.js';
import { ProveService } from './prove/prove.service.js';
import { StarkProveService } from './prove/stark-prove.service.js';
import { SelfCheck } from './self-check.js';
import { ToolNatsController } from './tool/tool.nats.controller.js';
import { ToolService } from './tool/tool.service.js';
import { VerifyNatsController } from './verify/verify.nats.controller.js';
import { VerifyService } from './verify/verify.service.js';

@Module({
  controllers: [
    ProveNatsController,
    VerifyNatsController,
    ProofsNatsController,
    JobsNatsController,
    AuditNatsController,
    ExecutionNatsController,
    ToolNatsController,
  ],
  providers: [
    ...engineProviders,
    ...auditProviders,
    CoreTurns,
    ProofMaker,
    ProofCalls,
    ProveService,
    OwnStatements,
    StarkProveService,
    VerifyService,
    ProofStore,
    proofRetention,
    workQueueProvider,
    JobStore,
    {
      provide: JOB_RESULTS,
      inject: [SERVICE_ENVIRONMENT],
      useFactory: (environment: ServiceEnvironment) =>
        new SealedJson(signingSecretsOf(environment), 'svc/proof-job-result/v1'),
    },
    JobOrders,
    JobQueue,
    JobSettlement,
    JobKeeper,
    JobWorker,
    JobService,
    IdempotentCallStore,
    IdempotentCalls,
    ExecutionProofService,
    ToolService,
    SelfCheck,
  ],
})
export class ProverModule {}
