import type { Provider } from '@nestjs/common';
import { paced, type ServiceEnvironment } from '@svc/platform';
import { ClaimUpkeep } from '../reconcile/claim-upkeep.js';
import { CardRefundBook } from './card-refund-book.js';
import { LightningClaimants } from './lightning-claimants.js';
import { RefundRequests } from './refund-requests.js';
import { RefundSender } from './refund-sender.js';
import { RefundStore } from './refund-store.js';
import { RefundNatsController } from './refund.nats.controller.js';
import { RefundableClaims } from './refundable-claim.js';

/** Between two rounds over refunds that are due, milliseconds. */
const UPKEEP_INTERVAL_MS = 5_000;
const REFUND_UPKEEP = Symbol('REFUND_UPKEEP');

export const REFUND_CONTROLLERS = [RefundNatsController];

/** Money that goes back: what operators ask for, what rails do of it, and what is asked of them again. */
export const refundProviders = (environment: ServiceEnvironment): Provider[] => [
  ...[RefundStore, RefundableClaims, RefundRequests, RefundSender, CardRefundBook, LightningClaimants],
  {
    provide: REFUND_UPKEEP,
    inject: [RefundSender],
    useFactory: (sender: RefundSender) =>
      new ClaimUpkeep(
        paced(environment, UPKEEP_INTERVAL_MS),
        { refunds: () => sender.round() },
        environment.logger,
      ),
  },
];
