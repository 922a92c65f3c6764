import { eventOutboxProviders, type ServiceDefinition } from '@svc/platform';
import { signingSeedFaults } from './audit/signing-keys.js';
import { jobConfigFaults } from './jobs/job-drain.js';
import { Proof1763700000000 } from './migrations/1763700000000-proof.js';
import { ProofJob1763760000000 } from './migrations/1763760000000-proof-job.js';
import { ProofKeptUntil1763763600000 } from './migrations/1763763600000-proof-kept-until.js';
import { SupersededPayment1763770000000 } from './migrations/1763770000000-superseded-payment.js';
import { SettlingJob1763773200000 } from './migrations/1763773200000-settling-job.js';
import { ProofContext1763776800000 } from './migrations/1763776800000-proof-context.js';
import { BindingJob1763784000000 } from './migrations/1763784000000-binding-job.js';
import { IdempotentCall1763900000000 } from './migrations/1763900000000-idempotent-call.js';
import { ProofOfCall1763901000000 } from './migrations/1763901000000-proof-of-call.js';
import { EventOutbox1764400100000, QueuedJob1764400000000 } from './migrations/1764400000000-queued-job.js';
import { ProofEvents1764600200000 } from './migrations/1764600200000-proof-events.js';
import { JobTurns1767600000000 } from './migrations/1767600000000-job-turns.js';
import { CallerNames1767900000000 } from './migrations/1767900000000-caller-names.js';
import { ProverModule } from './prover.module.js';

export const proverService: ServiceDefinition = {
  name: 'prover',
  migrations: [
    Proof1763700000000,
    ProofJob1763760000000,
    ProofKeptUntil1763763600000,
    SupersededPayment1763770000000,
    SettlingJob1763773200000,
    ProofContext1763776800000,
    BindingJob1763784000000,
    IdempotentCall1763900000000,
    ProofOfCall1763901000000,
    QueuedJob1764400000000,
    EventOutbox1764400100000,
    ProofEvents1764600200000,
    JobTurns1767600000000,
    CallerNames1767900000000,
  ],
  calls: ['payments'],
  measurements: { proverLatencyMs: 'no proof has been made since the start' },
  configFaults: (known, variables) => [...signingSeedFaults(known), ...jobConfigFaults(variables)],
  module: environment => ({ module: ProverModule, providers: eventOutboxProviders(environment) }),
};
