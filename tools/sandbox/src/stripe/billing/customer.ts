import { type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { LIST_PARAMETERS, listPage } from '../api/list-page.js';
import { type Parameters } from '../api/parameters.js';
import { type Call, type Route } from '../api/route.js';
import { paymentMethodOf } from '../payment/payment-method.js';

/** Who pays, as in Stripe's fixture `customer`. */
export interface Customer extends StripeObject {
  object: 'customer';
  created: number;
  delinquent: boolean;
  description: string | null;
  email: string | null;
  invoice_prefix: string;
  invoice_settings: { default_payment_method: string | null; [member: string]: unknown };
  metadata: Record<string, string>;
  name: string | null;
  next_invoice_sequence: number;
  phone: string | null;
  [member: string]: unknown;
}

const KIND = 'customer';
const ACCEPTS = [
  'address',
  'description',
  'email',
  'invoice_settings',
  'metadata',
  'name',
  'payment_method',
  'phone',
  'preferred_locales',
] as const;

/** A new customer, who has paid nothing. */
export function createCustomer(
  account: EmulatedAccount,
  wish: { email?: string | null; name?: string | null; metadata?: Record<string, string> } = {},
): Customer {
  const customer = account.store.save<Customer>({
    id: randomId('cus_', 14),
    object: KIND,
    address: null,
    balance: 0,
    created: account.now(),
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: wish.email ?? null,
    invoice_prefix: randomId('', 8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: wish.metadata ?? {},
    name: wish.name ?? null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  });
  account.emit('customer.created', customer);
  return customer;
}

function applyTo(account: EmulatedAccount, customer: Customer, parameters: Parameters): Customer {
  const method = parameters.map('invoice_settings').text('default_payment_method');
  const chosen = method ?? parameters.text('payment_method');
  const paymentMethod = chosen === undefined ? undefined : paymentMethodOf(account, chosen);
  customer.metadata = parameters.metadata(customer.metadata);
  for (const name of ['description', 'email', 'name', 'phone'] as const) {
    if (parameters.has(name)) customer[name] = parameters.text(name) ?? null;
  }
  if (paymentMethod) {
    paymentMethod.customer = customer.id;
    account.store.save(paymentMethod);
    if (method !== undefined) customer.invoice_settings.default_payment_method = paymentMethod.id;
  }
  return account.store.save(customer);
}

function list({ account, parameters }: Call) {
  const email = parameters.text('email');
  const all = account.store.all<Customer>(KIND);
  const found = email === undefined ? all : all.filter(customer => customer.email === email);
  return listPage(found, parameters, '/v1/customers');
}

export const customerRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/customers',
    accepts: ACCEPTS,
    run: ({ account, parameters }) => {
      const metadata = parameters.metadata();
      const wish = { email: parameters.text('email'), name: parameters.text('name'), metadata };
      return applyTo(account, createCustomer(account, wish), parameters);
    },
  },
  { method: 'GET', path: '/v1/customers', accepts: [...LIST_PARAMETERS, 'email'], run: list },
  {
    method: 'GET',
    path: '/v1/customers/:id',
    accepts: [],
    run: ({ account, id }) => account.require<Customer>(KIND, id),
  },
  {
    method: 'POST',
    path: '/v1/customers/:id',
    accepts: ACCEPTS,
    run: ({ account, parameters, id }) => {
      const customer = applyTo(account, account.require<Customer>(KIND, id), parameters);
      account.emit('customer.updated', customer);
      return customer;
    },
  },
  {
    method: 'DELETE',
    path: '/v1/customers/:id',
    accepts: [],
    run: ({ account, id }) => {
      const customer = account.require<Customer>(KIND, id);
      account.store.remove(customer);
      account.emit('customer.deleted', customer);
      return { id, object: KIND, deleted: true };
    },
  },
];
