import { randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { LIST_PARAMETERS, listPage } from '../api/list-page.js';
import { type EmulatedAccount } from '../account/emulated-account.js';
import { type Call, type Route } from '../api/route.js';
import { invalidRequest } from '../api/stripe-error.js';
import { type Charge } from './charge.js';
import { type PaymentIntent } from './payment-intent.js';
import { effectOf, type PaymentMethod } from './payment-method.js';

/** After so long a refund that does not end at once has ended, seconds. */
const REFUND_SECONDS = 60;

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
  status: 'pending' | 'succeeded' | 'failed';
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
  const method = account.store.find<PaymentMethod>('payment_method', String(charge.payment_method));
  const effect = method && effectOf(method).refund;
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
    pending_reason: effect === 'pending' ? 'processing' : null,
    reason: parameters.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer']) ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: effect === 'pending' ? 'pending' : 'succeeded',
    transfer_reversal: null,
  });
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  account.store.save(charge);
  account.emit('refund.created', refund);
  account.emit('charge.refunded', charge);
  if (effect) account.store.save<Later>({ id: refund.id, object: LATER, fails: effect === 'fails' });
  return refund;
}

/** A refund that has not ended. */
interface Later extends StripeObject {
  object: typeof LATER;
  fails: boolean;
}
const LATER = 'emulator.refund';

/** Ends the refunds whose time has come: one that fails gives its amount back to the charge. */
export function refundsDue(account: EmulatedAccount): void {
  for (const later of account.store.all<Later>(LATER)) {
    const { id, fails } = later;
    const refund = account.require<Refund>('refund', id);
    if (account.now() < refund.created + REFUND_SECONDS) continue;
    account.store.remove(later);
    refund.status = fails ? 'failed' : 'succeeded';
    if (fails) {
      const charge = account.require<Charge>('charge', refund.charge);
      charge.amount_refunded -= refund.amount;
      charge.refunded = false;
      account.store.save(charge);
      refund.failure_reason = 'lost_or_stolen_card';
    }
    account.store.save(refund);
    account.emit('refund.updated', refund);
    if (fails) account.emit('refund.failed', refund);
  }
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
