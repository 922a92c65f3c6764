import type Stripe from 'stripe';
import type { StripeEmulator } from '../src/stripe/stripe-emulator.js';
import {
  CARD,
  NO_REDIRECTS,
  PREVIEW,
  refusalOf,
  startEmulatedStripe,
  submitPage,
} from './emulated-stripe.js';

let emulator: StripeEmulator;
let stripe: Stripe;

beforeAll(async () => {
  ({ emulator, stripe } = await startEmulatedStripe());
});
afterAll(() => emulator.close());

function charge(parameters: Partial<Stripe.PaymentIntentCreateParams> = {}, options?: Stripe.RequestOptions) {
  const params = { amount: 50, currency: 'usd', confirm: true, automatic_payment_methods: NO_REDIRECTS };
  return stripe.paymentIntents.create(
    { ...params, payment_method: 'pm_card_visa', ...parameters } as Stripe.PaymentIntentCreateParams,
    options,
  );
}

const lastEvents = async (limit: number) =>
  (await stripe.events.list({ limit })).data.map(({ type }) => type).reverse();

describe('a payment by card', () => {
  it('is charged at once, and found again by id, list, metadata and its charge', async () => {
    const paid = await charge({ metadata: { claim_id: "o'claim-1" }, expand: ['latest_charge'] });
    expect(paid).toMatchObject({
      status: 'succeeded',
      amount_received: 50,
      amount_capturable: 0,
      next_action: null,
    });
    expect(await lastEvents(3)).toEqual([
      'payment_intent.created',
      'charge.succeeded',
      'payment_intent.succeeded',
    ]);
    const { data } = await stripe.paymentIntents.search({
      query: `metadata['claim_id']:'o\\'claim-1' AND status:'succeeded'`,
    });
    expect(data.map(({ id }) => id)).toEqual([paid.id]);
    const listed = await stripe.paymentIntents.list({ created: { gte: paid.created }, limit: 1 });
    expect(listed.data[0].id).toBe(paid.id);
    const { id: chargeId } = paid.latest_charge as Stripe.Charge;
    expect(await stripe.charges.retrieve(chargeId)).toMatchObject({
      payment_intent: paid.id,
      captured: true,
    });
  });

  it('is refused by the test methods that refuse, as a card error that holds the payment', async () => {
    const refusals: [string, string, string][] = [
      ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
      ['pm_card_visa_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
      ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
      ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
      ['pm_card_chargeDeclinedProcessingError', 'processing_error', 'processing_error'],
    ];
    for (const [method, code, declineCode] of refusals) {
      const error = await refusalOf(charge({ payment_method: method }));
      expect(error).toMatchObject({
        type: 'StripeCardError',
        statusCode: 402,
        code,
        decline_code: declineCode,
        payment_intent: { status: 'requires_payment_method', last_payment_error: { code } },
      });
    }
    expect(await lastEvents(2)).toEqual(['charge.failed', 'payment_intent.payment_failed']);
  });

  it('waits for its holder where the card needs one, and fails where nobody can be asked', async () => {
    const threeD = { payment_method: 'pm_card_authenticationRequired' };
    const offSession = await refusalOf(charge({ ...threeD, off_session: true }));
    expect(offSession).toMatchObject({ statusCode: 402, code: 'authentication_required' });
    const waiting = await charge(threeD);
    expect(waiting).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } });
    const page = `${emulator.url}/pay/${waiting.client_secret}`;
    expect(await (await fetch(page)).text()).toContain('Confirm this payment');
    await submitPage(page, { step: 'authenticated' });
    expect((await stripe.paymentIntents.retrieve(waiting.id)).status).toBe('succeeded');
  });

  it('refuses amounts, currencies and parameters that Stripe refuses, and charges nothing', async () => {
    const before = (await stripe.charges.list({ limit: 100 })).data.length;
    const refusals: [object, string | undefined][] = [
      [{ amount: 49 }, 'amount_too_small'],
      [{ amount: 100_000_000 }, 'amount_too_large'],
      [{ amount: 0 }, 'parameter_invalid_integer'],
      [{ amount: -50 }, 'parameter_invalid_integer'],
      [{ amount: 50.5 }, 'parameter_invalid_integer'],
      [{ amount: '9007199254740993' }, 'parameter_invalid_integer'],
      [{ amount: undefined }, 'parameter_missing'],
      [{ currency: undefined }, 'parameter_missing'],
      [{ currency: 'dollars' }, undefined],
      [{ payment_method: 'pm_none' }, 'resource_missing'],
      [{ payment_method: undefined }, 'parameter_missing'],
      [{ colour: 'red' }, 'parameter_unknown'],
      [{ automatic_payment_methods: { enabled: true } }, undefined],
      [{ shared_payment_granted_token: 'spt_1' }, 'parameter_unknown'],
      [{ metadata: { ['k'.repeat(41)]: 'v' } }, undefined],
    ];
    for (const [parameters, code] of refusals) {
      const error = await refusalOf(charge(parameters));
      expect([parameters, error.type, error.code]).toEqual([parameters, 'StripeInvalidRequestError', code]);
    }
    expect((await stripe.charges.list({ limit: 100 })).data).toHaveLength(before);
  });

  it('is given back, in parts and never twice', async () => {
    const { id } = await charge({ amount: 1_000 });
    await stripe.refunds.create({ payment_intent: id, amount: 400 });
    const more = await refusalOf(stripe.refunds.create({ payment_intent: id, amount: 601 }));
    expect(more.statusCode).toBe(400);
    expect(await stripe.refunds.create({ payment_intent: id })).toMatchObject({ amount: 600 });
    const again = await refusalOf(stripe.refunds.create({ payment_intent: id }));
    expect(again.code).toBe('charge_already_refunded');
    expect((await stripe.refunds.list({ payment_intent: id })).data).toHaveLength(2);
  });
});

