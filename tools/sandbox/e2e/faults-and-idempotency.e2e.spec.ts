import type Stripe from 'stripe';
import type { StripeEmulator } from '../src/stripe/stripe-emulator.js';
import { clientOf, NO_REDIRECTS, refusalOf, startEmulatedStripe } from './emulated-stripe.js';

let emulator: StripeEmulator;
let stripe: Stripe;

beforeEach(async () => {
  ({ emulator, stripe } = await startEmulatedStripe());
});
afterEach(() => emulator.close());

const PARAMS: Stripe.PaymentIntentCreateParams = {
  amount: 50,
  currency: 'usd',
  confirm: true,
  payment_method: 'pm_card_visa',
  automatic_payment_methods: NO_REDIRECTS,
};
const charge = (key: string, params: Partial<Stripe.PaymentIntentCreateParams> = {}, client = stripe) =>
  client.paymentIntents.create({ ...PARAMS, ...params }, { idempotencyKey: key });
const chargeCount = async () => (await stripe.charges.list({ limit: 100 })).data.length;
const CREATE = { method: 'POST', path: '/v1/payment_intents' } as const;

describe('an idempotency key', () => {
  it('gives the first answer again, and says so', async () => {
    const first = await charge('key-1');
    const again = await charge('key-1');
    expect(again).toEqual(first);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(again.lastResponse.headers['original-request']).toBe(first.lastResponse.requestId);
    expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined();
    expect(await chargeCount()).toBe(1);
  });

  it('gives a decline again, and a refused parameter anew', async () => {
    const [first, again] = [
      await refusalOf(charge('key-2', { payment_method: 'pm_card_chargeDeclined' })),
      await refusalOf(charge('key-2', { payment_method: 'pm_card_chargeDeclined' })),
    ];
    expect(again.charge).toBe(first.charge);
    await refusalOf(charge('key-3', { amount: 1 }));
    expect(await charge('key-3')).toMatchObject({ status: 'succeeded' });
  });

  it('is refused for other parameters or another endpoint', async () => {
    await charge('key-4');
    const other = await refusalOf(charge('key-4', { amount: 51 }));
    expect(other).toMatchObject({
      type: 'StripeIdempotencyError',
      statusCode: 400,
      rawType: 'idempotency_error',
    });
    const elsewhere = await refusalOf(stripe.customers.create({}, { idempotencyKey: 'key-4' }));
    expect(elsewhere.message).toContain('/v1/payment_intents');
    expect(await chargeCount()).toBe(1);
  });

  it('is in use while its first request is at work', async () => {
    emulator.control.fault({ ...CREATE, delayMs: 60_000 });
    const first = charge('key-5');
    const waiting = async () => emulator.control.faults().length === 0;
    while (!(await waiting())) await new Promise(resolve => setImmediate(resolve));
    expect(await refusalOf(charge('key-5'))).toMatchObject({
      statusCode: 409,
      code: 'idempotency_key_in_use',
    });
    emulator.control.clearFaults();
    expect(await first).toMatchObject({ status: 'succeeded' });
    expect(await chargeCount()).toBe(1);
  });

  it('is forgotten after 24 hours', async () => {
    const first = await charge('key-6');
    emulator.control.advance(86_399);
    expect((await charge('key-6')).id).toBe(first.id);
    emulator.control.advance(2);
    expect((await charge('key-6')).id).not.toBe(first.id);
  });

  it('charges once for a hundred requests at once', async () => {
    const patient = clientOf(emulator, { maxNetworkRetries: 5 });
    const paid = await Promise.all(Array.from({ length: 100 }, () => charge('key-7', {}, patient)));
    expect(new Set(paid.map(({ id }) => id)).size).toBe(1);
    expect(await chargeCount()).toBe(1);
  });
});

describe('a fault', () => {
  it('before the effect leaves nothing behind, and its key free', async () => {
    emulator.control.fault({ ...CREATE, status: 503 });
    expect(await refusalOf(charge('key-8'))).toMatchObject({ statusCode: 503, type: 'StripeAPIError' });
    expect(await chargeCount()).toBe(0);
    expect(await charge('key-8')).toMatchObject({ status: 'succeeded' });
  });

  it('after the effect loses the answer, which its key brings back', async () => {
    emulator.control.fault({ ...CREATE, status: 500, after: true });
    expect(await refusalOf(charge('key-9'))).toMatchObject({ statusCode: 500 });
    expect(await chargeCount()).toBe(1);
    const found = await charge('key-9');
    expect(found.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await chargeCount()).toBe(1);
  });

  it('cuts the connection, before or after the effect', async () => {
    // stripe-node tries a cut connection once more by itself, with the same key.
    emulator.control.fault({ ...CREATE, drop: true, times: 2 });
    expect(await refusalOf(charge('key-10'))).toMatchObject({ type: 'StripeConnectionError' });
    expect(await chargeCount()).toBe(0);
    emulator.control.fault({ ...CREATE, drop: true, after: true, times: 2 });
    expect(await refusalOf(charge('key-10'))).toMatchObject({ type: 'StripeConnectionError' });
    expect(await chargeCount()).toBe(1);
    emulator.control.fault({ ...CREATE, drop: true, after: true });
    expect(await charge('key-11')).toMatchObject({ status: 'succeeded' });
    expect(await chargeCount()).toBe(2);
  });

  it('hangs until the caller gives up, with or without effect', async () => {
    const hasty = clientOf(emulator, { timeout: 200 });
    emulator.control.fault({ ...CREATE, hang: true });
    await refusalOf(charge('key-12', {}, hasty));
    expect(await chargeCount()).toBe(0);
    emulator.control.fault({ ...CREATE, hang: true, after: true });
    await refusalOf(charge('key-13', {}, hasty));
    expect(await chargeCount()).toBe(1);
  });

  it('strikes the calls that it names, as often as it says, over HTTP as well', async () => {
    const control = (method: string, body?: unknown, path = '/faults') =>
      fetch(`${emulator.url}/_emulator${path}`, {
        method,
        ...(body === undefined
          ? {}
          : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
      });
    expect((await control('POST', { path: '/v1/payment_intents/*', status: 503, times: 2 })).status).toBe(
      200,
    );
    const paid = await charge('key-14');
    await refusalOf(stripe.paymentIntents.retrieve(paid.id));
    expect(await (await control('GET')).json()).toMatchObject({ data: [{ times: 1, status: 503 }] });
    await control('DELETE');
    expect(await stripe.paymentIntents.retrieve(paid.id)).toMatchObject({ id: paid.id });
    for (const rule of [
      {},
      { status: 200 },
      { status: 500, drop: true },
      { times: 0, drop: true },
      { x: 1 },
      [],
    ]) {
      expect([rule, (await control('POST', rule)).status]).toEqual([rule, 400]);
    }
    expect((await control('POST', { seconds: -1 }, '/clock/advance')).status).toBe(400);
    const form = { method: 'POST', body: new URLSearchParams({ status: '500' }) };
    expect((await fetch(`${emulator.url}/_emulator/faults`, form)).status).toBe(400);
    expect(await (await control('GET')).json()).toEqual({ data: [] });
  });
});
