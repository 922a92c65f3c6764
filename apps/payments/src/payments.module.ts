import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Retention, type ServiceEnvironment } from '@svc/platform';
import { ChallengeService } from './challenge/challenge.service.js';
import { ClaimService } from './claim/claim.service.js';
import { ClaimStore } from './claim/claim-store.js';
import { Leads } from './lead/leads.js';
import { LIGHTNING_BACKEND, type LightningBackend } from './lightning/lightning-backend.js';
import { lightningBackendOf, PAYMENT_KEYS, paymentKeysOf } from './payments-config.js';
import { PaymentsNatsController } from './payments.nats.controller.js';

/** How often the bodies of answers are dropped that their payers can no longer ask for, milliseconds. */
const PURGE_INTERVAL_MS = 10 * 60 * 1_000;

@Module({})
export class PaymentsModule implements OnApplicationShutdown {
  constructor(@Inject(LIGHTNING_BACKEND) private readonly lightning: LightningBackend) {}

  /** @throws ConfigError when a secret or the Lightning node is not configured as it must be */
  static for(
    environment: ServiceEnvironment,
    lightning: LightningBackend = lightningBackendOf(environment),
  ): DynamicModule {
    return {
      module: PaymentsModule,
      controllers: [PaymentsNatsController],
      providers: [
        { provide: PAYMENT_KEYS, useValue: paymentKeysOf(environment) },
        { provide: LIGHTNING_BACKEND, useValue: lightning },
        ChallengeService,
        ClaimStore,
        ClaimService,
        Leads,
        {
          provide: Retention,
          inject: [ClaimStore],
          useFactory: (store: ClaimStore) =>
            new Retention(PURGE_INTERVAL_MS, { answers: () => store.purgeResponses() }, environment.logger),
        },
      ],
    };
  }

  onApplicationShutdown(): void {
    this.lightning.close();
  }
}
