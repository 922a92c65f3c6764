import type Stripe from 'stripe';
import type { StripeEmulator } from '../src/stripe/stripe-emulator.js';
import { CARD, refusalOf, startEmulatedStripe, submitPage } from './emulated-stripe.js';

let emulator: StripeEmulator;
let stripe: Stripe;

beforeAll(async () => {
  ({ emulator, stripe } = await startEmulatedStripe());
});
afterAll(() => emulator.close());

const PACK = { currency: 'usd', unit_amount: 1_000, product_data: { name: 'Credit pack <10>' } };

function openCheckout(parameters: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  return stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ quantity: 1, price_data: PACK }],
    success_url: 'http://127.0.0.1:9/done?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://127.0.0.1:9/no',
    client_reference_id: 'checkout-1',
    metadata: { pack: 'pack_10' },
    payment_intent_data: { metadata: { order: '1' } },
    ...parameters,
  });
}

const FORM = { ...CARD, email: 'payer@example.com' };

describe('a checkout that is paid once', () => {
  it('leads the payer who typed a good card back with the session id, paid, with payment, lines and events', async () => {
    const session = await openCheckout();
    expect(session).toMatchObject({ status: 'open', payment_status: 'unpaid', amount_total: 1_000 });
    const answer = await submitPage(session.url!, FORM);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `http://127.0.0.1:9/done?session_id=${session.id}`,
    ]);
    const paid = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ['payment_intent.latest_charge', 'line_items', 'subscription'],
    });
    expect(paid).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      client_reference_id: 'checkout-1',
      metadata: { pack: 'pack_10' },
      customer_details: { email: 'payer@example.com' },
      subscription: null,
      payment_intent: {
        status: 'succeeded',
        amount_received: 1_000,
        metadata: { order: '1' },
        latest_charge: { object: 'charge', captured: true },
      },
    });
    expect(paid.line_items?.data[0]).toMatchObject({ description: 'Credit pack <10>', amount_total: 1_000 });
    const lines = await stripe.checkout.sessions.listLineItems(session.id);
    expect(lines.data.map(({ quantity }) => quantity)).toEqual([1]);
    const events = await stripe.events.list({ type: 'checkout.session.completed', limit: 1 });
    expect(events.data[0].data.object).toMatchObject({ id: session.id, payment_status: 'paid' });
    const [listed] = (await stripe.checkout.sessions.list({ limit: 1 })).data;
    expect(listed.id).toBe(session.id);
  });

  it('charges once however often the form is sent', async () => {
    const session = await openCheckout();
    const answers = await Promise.all(Array.from({ length: 8 }, () => submitPage(session.url!, FORM)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(session.id);
    const charges = await stripe.charges.list({ payment_intent: intent as string });
    expect(charges.data).toHaveLength(1);
  });

  it('shows what the bank or the form finds wrong, and can still be paid', async () => {
    const session = await openCheckout();
    const tries: [Record<string, string>, string][] = [
      [{ number: '4000 0000 0000 0002' }, 'Your card was declined.'],
      [{ number: '4000 0000 0000 9995' }, 'Your card has insufficient funds.'],
      [{ number: '4000 0000 0000 0069' }, 'Your card has expired.'],
      [{ number: '4242 4242 4242 4241' }, 'Your card number is invalid.'],
      [{ number: '4000 0000 0000 1000' }, 'test mode'],
      [{ expiry: '01 / 20' }, 'expiration date is in the past'],
      [{ expiry: '13 / 30' }, 'expiration date is incomplete'],
      [{ cvc: '1' }, 'security code is incomplete'],
      [{ email: 'nobody' }, 'Your e-mail address is incomplete.'],
    ];
    for (const [fields, words] of tries) {
      const answer = await submitPage(session.url!, { ...FORM, ...fields });
      expect([fields, answer.status]).toEqual([fields, 402]);
      const page = (await answer.text()).replaceAll('&#39;', "'");
      expect(page).toContain(words);
      expect(page).not.toContain(`value="${FORM.cvc}"`);
    }
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'open' });
    expect((await submitPage(session.url!, FORM)).status).toBe(303);
  });

  it('asks the holder to confirm where the card needs it, and takes nothing when that is refused', async () => {
    const session = await openCheckout();
    const asked = await submitPage(session.url!, { ...FORM, number: '4000002760003184' });
    const [, method] = /name="method" value="([^"]+)"/.exec(await asked.text())!;
    const email = FORM.email;
    const refused = await submitPage(session.url!, { step: 'refused', method, email });
    expect(await refused.text()).toContain('was not confirmed');
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'unpaid' });
    await submitPage(session.url!, { ...FORM, number: '4000002760003184' });
    const confirmed = await submitPage(session.url!, { step: 'authenticated', method, email });
    expect(confirmed.status).toBe(303);
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'paid' });
  });

  it('says on every page that no money moves, escapes what it shows, and runs no script', async () => {
    const session = await openCheckout({ customer_email: 'fixed@example.com' });
    const answer = await fetch(session.url!);
    const page = await answer.text();
    expect(page).toContain('no money moves');
    expect(page).toContain('Credit pack &lt;10&gt;');
    expect(page).toMatch(/value="fixed@example.com" readonly/);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:9;");
    expect((await submitPage(session.url!, { 'email[x]': 'y', step: 'pay' })).status).toBe(400);
    expect((await submitPage(`${session.url!}x`, FORM)).status).toBe(404);
    const canceled = await submitPage(session.url!, { step: 'cancel' });
    expect(canceled.headers.get('location')).toBe('http://127.0.0.1:9/no');
  });

  it('tells of a bank debit later that it succeeded or failed', async () => {
    const types = ['card', 'us_bank_account'] as const;
    const outcomes: unknown[] = [];
    for (const fails of [false, true]) {
      const session = await openCheckout({ allowed_payment_method_types: [...types] });
      const fields = { email: FORM.email, account: '000123456789', number: '', step: 'pay' };
      expect((await submitPage(session.url!, fields)).status).toBe(303);
      const under = await stripe.checkout.sessions.retrieve(session.id);
      expect(under).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
      emulator.control.settleBankDebit(session.id, { fails });
      const { payment_status: status } = await stripe.checkout.sessions.retrieve(session.id);
      const [event] = (await stripe.events.list({ limit: 1 })).data;
      outcomes.push([status, event.type]);
    }
    expect(outcomes).toEqual([
      ['paid', 'checkout.session.async_payment_succeeded'],
      ['unpaid', 'checkout.session.async_payment_failed'],
    ]);
  });

  it('expires on demand and in its time, and cannot be paid then', async () => {
    const expired = await openCheckout();
    expect(await stripe.checkout.sessions.expire(expired.id)).toMatchObject({ status: 'expired', url: null });
    expect((await submitPage(expired.url!, FORM)).status).toBe(410);
    const again = await refusalOf(stripe.checkout.sessions.expire(expired.id));
    expect(again).toMatchObject({ statusCode: 400 });
    const timely = await openCheckout();
    emulator.control.advance(86_401);
    expect(await stripe.checkout.sessions.retrieve(timely.id)).toMatchObject({ status: 'expired' });
  });
});

it('refuses checkouts that could not be paid or would lead nowhere', async () => {
  const line = (unitAmount: number) => [{ quantity: 1, price_data: { ...PACK, unit_amount: unitAmount } }];
  const refusals: [Partial<Stripe.Checkout.SessionCreateParams>, string][] = [
    [{ line_items: line(49) }, 'amount_too_small'],
    [{ line_items: [] }, 'parameter_missing'],
    [{ success_url: 'javascript:alert(1)' }, 'url_invalid'],
    [{ success_url: undefined }, 'parameter_missing'],
    [{ customer_email: 'nobody' }, 'email_invalid'],
    [{ customer: 'cus_none' }, 'resource_missing'],
    [{ color: 'red' } as never, 'parameter_unknown'],
  ];
  for (const [parameters, code] of refusals) {
    expect([parameters, (await refusalOf(openCheckout(parameters))).code]).toEqual([parameters, code]);
  }
  const recurring = { ...PACK, recurring: { interval: 'month' as const } };
  await refusalOf(openCheckout({ line_items: [{ quantity: 1, price_data: recurring }] }));
  await refusalOf(openCheckout({ mode: 'subscription', payment_intent_data: undefined }));
});
