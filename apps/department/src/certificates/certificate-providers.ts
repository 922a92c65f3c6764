import type { Provider, Type } from '@nestjs/common';
import { CertificateReader } from '@svc/certificates/node';
import type { ServiceEnvironment } from '@svc/platform';
import { AuditStore } from './audit-store.js';
import { AuditTerms } from './audit-terms.js';
import { CertificateAuditService } from './certificate-audit.service.js';
import { CertificateSource } from './certificate-source.js';
import { CertificatesNatsController } from './certificates.nats.controller.js';
import { CoiRecordsService } from './coi-records.service.js';
import { OverrideTrail } from './override-trail.js';
import { RequirementSets } from './requirement-sets.js';

export const CERTIFICATE_CONTROLLERS: readonly Type[] = [CertificatesNatsController];

export const certificateProviders = (_environment: ServiceEnvironment): readonly Provider[] => [
  AuditStore,
  AuditTerms,
  CertificateAuditService,
  CoiRecordsService,
  OverrideTrail,
  RequirementSets,
  // Its processes start with the first file, and end with the service.
  { provide: CertificateSource, useFactory: () => new CertificateSource(new CertificateReader()) },
];
