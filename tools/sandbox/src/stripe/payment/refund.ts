import { randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { LIST_PARAMETERS, listPage } from '../api/list-page.js';
import { type Call, type Route } from '../api/route.js';
import { invalidRequest } from '../api/stripe-error.js';
import { type Charge } from './charge.js';
import { type PaymentIntent } from './payment-intent.js';

/** Money given back, as in Stripe's fixture `refund`. */
export interface Refund extends StripeObject {
  object: 'refund';
  amount: number;
  charge: string;
  created: number;
  currency: string;
  metadata: Record<string, string>;
  payment_intent: string;
  reason: string | null;
  status: 'succeeded';
  [member: string]: unknown;
}

function create({ account, parameters }: Call): Refund {
  const intentId = parameters.text('payment_intent');
  const chargeId =
    parameters.text('charge') ??
    (intentId && account.require<PaymentIntent>('payment_intent', intentId, 'payment_intent').latest_charge);
  if (!chargeId)
    throw invalidRequest('One of the following params should be provided: payment_intent or charge.');
  const charge = account.require<Charge>('charge', chargeId, 'charge');
  const left = charge.amount - charge.amount_refunded;
  if (!charge.captured || left <= 0) {
    throw invalidRequest(
      `Charge ${charge.id} has nothing left to refund.`,
      undefined,
      'charge_already_refunded',
    );
  }
  const amount = parameters.integer('amount', { min: 1 }) ?? left;
  if (amount > left) {
    const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${left}).`;
    throw invalidRequest(message, 'amount');
  }
  const refund = account.store.save<Refund>({
    id: randomId('re_'),
    object: 'refund',
    amount,
    balance_transaction: randomId('txn_'),
    charge: charge.id,
    created: account.now(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: { card: { type: 'refund' }, type: 'card' },
    metadata: parameters.metadata(),
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    pending_reason: null,
    reason: parameters.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer']) ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  });
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  account.store.save(charge);
  account.emit('refund.created', refund);
  account.emit('charge.refunded', charge);
  return refund;
}

export const refundRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/refunds',
    accepts: ['amount', 'charge', 'metadata', 'payment_intent', 'reason'],
    run: create,
  },
  {
    method: 'GET',
    path: '/v1/refunds',
    accepts: [...LIST_PARAMETERS, 'charge', 'payment_intent'],
    run: ({ account, parameters }) => {
      const [charge, intent] = [parameters.text('charge'), parameters.text('payment_intent')];
      const found = account.store
        .all<Refund>('refund')
        .filter(refund => (charge ?? refund.charge) === refund.charge)
        .filter(refund => (intent ?? refund.payment_intent) === refund.payment_intent);
      return listPage(found, parameters, '/v1/refunds');
    },
  },
  {
    method: 'GET',
    path: '/v1/refunds/:id',
    accepts: [],
    run: ({ account, id }) => account.require<Refund>('refund', id),
  },
];
