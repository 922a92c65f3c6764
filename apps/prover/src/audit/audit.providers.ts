import type { Provider } from '@nestjs/common';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { createWasmBackend } from '@svc/stark-prover/node';
import { AuditService } from './audit.service.js';
import { AUDIT_BACKEND, BatchProof } from './batch-proof.js';
import { SignedProofService } from './signed-proof.service.js';
import { SIGNING_KEYS, signingKeysOf } from './signing-keys.js';

/** Threads are kept through an hour without an audit: starting them takes longer than a batch. */
const IDLE_MS = 3_600_000;

/** What audits are made and checked with. */
export const auditProviders: Provider[] = [
  { provide: AUDIT_BACKEND, useFactory: () => createWasmBackend({ idleMs: IDLE_MS }) },
  {
    provide: SIGNING_KEYS,
    useFactory: (environment: ServiceEnvironment) => signingKeysOf(environment),
    inject: [SERVICE_ENVIRONMENT],
  },
  BatchProof,
  AuditService,
  SignedProofService,
];
