import { type DynamicModule, Module } from '@nestjs/common';
import { ROUTES_NOT_YET } from '@svc/contracts';
import { type BusLink, BusModule, type Readiness } from '@svc/platform';
import { AuditHttpController } from './audit/audit.http.controller.js';
import { LightningPayHttpController } from './dev/lightning-pay.http.controller.js';
import { DocsHttpController } from './docs/docs.http.controller.js';
import { FetchProofHttpController } from './fetch-proof/fetch-proof.http.controller.js';
import { GatewayIndexHttpController } from './gateway-index/gateway-index.http.controller.js';
import { HealthHttpController, READINESS } from './health/health.http.controller.js';
import { HealthService } from './health/health.service.js';
import { notYetController } from './not-yet/not-yet.http.controller.js';
import { OpenApiHttpController, PublishedDocument } from './openapi/openapi.http.controller.js';
import { ProofJobsHttpController } from './proof-jobs/proof-jobs.http.controller.js';
import { ProofCallService } from './prove/proof-call.service.js';
import { ProveHttpController } from './prove/prove.http.controller.js';
import { VerifyProofHttpController } from './verify-proof/verify-proof.http.controller.js';

@Module({})
export class GatewayModule {
  /**
   * @param link the bus, which whoever starts the gateway opens and closes
   * @param production leaves the sandbox's wallet out
   */
  static register(link: BusLink, readiness: () => Readiness, production: boolean): DynamicModule {
    return {
      module: GatewayModule,
      imports: [BusModule.forLink(link)],
      controllers: [
        GatewayIndexHttpController,
        HealthHttpController,
        OpenApiHttpController,
        DocsHttpController,
        ProveHttpController,
        ProofJobsHttpController,
        VerifyProofHttpController,
        AuditHttpController,
        FetchProofHttpController,
        notYetController(ROUTES_NOT_YET),
        ...(production ? [] : [LightningPayHttpController]),
      ],
      providers: [
        HealthService,
        ProofCallService,
        PublishedDocument,
        { provide: READINESS, useValue: readiness },
      ],
    };
  }
}
