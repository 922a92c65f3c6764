import { type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { LIST_PARAMETERS, listPage } from '../api/list-page.js';
import { currencyOf, type Parameters } from '../api/parameters.js';
import { type Route } from '../api/route.js';
import { invalidRequest } from '../api/stripe-error.js';

const AMOUNT_MAX = 99_999_999;
export const INTERVALS = ['day', 'week', 'month', 'year'] as const;

/** What is sold, as in Stripe's fixture `product`. */
export interface Product extends StripeObject {
  object: 'product';
  name: string;
  description: string | null;
  metadata: Record<string, string>;
  [member: string]: unknown;
}

/** For how much, and how often, as in Stripe's fixture `price`. */
export interface Price extends StripeObject {
  object: 'price';
  currency: string;
  metadata: Record<string, string>;
  product: string;
  recurring: {
    interval: (typeof INTERVALS)[number];
    interval_count: number;
    [member: string]: unknown;
  } | null;
  type: 'one_time' | 'recurring';
  unit_amount: number;
  unit_amount_decimal: string;
  [member: string]: unknown;
}

function createProduct(account: EmulatedAccount, data: Parameters): Product {
  return account.store.save<Product>({
    id: randomId('prod_', 14),
    object: 'product',
    active: true,
    created: account.now(),
    default_price: null,
    description: data.text('description') ?? null,
    images: data.texts('images'),
    livemode: false,
    marketing_features: [],
    metadata: data.metadata(),
    name: data.requiredText('name', 250),
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: account.now(),
    url: null,
  });
}

/** `price_data` of a line item, or the parameters of a new price. */
export function createPrice(account: EmulatedAccount, data: Parameters): Price {
  const currency = currencyOf(data) ?? data.missing('currency');
  const unitAmount = data.integer('unit_amount', { max: AMOUNT_MAX }) ?? data.missing('unit_amount');
  const recurring = data.has('recurring') ? data.map('recurring') : undefined;
  const interval = recurring && (recurring.oneOf('interval', INTERVALS) ?? recurring.missing('interval'));
  const intervalCount = recurring?.integer('interval_count', { min: 1, max: 36 }) ?? 1;
  const productId = data.text('product');
  const product = productId
    ? account.require<Product>('product', productId, 'product')
    : data.has('product_data')
      ? createProduct(account, data.map('product_data'))
      : data.missing('product');
  return account.store.save<Price>({
    id: randomId('price_'),
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: account.now(),
    currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: data.metadata(),
    nickname: data.text('nickname') ?? null,
    product: product.id,
    recurring: interval
      ? {
          interval,
          interval_count: intervalCount,
          meter: null,
          trial_period_days: null,
          usage_type: 'licensed',
        }
      : null,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: interval ? 'recurring' : 'one_time',
    unit_amount: unitAmount,
    unit_amount_decimal: String(unitAmount),
  });
}

/** The price that a line item or a subscription item names or describes. */
export function priceOf(account: EmulatedAccount, item: Parameters): Price {
  const id = item.text('price');
  if (id !== undefined && item.has('price_data')) {
    throw invalidRequest('You may only specify one of these parameters: price, price_data.', 'price');
  }
  if (id !== undefined) return account.require<Price>('price', id, 'price');
  return item.has('price_data') ? createPrice(account, item.map('price_data')) : item.missing('price');
}

export const priceRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/products',
    accepts: ['description', 'images', 'metadata', 'name'],
    run: ({ account, parameters }) => createProduct(account, parameters),
  },
  {
    method: 'GET',
    path: '/v1/products/:id',
    accepts: [],
    run: ({ account, id }) => account.require<Product>('product', id),
  },
  {
    method: 'POST',
    path: '/v1/prices',
    accepts: ['currency', 'metadata', 'nickname', 'product', 'product_data', 'recurring', 'unit_amount'],
    run: ({ account, parameters }) => createPrice(account, parameters),
  },
  {
    method: 'GET',
    path: '/v1/prices',
    accepts: [...LIST_PARAMETERS, 'product'],
    run: ({ account, parameters }) => {
      const product = parameters.text('product');
      const found = account.store
        .all<Price>('price')
        .filter(price => (product ?? price.product) === price.product);
      return listPage(found, parameters, '/v1/prices');
    },
  },
  {
    method: 'GET',
    path: '/v1/prices/:id',
    accepts: [],
    run: ({ account, id }) => account.require<Price>('price', id),
  },
];
