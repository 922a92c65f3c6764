import type { Provider, Type } from '@nestjs/common';
import { CertificateReader } from '@svc/certificates/node';
import { queueTurn, Retention, type ServiceEnvironment } from '@svc/platform';
import { AuditStore } from './audit-store.js';
import { AuditTerms } from './audit-terms.js';
import { CoiBatchStore } from './batches/coi-batch-store.js';
import { CoiBatchesNatsController } from './batches/coi-batches.nats.controller.js';
import { CoiBatchesService } from './batches/coi-batches.service.js';
import { CertificateAuditService } from './certificate-audit.service.js';
import { CertificateSource } from './certificate-source.js';
import { CertificatesNatsController } from './certificates.nats.controller.js';
import { CoiRecordsService } from './coi-records.service.js';
import { OverrideTrail } from './override-trail.js';
import { RequirementSets } from './requirement-sets.js';

const BATCH_RETENTION = Symbol('BATCH_RETENTION');
/** Between two rounds that delete what is past its retention, milliseconds. */
const PURGE_INTERVAL_MS = 600_000;

export const CERTIFICATE_CONTROLLERS: readonly Type[] = [
  CertificatesNatsController,
  CoiBatchesNatsController,
];

export const certificateProviders = (environment: ServiceEnvironment): readonly Provider[] => [
  AuditStore,
  AuditTerms,
  CertificateAuditService,
  CoiBatchesService,
  CoiBatchStore,
  CoiRecordsService,
  OverrideTrail,
  RequirementSets,
  {
    provide: BATCH_RETENTION,
    inject: [CoiBatchStore],
    useFactory: (batches: CoiBatchStore) =>
      new Retention(PURGE_INTERVAL_MS, { batches: () => batches.purgeExpired() }, environment.logger),
  },
  // Its processes start with the first file, and end with the service.
  {
    provide: CertificateSource,
    useFactory: () => new CertificateSource(new CertificateReader({ turnOf: queueTurn })),
  },
];
