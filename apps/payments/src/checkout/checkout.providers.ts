import type { Provider } from '@nestjs/common';
import { paced, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { CreditReversals } from '../card/credit-reversals.js';
import { StripeQuestions } from '../card/stripe-questions.js';
import { EscrowPayees } from '../escrow/escrow-payees.js';
import { EscrowNatsController } from '../escrow/escrow.nats.controller.js';
import { EscrowService } from '../escrow/escrow.service.js';
import { EscrowStore } from '../escrow/escrow-store.js';
import { EscrowViews } from '../escrow/escrow-views.js';
import { ClaimUpkeep } from '../reconcile/claim-upkeep.js';
import { SubscriptionInvoices } from '../subscription/subscription-invoices.js';
import { Subscriptions } from '../subscription/subscriptions.js';
import { CheckoutNatsController } from './checkout.nats.controller.js';
import { CheckoutService } from './checkout.service.js';
import { CheckoutStore } from './checkout-store.js';
import { Fulfilment } from './fulfilment.js';
import { TopUps } from './top-ups.js';
import { WebhookService } from './webhook.service.js';

/** How often escrows past their time are ended and subscriptions past theirs are asked about, milliseconds. */
const SWEEP_INTERVAL_MS = 5_000;

const CARD_SWEEP = Symbol('CARD_SWEEP');

export const CHECKOUT_CONTROLLERS = [CheckoutNatsController, EscrowNatsController];

/** What the card processor's hosted pages, subscriptions and held payments need. */
export const CHECKOUT_PROVIDERS: readonly Provider[] = [
  { provide: StripeQuestions, useFactory: () => new StripeQuestions() },
  CheckoutStore,
  CheckoutService,
  Fulfilment,
  WebhookService,
  TopUps,
  CreditReversals,
  Subscriptions,
  SubscriptionInvoices,
  EscrowStore,
  EscrowViews,
  EscrowService,
  EscrowPayees,
  {
    provide: CARD_SWEEP,
    inject: [EscrowService, Subscriptions, SERVICE_ENVIRONMENT],
    useFactory: (escrows: EscrowService, subscriptions: Subscriptions, environment: ServiceEnvironment) =>
      new ClaimUpkeep(
        paced(environment, SWEEP_INTERVAL_MS),
        { escrows: () => escrows.sweep(), subscriptions: () => subscriptions.sweep() },
        environment.logger,
      ),
  },
];