describe('a payment that is held first', () => {
  const hold = (parameters: object = {}) =>
    charge({ amount: 2_000, capture_method: 'manual', ...parameters });

  it('is captured whole or in part, once', async () => {
    const held = await hold();
    expect(held).toMatchObject({ status: 'requires_capture', amount_capturable: 2_000, amount_received: 0 });
    const tooMuch = await refusalOf(stripe.paymentIntents.capture(held.id, { amount_to_capture: 2_001 }));
    expect(tooMuch.code).toBe('amount_too_large');
    const captured = await stripe.paymentIntents.capture(held.id, { amount_to_capture: 500 });
    expect(captured).toMatchObject({ status: 'succeeded', amount_received: 500, amount_capturable: 0 });
    const again = await refusalOf(stripe.paymentIntents.capture(held.id));
    expect(again.code).toBe('payment_intent_unexpected_state');
    expect(again.message).toContain('You cannot capture this PaymentIntent');
    expect(await stripe.paymentIntents.capture((await hold()).id)).toMatchObject({ amount_received: 2_000 });
  });

  it('is let go by cancelling, and by itself after seven days', async () => {
    const held = await hold();
    const canceled = await stripe.paymentIntents.cancel(held.id, { cancellation_reason: 'abandoned' });
    expect(canceled).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'abandoned',
      amount_received: 0,
    });
    const late = await refusalOf(stripe.paymentIntents.capture(held.id));
    expect(late.code).toBe('payment_intent_unexpected_state');
    const forgotten = await hold();
    emulator.control.advance(7 * 86_400);
    expect(await stripe.paymentIntents.retrieve(forgotten.id)).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'automatic',
    });
  });

  it('is authorised on its own page, which shows a decline and does nothing without its secret', async () => {
    const intent = await hold({ confirm: false, payment_method: undefined, description: 'Escrow <1>' });
    const url = `${emulator.url}/pay/${intent.client_secret}`;
    expect(await (await fetch(url)).text()).toContain('Escrow &lt;1&gt;');
    const declined = await submitPage(url, { ...CARD, number: '4000000000000002' });
    expect(await declined.text()).toContain('Your card was declined.');
    const guessed = await submitPage(url.slice(0, -1), CARD);
    expect(guessed.status).toBe(404);
    expect(await (await submitPage(url, CARD)).text()).toContain('Authorised');
    expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ status: 'requires_capture' });
  });
});

describe('a shared payment token', () => {
  const inOneHour = () => Math.floor(Date.now() / 1_000) + 8 * 86_400;
  const mint = (limits: object = {}, method = 'pm_card_visa'): Promise<{ id: string }> =>
    stripe.rawRequest(
      'POST',
      '/v1/test_helpers/shared_payment/granted_tokens',
      {
        payment_method: method,
        usage_limits: { currency: 'usd', max_amount: 500, expires_at: inOneHour(), ...limits },
        seller_details: { network_id: 'internal' },
      },
      PREVIEW,
    );
  const pay = (token: string, amount = 50) =>
    charge({ payment_method: undefined, amount, shared_payment_granted_token: token } as object, PREVIEW);
  const stateOf = (id: string): Promise<{ deactivated_reason: string | null }> =>
    stripe.rawRequest('GET', `/v1/shared_payment/granted_tokens/${id}`, undefined, PREVIEW);

  it('pays once, under either name that the previews have for it', async () => {
    const token = await mint();
    expect(await pay(token.id)).toMatchObject({ status: 'succeeded', amount_received: 50 });
    expect(await stateOf(token.id)).toMatchObject({
      deactivated_reason: 'consumed',
      usage_details: { amount_captured: { currency: 'usd', value: 50 } },
    });
    expect(await refusalOf(pay(token.id))).toMatchObject({ statusCode: 400 });
    const { id } = await mint();
    const nested = { payment_method: undefined, payment_method_data: { shared_payment_granted_token: id } };
    expect(await charge(nested as object, PREVIEW)).toMatchObject({ status: 'succeeded' });
  });

  it('pays exactly one of a hundred that use it at once', async () => {
    const { id } = await mint();
    const results = await Promise.allSettled(Array.from({ length: 100 }, () => pay(id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('keeps to its amount, its currency, its time and its revocation', async () => {
    const { id } = await mint();
    expect((await refusalOf(pay(id, 501))).message).toContain('max_amount');
    expect((await refusalOf(pay((await mint({ currency: 'eur' })).id))).message).toContain('eur');
    const short = await mint({ expires_at: inOneHour() });
    emulator.control.advance(8 * 86_400);
    expect((await refusalOf(pay(short.id))).message).toContain('expired');
    const revoked = await mint({ expires_at: inOneHour() + 30 * 86_400 });
    const path = `/v1/test_helpers/shared_payment/granted_tokens/${revoked.id}/revoke`;
    await stripe.rawRequest('POST', path, {}, PREVIEW);
    expect((await refusalOf(pay(revoked.id))).message).toContain('revoked');
    expect(await refusalOf(pay('spt_none'))).toMatchObject({ statusCode: 404 });
  });

  it('is not used up by a card that is declined', async () => {
    const { id } = await mint({ expires_at: inOneHour() + 60 * 86_400 }, 'pm_card_chargeDeclined');
    expect(await refusalOf(pay(id))).toMatchObject({ type: 'StripeCardError' });
    expect(await stateOf(id)).toMatchObject({ deactivated_reason: null });
  });
});
