import { SagaTables1763900000000, type ServiceDefinition } from '@svc/platform';
import { SagaHost } from './execute/saga-host.js';
import { PaymentClaim1763700000000 } from './migrations/1763700000000-payment-claim.js';
import { GivenUpCount1763780400000 } from './migrations/1763780400000-given-up-count.js';
import { AccountsAndRails1763800000000 } from './migrations/1763800000000-accounts-and-rails.js';
import { LedgerConstraints1763800100000 } from './migrations/1763800100000-ledger-constraints.js';
import { ClaimsByKey1763800200000 } from './migrations/1763800200000-claims-by-key.js';
import { Checkouts1763801000000 } from './migrations/1763801000000-checkouts.js';
import { Licences1763802000000 } from './migrations/1763802000000-licences.js';
import { LeadsAndAdmin1763803000000 } from './migrations/1763803000000-leads-and-admin.js';
import { ReversalsBeforePurchases1763804000000 } from './migrations/1763804000000-reversals-before-purchases.js';
import { ExecutionTickets1763901000000 } from './migrations/1763901000000-execution-tickets.js';
import { M2mContracts1763902000000 } from './migrations/1763902000000-m2m-contracts.js';
import { WalTelemetry1763903000000 } from './migrations/1763903000000-wal-telemetry.js';
import {
  EventOutbox1764600000000,
  PaymentEvents1764600100000,
} from './migrations/1764600100000-payment-events.js';
import { PromotionAwards1764500000000 } from './migrations/1764500000000-promotion-awards.js';
import { QuotaReturns1764700000000 } from './migrations/1764700000000-quota-returns.js';
import { KeyedDigests1766500000000 } from './migrations/1766500000000-keyed-digests.js';
import { KeptUntil1766600000000 } from './migrations/1766600000000-kept-until.js';
import { BoundedRows1767500000000 } from './migrations/1767500000000-bounded-rows.js';
import { M2mContractPayers1767600000000 } from './migrations/1767600000000-m2m-contract-payers.js';
import { SalesByKey1767700000000 } from './migrations/1767700000000-sales-by-key.js';
import { PlannedOnce1767800000000 } from './migrations/1767800000000-planned-once.js';
import { SettledTogether1767900000000 } from './migrations/1767900000000-settled-together.js';
import { TreasuryByDay1768000000000 } from './migrations/1768000000000-treasury-by-day.js';
import { SubscriptionPayments1768100000000 } from './migrations/1768100000000-subscription-payments.js';
import { DaysCountedAnew1768200000000 } from './migrations/1768200000000-days-counted-anew.js';
import { PlansThatGoBack1768300000000 } from './migrations/1768300000000-plans-that-go-back.js';
import { KeyLimits1768400000000 } from './migrations/1768400000000-key-limits.js';
import { EscrowPayees1768600000000 } from './migrations/1768600000000-escrow-payees.js';
import { KeyRecoveries1768600100000 } from './migrations/1768600100000-key-recoveries.js';
import { Refunds1768700000000 } from './migrations/1768700000000-refunds.js';
import { L402Bundles1768800000000 } from './migrations/1768800000000-l402-bundles.js';
import { NoticesOfMakers1768900000000 } from './migrations/1768900000000-notices-of-makers.js';
import { paymentsFaults } from './payments-config.js';
import { PaymentsModule } from './payments.module.js';

export const paymentsService: ServiceDefinition = {
  name: 'payments',
  calls: ['prover', 'department', 'snn', 'acoustic', 'mesh-signalling'],
  // What its sagas have under way there they give up; both settle their jobs and tasks here, and close first.
  closesWithout: ['prover', 'department'],
  quiesces: SagaHost,
  migrations: [
    PaymentClaim1763700000000,
    GivenUpCount1763780400000,
    AccountsAndRails1763800000000,
    LedgerConstraints1763800100000,
    ClaimsByKey1763800200000,
    Checkouts1763801000000,
    Licences1763802000000,
    LeadsAndAdmin1763803000000,
    ReversalsBeforePurchases1763804000000,
    SagaTables1763900000000,
    ExecutionTickets1763901000000,
    M2mContracts1763902000000,
    WalTelemetry1763903000000,
    PromotionAwards1764500000000,
    EventOutbox1764600000000,
    PaymentEvents1764600100000,
    QuotaReturns1764700000000,
    KeyedDigests1766500000000,
    KeptUntil1766600000000,
    BoundedRows1767500000000,
    M2mContractPayers1767600000000,
    SalesByKey1767700000000,
    PlannedOnce1767800000000,
    SettledTogether1767900000000,
    TreasuryByDay1768000000000,
    SubscriptionPayments1768100000000,
    DaysCountedAnew1768200000000,
    PlansThatGoBack1768300000000,
    KeyLimits1768400000000,
    EscrowPayees1768600000000,
    KeyRecoveries1768600100000,
    Refunds1768700000000,
    L402Bundles1768800000000,
    NoticesOfMakers1768900000000,
  ],
  tableRights: {
    // What is written there stays: not even a flaw of the service may change it.
    ledger_entry: ['SELECT', 'INSERT'],
    admin_audit: ['SELECT', 'INSERT'],
    // A call that was taken back stays taken back.
    quota_return: ['SELECT', 'INSERT', 'DELETE'],
    promotion_award: ['SELECT', 'INSERT'],
    // Which key was made for whom is not rewritten.
    key_recovery: ['SELECT', 'INSERT', 'DELETE'],
    // How much was given back, of what, and by whom is not rewritten.
    refund: [
      'SELECT',
      'INSERT',
      'UPDATE (state, destination, rail_family, account_id, plan, invoice_hash, reference, detail, sent_at, ended_at, due_at)',
    ],
    promotion_day: ['SELECT', 'INSERT', 'UPDATE (awarded_sats)'],
    subscription_payment: ['SELECT', 'INSERT', 'UPDATE (checkout_id)'],
    saga: ['SELECT', 'INSERT', 'UPDATE'],
    saga_wal: ['SELECT', 'INSERT'],
    wal_checkpoint: ['SELECT', 'INSERT', 'UPDATE (published_at)'],
    wal_checkpoint_leaf: ['SELECT', 'INSERT'],
  },
  configFaults: paymentsFaults,
  module: environment => PaymentsModule.for(environment),
};
