import type { Provider } from '@nestjs/common';
import { paced, type ServiceEnvironment } from '@svc/platform';
import { ClaimReconciler } from '../reconcile/claim-reconciler.js';
import { ClaimSweeper } from '../reconcile/claim-sweeper.js';
import { ClaimUpkeep } from '../reconcile/claim-upkeep.js';
import { SagaHost } from '../execute/saga-host.js';
import { TicketSweeper } from '../ticket/ticket-sweeper.js';
import { ClaimDeliveries } from './claim-deliveries.js';
import { ClaimReleases } from './claim-releases.js';
import { ClaimSettlements } from './claim-settlements.js';
import { ClaimStore } from './claim-store.js';
import { ClaimService } from './claim.service.js';
import { CLAIM_LEASE, LEASE_SECONDS } from './standing-claim.js';

/** How often claims are looked through whose callers are gone, or whose settlement is not known. */
const UPKEEP_INTERVAL_MS = 5_000;

/** What takes its time with claims; tests have it shorter. */
export interface ClaimTimes {
  /** Between two rounds of the sweeper and the reconciler, milliseconds. */
  readonly upkeepIntervalMs?: number;
  /** How long a claim is held for its caller, seconds. */
  readonly claimLeaseSeconds?: number;
}

/** Claims on payments of every rail, and what keeps them from lying about. */
export function claimProviders(
  environment: ServiceEnvironment,
  {
    upkeepIntervalMs = paced(environment, UPKEEP_INTERVAL_MS),
    claimLeaseSeconds = LEASE_SECONDS,
  }: ClaimTimes = {},
): Provider[] {
  return [
    { provide: CLAIM_LEASE, useValue: claimLeaseSeconds },
    ClaimStore,
    ClaimReleases,
    ClaimSettlements,
    ClaimDeliveries,
    ClaimReconciler,
    ClaimSweeper,
    ClaimService,
    {
      provide: ClaimUpkeep,
      inject: [ClaimSweeper, ClaimReconciler, TicketSweeper, SagaHost],
      useFactory: (
        sweeper: ClaimSweeper,
        reconciler: ClaimReconciler,
        tickets: TicketSweeper,
        host: SagaHost,
      ) =>
        new ClaimUpkeep(
          upkeepIntervalMs,
          {
            sweep: () => sweeper.sweep(),
            reconcile: () => reconciler.round(),
            tickets: () => tickets.sweep(),
            stuck: () => host.measure(),
          },
          environment.logger,
        ),
    },
  ];
}
