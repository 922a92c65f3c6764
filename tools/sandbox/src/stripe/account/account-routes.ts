import { LIST_PARAMETERS, listPage } from '../api/list-page.js';
import { type Route } from '../api/route.js';
import { type Charge } from '../payment/charge.js';
import { type PaymentMethod } from '../payment/payment-method.js';
import { type EmulatedAccount, type StripeEvent } from './emulated-account.js';

/** The one account, which can do everything; the same at each request. */
function merchant(account: EmulatedAccount) {
  const { id, created } = account.merchant();
  return {
    id,
    object: 'account',
    business_profile: { name: 'Sandbox', url: null },
    business_type: 'company',
    capabilities: { card_payments: 'active', transfers: 'active' },
    charges_enabled: true,
    controller: { type: 'account' },
    country: 'US',
    created,
    default_currency: 'usd',
    details_submitted: true,
    email: null,
    metadata: {},
    payouts_enabled: false,
    type: 'standard',
  };
}

/** What the charges have brought, by currency; nothing is ever paid out. */
function balance(account: EmulatedAccount) {
  const sums = new Map<string, number>([['usd', 0]]);
  for (const charge of account.store.all<Charge>('charge').filter(({ captured }) => captured)) {
    const { currency, amount, amount_refunded: refunded } = charge;
    sums.set(currency, (sums.get(currency) ?? 0) + amount - refunded);
  }
  const money = (amountOf: (sum: number) => number) =>
    [...sums].map(([currency, sum]) => {
      const amount = amountOf(sum);
      return { amount, currency, source_types: { card: amount } };
    });
  return {
    object: 'balance',
    available: money(sum => sum),
    connect_reserved: [],
    livemode: false,
    pending: money(() => 0),
  };
}

/** Balance, events and payment methods: what belongs to the account as a whole. */
export const accountRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/account', accepts: [], run: ({ account }) => merchant(account) },
  { method: 'GET', path: '/v1/balance', accepts: [], run: ({ account }) => balance(account) },
  {
    method: 'GET',
    path: '/v1/events',
    accepts: [...LIST_PARAMETERS, 'type', 'types', 'delivery_success'],
    run: ({ account, parameters }) => {
      const types = [...parameters.texts('types'), ...[parameters.text('type') ?? []].flat()];
      const wanted = (type: string) =>
        types.length === 0 ||
        types.some(name => (name.endsWith('*') ? type.startsWith(name.slice(0, -1)) : name === type));
      const found = account.store.all<StripeEvent>('event').filter(event => wanted(event.type));
      return listPage(found, parameters, '/v1/events');
    },
  },
  {
    method: 'GET',
    path: '/v1/events/:id',
    accepts: [],
    run: ({ account, id }) => account.require<StripeEvent>('event', id),
  },
  {
    method: 'GET',
    path: '/v1/payment_methods/:id',
    accepts: [],
    run: ({ account, id }) => account.require<PaymentMethod>('payment_method', id),
  },
];
