import { railsOf } from './rail/rails.js';
import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { PlainDigests, PostgresSagaStore, Retention, type ServiceEnvironment } from '@svc/platform';
import { DataSource } from 'typeorm';
import { ADMIN_CONTROLLERS, ADMIN_PROVIDERS } from './admin/admin-providers.js';
import { AWARD_SETTINGS, awardSettingsOf } from './award/award-config.js';
import { AwardNatsController } from './award/award.nats.controller.js';
import { CreditAwards } from './award/credit-awards.js';
import { ACCOUNT_CONTROLLERS, accountProviders } from './account/account-providers.js';
import { CARD_SETTINGS, cardSettingsOf } from './card/card-config.js';
import { ChallengeService } from './challenge/challenge.service.js';
import { CheckoutStore } from './checkout/checkout-store.js';
import { CHECKOUT_CONTROLLERS, CHECKOUT_PROVIDERS } from './checkout/checkout.providers.js';
import { claimProviders, type ClaimTimes } from './claim/claim-providers.js';
import { ClaimStore } from './claim/claim-store.js';
import { EscrowStore } from './escrow/escrow-store.js';
import { EXECUTE_CONTROLLERS, executeProviders } from './execute/execute-providers.js';
import { TOOL_SAGAS, type ToolSaga } from './execute/tool-saga.js';
import { LicenceNatsController } from './licence/licence.nats.controller.js';
import { Leads } from './lead/leads.js';
import { licenceProviders } from './licence/licence.providers.js';
import { LIGHTNING_BACKEND, type LightningBackend } from './lightning/lightning-backend.js';
import {
  lightningBackendOf,
  PAYMENT_KEYS,
  paymentKeysOf,
  SALE_ORDERS,
  saleOrdersOf,
} from './payments-config.js';
import { DIGEST_COLUMNS } from './migrations/1766500000000-keyed-digests.js';
import { PaymentsNatsController } from './payments.nats.controller.js';
import { type Rail, RAILS } from './rail/rail.js';
import { RECEIPT_SETTINGS, receiptSettingsOf } from './receipt/receipt-config.js';
import { ReceiptNatsController } from './receipt/receipt.nats.controller.js';
import { REFUND_CONTROLLERS, refundProviders } from './refund/refund-providers.js';
import { SignedReceipts } from './receipt/signed-receipts.js';
import { inBatches } from './reconcile/claim-upkeep.js';
import { ticketSettingsOf } from './ticket/ticket-config.js';
import { Tickets } from './ticket/tickets.js';
import { OwnTools } from './tool/own-tools.js';
import { TOOL_CONTROLLERS, TOOL_PROVIDERS } from './tool/tool-providers.js';
import { SpotNatsController } from './spot/spot.nats.controller.js';
import { TELEMETRY_CONTROLLERS, TELEMETRY_PROVIDERS } from './telemetry/telemetry.nats.controller.js';
import { WAL_CONTROLLERS, walProviders } from './wal/wal-providers.js';

/** How often the bodies of answers are dropped that their payers can no longer ask for, milliseconds. */
const PURGE_INTERVAL_MS = 10 * 60 * 1_000;

/** Parts of the service that tests put others in the place of. */
export interface PaymentsParts extends ClaimTimes {
  readonly lightning?: LightningBackend;
  /** Beside those that are configured. */
  readonly moreRails?: readonly Rail[];
  /** In the place of the catalogue's tools. */
  readonly tools?: readonly ToolSaga[];
}

@Module({})
export class PaymentsModule implements OnModuleInit, OnApplicationShutdown {
  constructor(@Inject(RAILS) private readonly rails: readonly Rail[]) {}

  /** @throws ConfigError when a secret or a rail is not configured as it must be */
  static for(environment: ServiceEnvironment, parts: PaymentsParts = {}): DynamicModule {
    const keys = paymentKeysOf(environment);
    const { variables = process.env } = environment;
    const { lightning = lightningBackendOf(environment, variables), moreRails = [] } = parts;
    const card = cardSettingsOf(environment, variables);
    const receipts = receiptSettingsOf(environment, variables);
    const rails = railsOf({ environment, keys, lightning, card, variables, receipts });
    return {
      module: PaymentsModule,
      controllers: [
        PaymentsNatsController,
        ...ACCOUNT_CONTROLLERS,
        ...ADMIN_CONTROLLERS,
        SpotNatsController,
        AwardNatsController,
        LicenceNatsController,
        ReceiptNatsController,
        ...CHECKOUT_CONTROLLERS,
        ...REFUND_CONTROLLERS,
        ...EXECUTE_CONTROLLERS,
        ...(parts.tools ? [] : TOOL_CONTROLLERS),
        ...WAL_CONTROLLERS,
        ...TELEMETRY_CONTROLLERS,
      ],
      providers: [
        { provide: PAYMENT_KEYS, useValue: keys },
        { provide: RAILS, useValue: [...rails, ...moreRails] },
        { provide: RECEIPT_SETTINGS, useValue: receipts },
        SignedReceipts,
        { provide: SALE_ORDERS, useValue: saleOrdersOf(variables) },
        { provide: LIGHTNING_BACKEND, useValue: lightning },
        { provide: CARD_SETTINGS, useValue: card ?? null },
        ...accountProviders(environment),
        ChallengeService,
        ...claimProviders(environment, parts),
        ...executeProviders(environment, ticketSettingsOf(variables)),
        ...(parts.tools ? [{ provide: TOOL_SAGAS, useValue: parts.tools }] : TOOL_PROVIDERS),
        ...walProviders(environment),
        ...TELEMETRY_PROVIDERS,
        ...ADMIN_PROVIDERS,
        CreditAwards,
        { provide: AWARD_SETTINGS, useValue: awardSettingsOf(variables) },
        ...CHECKOUT_PROVIDERS,
        ...refundProviders(environment),
        ...licenceProviders(environment),
        {
          provide: PlainDigests,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) =>
            new PlainDigests(dataSource, keys.requests, DIGEST_COLUMNS, environment.logger),
        },
        retention(environment),
      ],
    };
  }

  async onModuleInit(): Promise<void> {
    await Promise.all(this.rails.map(rail => rail.open()));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.rails.map(rail => rail.close()));
  }
}

/**
 * Drops what is past its time: stored answers, what sagas kept, claims for which nothing was taken, checkouts and escrows that nobody
 * paid, leads.
 */
const retention = ({ logger }: ServiceEnvironment): FactoryProvider<Retention> => ({
  provide: Retention,
  inject: [
    ...[ClaimStore, Tickets, PostgresSagaStore, CheckoutStore, EscrowStore, Leads, DataSource],
    { token: OwnTools, optional: true },
  ],
  useFactory: (
    claims: ClaimStore,
    tickets: Tickets,
    sagas: PostgresSagaStore,
    checkouts: CheckoutStore,
    escrows: EscrowStore,
    leads: Leads,
    dataSource: DataSource,
    own?: OwnTools,
  ) =>
    new Retention(
      PURGE_INTERVAL_MS,
      {
        answers: () => claims.purgeResponses(),
        voidClaims: () => inBatches(() => claims.purgeVoid()),
        executions: () => tickets.purgeAnswers(),
        sagas: () => sagas.purgeKept(),
        checkouts: () => checkouts.purge(),
        escrows: () => inBatches(() => escrows.purge()),
        leads: () => leads.purge(dataSource.manager),
        ...(own && { toolCalls: () => own.purge() }),
      },
      logger,
    ),
});
