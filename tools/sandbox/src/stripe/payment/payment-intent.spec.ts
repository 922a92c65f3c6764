import Stripe from 'stripe';
import { type StripeEmulator, startStripeEmulator } from '../stripe-emulator.js';

let emulator: StripeEmulator;
let stripe: Stripe;
const NEVER = { enabled: true, allow_redirects: 'never' } as const;

beforeAll(async () => {
  emulator = await startStripeEmulator();
  const { port, secretKey } = emulator;
  stripe = new Stripe(secretKey, { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 });
});
afterAll(() => emulator.close());

function charge(parameters: Partial<Stripe.PaymentIntentCreateParams> = {}) {
  return stripe.paymentIntents.create({
    amount: 50,
    currency: 'usd',
    confirm: true,
    payment_method: 'pm_card_visa',
    automatic_payment_methods: NEVER,
    ...parameters,
  });
}

it('charges a card, and finds the payment again by id, list and metadata', async () => {
  const paid = await charge({ metadata: { claim_id: 'claim-1' } });
  expect(paid).toMatchObject({
    status: 'succeeded',
    amount_received: 50,
    amount_capturable: 0,
    next_action: null,
  });
  expect(await stripe.paymentIntents.retrieve(paid.id)).toMatchObject({ id: paid.id, status: 'succeeded' });
  const listed = await stripe.paymentIntents.list({ limit: 1 });
  expect(listed.data.map(({ id }) => id)).toEqual([paid.id]);
  const { data } = await stripe.paymentIntents.search({ query: `metadata['claim_id']:'claim-1'` });
  expect(data.map(({ id }) => id)).toEqual([paid.id]);
  const { data: none } = await stripe.paymentIntents.search({ query: `metadata['claim_id']:'claim-2'` });
  expect(none).toEqual([]);
});
