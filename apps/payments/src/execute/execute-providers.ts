import type { Provider } from '@nestjs/common';
import { PostgresSagaStore, type ServiceEnvironment } from '@svc/platform';
import { DataSource } from 'typeorm';
import { openAnswer, sealAnswer } from '../claim/sealed-answer.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import { TICKET_SETTINGS, type TicketSettings, ticketSettingsOf } from '../ticket/ticket-config.js';
import { TicketHolds } from '../ticket/ticket-holds.js';
import { TicketIssuer } from '../ticket/ticket-issuer.js';
import { TicketPurchase } from '../ticket/ticket-purchase.js';
import { TicketSweeper } from '../ticket/ticket-sweeper.js';
import { Tickets } from '../ticket/tickets.js';
import { ToolOf } from '../ticket/tool-of.js';
import { VerifyService } from '../ticket/verify.service.js';
import { ExecuteService } from './execute.service.js';
import { InlineExecution } from './inline-execution.js';
import { SagaAnswers } from './saga-answers.js';
import { SAGA_STORE, SagaHost } from './saga-host.js';
import { SagaRegister } from './saga-register.js';
import { SagaView } from './saga-view.js';
import { ToolSagas } from './tool-sagas.js';
import { ON_RECORDED } from './wal-evidence.js';
import { X402NatsController } from './x402.nats.controller.js';

export const EXECUTE_CONTROLLERS = [X402NatsController];

/** Tickets, and the sagas that they begin. @throws ConfigError */
export function executeProviders(
  { logger }: ServiceEnvironment,
  settings: TicketSettings = ticketSettingsOf(),
): Provider[] {
  return [
    { provide: TICKET_SETTINGS, useValue: settings },
    ...[TicketHolds, TicketIssuer, Tickets, TicketPurchase, TicketSweeper, ToolOf, VerifyService],
    ...[ToolSagas, SagaHost, SagaAnswers, SagaView, SagaRegister, ExecuteService, InlineExecution],
    {
      provide: PostgresSagaStore,
      inject: [DataSource, PAYMENT_KEYS, { token: ON_RECORDED, optional: true }],
      useFactory: (dataSource: DataSource, { storedAnswer }: PaymentKeys, onRecorded?: () => void) =>
        new PostgresSagaStore(dataSource, {
          kept: {
            seal: (sagaId, plain) => sealAnswer(storedAnswer, `saga:${sagaId}`, plain),
            open: (sagaId, sealed) => openAnswer(storedAnswer, `saga:${sagaId}`, sealed),
          },
          leaseMs: settings.sagaLeaseSeconds * 1_000,
          onRecorded,
          logger,
        }),
    },
    { provide: SAGA_STORE, useExisting: PostgresSagaStore },
  ];
}
