import { type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { embeddedList, LIST_PARAMETERS, listPage } from '../api/list-page.js';
import { type Route } from '../api/route.js';
import { type PaymentIntent } from './payment-intent.js';
import { type Decline, effectOf, type PaymentMethod } from './payment-method.js';

/** One attempt to move money, as in Stripe's fixture `charge`. */
export interface Charge extends StripeObject {
  object: 'charge';
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  captured: boolean;
  created: number;
  currency: string;
  disputed: boolean;
  metadata: Record<string, string>;
  paid: boolean;
  payment_intent: string;
  refunded: boolean;
  status: 'succeeded' | 'pending' | 'failed';
  [member: string]: unknown;
}

/** A charge for an intent; a decline makes a failed one. */
export function createCharge(
  account: EmulatedAccount,
  intent: PaymentIntent,
  method: PaymentMethod,
  { decline, pending = false }: { decline?: Decline; pending?: boolean } = {},
): Charge {
  const id = randomId('ch_');
  const captured = !decline && !pending && intent.capture_method !== 'manual';
  return account.store.save<Charge>({
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: captured ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: captured ? randomId('txn_') : null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'SANDBOX',
    captured,
    created: account.now(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: outcomeOf(decline),
    paid: !decline && !pending,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: detailsOf(method),
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    refunds: embeddedList([], `/v1/charges/${id}/refunds`),
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: decline ? 'failed' : pending ? 'pending' : 'succeeded',
    transfer_data: null,
    transfer_group: intent.transfer_group,
  });
}

function outcomeOf(decline: Decline | undefined) {
  return {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: null,
    network_status: decline ? 'declined_by_network' : 'approved_by_network',
    reason: decline?.declineCode ?? null,
    risk_level: 'normal',
    seller_message: decline ? 'The bank did not return any further details.' : 'Payment complete.',
    type: decline ? 'issuer_declined' : 'authorized',
  };
}

function detailsOf(method: PaymentMethod) {
  if (!method.card) return { us_bank_account: method.us_bank_account, type: method.type };
  const { brand, checks, country, exp_month, exp_year, fingerprint, funding, last4 } = method.card;
  const card = { brand, checks, country, exp_month, exp_year, fingerprint, funding, last4, network: brand };
  return { card: { ...card, three_d_secure: null, wallet: null }, type: 'card' };
}

/** A dispute of a charge with the card that disputes; nothing can be answered to it. */
export function disputeIfSo(account: EmulatedAccount, charge: Charge, method: PaymentMethod): void {
  if (!effectOf(method).disputed) return;
  charge.disputed = true;
  const dispute = account.store.save({
    id: randomId('dp_'),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: account.now(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: {
      due_by: account.now() + 777_600,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: 'needs_response',
  });
  account.emit('charge.dispute.created', dispute);
}

export const chargeRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/charges',
    accepts: [...LIST_PARAMETERS, 'customer', 'payment_intent'],
    run: ({ account, parameters }) => {
      const [customer, intent] = [parameters.text('customer'), parameters.text('payment_intent')];
      const found = account.store
        .all<Charge>('charge')
        .filter(charge => (customer ?? charge.customer) === charge.customer)
        .filter(charge => (intent ?? charge.payment_intent) === charge.payment_intent);
      return listPage(found, parameters, '/v1/charges');
    },
  },
  {
    method: 'GET',
    path: '/v1/charges/:id',
    accepts: [],
    run: ({ account, id }) => account.require<Charge>('charge', id),
  },
  {
    method: 'GET',
    path: '/v1/disputes',
    accepts: [...LIST_PARAMETERS, 'charge', 'payment_intent'],
    run: ({ account, parameters }) => listPage(account.store.all('dispute'), parameters, '/v1/disputes'),
  },
  {
    method: 'GET',
    path: '/v1/disputes/:id',
    accepts: [],
    run: ({ account, id }) => account.require('dispute', id),
  },
];
