import Stripe from 'stripe';
import { ChargeTries } from './charge-tries.js';

/** Tries of one call after the first, with one idempotency key, and the patience of each: together less than a call on the bus may take. */
const RETRIES = 1;
const TIMEOUT_MS = 10_000;
/** A reconciler reads so many pages of a hundred before it searches. */
const LIST_PAGES_MAX = 10;
/** Clocks differ, ours and theirs, and a payment is made after it is claimed. */
const LIST_BEFORE_SECONDS = 600;
const LIST_AFTER_SECONDS = 600;
/** Within that the search index knows a payment, also on a bad day of it. */
const SEARCHABLE_AFTER_MS = 60 * 60 * 1_000;
/** Age of a webhook's signature at which it is refused; so it is where it is of a time to come, by as much. */
export const SIGNATURE_TOLERANCE_SECONDS = 300;

/** How a preview version of Stripe's API names a shared payment token. */
export type TokenParameter =
  'shared_payment_granted_token' | 'payment_method_data.shared_payment_granted_token';

export interface StripeOptions {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** In place of https://api.stripe.com. */
  readonly apiUrl?: string;
  readonly tokenParameter: TokenParameter;
  readonly previewVersion: string;
  readonly timeoutMs?: number;
}

/** A charge with a shared payment token. */
export interface TokenCharge {
  readonly claimId: string;
  readonly amountCents: number;
  readonly token: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A refund of a payment, in part or whole. */
export interface CardRefund {
  /** Ours: the idempotency key, and metadata of the refund. */
  readonly refundId: string;
  readonly paymentIntentId: string;
  readonly amountCents: number;
}

/** A hosted checkout of one thing. */
export interface CheckoutOrder {
  /** Ours: the client reference, and the idempotency key. */
  readonly checkoutId: string;
  readonly amountCents: number;
  readonly name: string;
  /** Paid again every month; once where not. */
  readonly monthly: boolean;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly email?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A payment that is to be held. */
export interface HeldOrder {
  readonly escrowId: string;
  readonly amountCents: number;
  readonly description?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What is known of the payment of a claim; `undecided` where that cannot be said yet. */
export type FoundPayment = Stripe.PaymentIntent | 'none' | 'undecided';

/**
 * The one place that speaks to Stripe, real or emulated. Every call that moves money carries an idempotency key of
 * ours, so that it can be asked again; errors are stripe-node's, sorted by `stripeFaultOf`.
 */
export class StripeAdapter {
  /** Whether the money is play money. */
  readonly testMode: boolean;
  private readonly client: Stripe;
  private readonly tries = new ChargeTries();
  private account: Promise<{ accountId: string; name: string }> | undefined;

  constructor(private readonly options: StripeOptions) {
    this.testMode = !/^.._live_/.test(options.secretKey);
    const address = options.apiUrl === undefined ? undefined : new URL(options.apiUrl);
    this.client = new Stripe(options.secretKey, {
      maxNetworkRetries: RETRIES,
      timeout: options.timeoutMs ?? TIMEOUT_MS,
      telemetry: false,
      httpClient: this.tries.httpClient,
      ...(address && {
        host: address.hostname,
        port: address.port || (address.protocol === 'https:' ? 443 : 80),
        protocol: address.protocol === 'https:' ? 'https' : 'http',
      }),
    });
  }

  /** Whether Stripe answers this deployment's key. */
  async isReachable(): Promise<boolean> {
    await this.client.balance.retrieve({}, { maxNetworkRetries: 0, timeout: 4_000 });
    return true;
  }

  /** The merchant's own, public account id at Stripe. */
  async accountId(): Promise<string> {
    return (await this.merchant()).accountId;
  }

  /** The merchant's account, and the name that its buyers see. */
  merchant(): Promise<{ readonly accountId: string; readonly name: string }> {
    this.account ??= this.client.accounts.retrieveCurrent().then(
      ({ id, business_profile, settings }) => ({
        accountId: id,
        name: business_profile?.name ?? settings?.dashboard?.display_name ?? '',
      }),
      error => {
        this.account = undefined;
        throw error;
      },
    );
    return this.account;
  }

  /**
   * Charges a shared payment token, once for a claim, however often it is asked.
   * @throws ChargeFailed
   */
  charge(charge: TokenCharge): Promise<Stripe.PaymentIntent> {
    const token =
      this.options.tokenParameter === 'shared_payment_granted_token'
        ? { shared_payment_granted_token: charge.token }
        : { payment_method_data: { shared_payment_granted_token: charge.token } };
    // Shared payment tokens are a preview, which stripe-node's types leave out.
    const params = {
      amount: charge.amountCents,
      currency: 'usd',
      confirm: true,
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      description: charge.description,
      metadata: { ...charge.metadata, claim_id: charge.claimId },
      ...token,
    } as Stripe.PaymentIntentCreateParams;
    const { claimId: idempotencyKey } = charge;
    const options = { idempotencyKey, apiVersion: this.options.previewVersion };
    return this.tries.counted(idempotencyKey, () =>
      this.client.paymentIntents.create(params, options as Stripe.RequestOptions),
    );
  }

  /**
   * The payment of a claim. The list is read first, since it is always up to date; where more was sold in those
   * minutes than can be read, the search index is asked, whose "no" counts only once it must know.
   */
  async findByClaim(claimId: string, claimedAtMs: number): Promise<FoundPayment> {
    const claimedAt = Math.floor(claimedAtMs / 1_000);
    const created = { gte: claimedAt - LIST_BEFORE_SECONDS, lte: claimedAt + LIST_AFTER_SECONDS };
    let after: string | undefined;
    for (let page = 0; page < LIST_PAGES_MAX; page++) {
      const { data, has_more: more } = await this.client.paymentIntents.list({
        created,
        limit: 100,
        ...(after === undefined ? {} : { starting_after: after }),
      });
      const found = data.find(({ metadata }) => metadata.claim_id === claimId);
      if (found) return found;
      if (!more || data.length === 0) return 'none';
      after = data[data.length - 1].id;
    }
    const { data } = await this.client.paymentIntents.search({ query: `metadata['claim_id']:'${claimId}'` });
    if (data.length > 0) return data[0];
    return Date.now() - claimedAtMs > SEARCHABLE_AFTER_MS ? 'none' : 'undecided';
  }

  /**
   * Gives some of a payment back, once for a refund id, however often it is asked.
   * @throws ChargeFailed
   */
  refund({ refundId, paymentIntentId, amountCents }: CardRefund): Promise<Stripe.Refund> {
    const params = {
      payment_intent: paymentIntentId,
      amount: amountCents,
      metadata: { refund_id: refundId },
    };
    return this.tries.counted(refundId, () =>
      this.client.refunds.create(params, { idempotencyKey: refundId }),
    );
  }

  /** The refund of an id of ours; undefined where the payment has none. The list is always up to date. */
  async findRefund(paymentIntentId: string, refundId: string): Promise<Stripe.Refund | undefined> {
    const listed = await this.refundsOf(paymentIntentId);
    return listed.find(({ metadata }) => metadata?.refund_id === refundId);
  }

  /** All refunds of a payment: ours, and those made on the processor's pages. */
  async refundsOf(paymentIntentId: string): Promise<Stripe.Refund[]> {
    const listed: Stripe.Refund[] = [];
    for await (const refund of this.client.refunds.list({ payment_intent: paymentIntentId, limit: 100 }))
      listed.push(refund);
    return listed;
  }

  retrieveRefund(id: string): Promise<Stripe.Refund> {
    return this.client.refunds.retrieve(id);
  }

  /** Makes the hosted page of a checkout, one for a checkout id. */
  createCheckout(order: CheckoutOrder): Promise<Stripe.Checkout.Session> {
    const price = {
      currency: 'usd',
      unit_amount: order.amountCents,
      product_data: { name: order.name },
      ...(order.monthly ? { recurring: { interval: 'month' as const } } : {}),
    };
    return this.client.checkout.sessions.create(
      {
        mode: order.monthly ? 'subscription' : 'payment',
        line_items: [{ quantity: 1, price_data: price }],
        success_url: order.successUrl,
        cancel_url: order.cancelUrl,
        client_reference_id: order.checkoutId,
        metadata: { ...order.metadata },
        ...(order.email === undefined ? {} : { customer_email: order.email }),
        ...(order.monthly
          ? { subscription_data: { metadata: { ...order.metadata } } }
          : { payment_intent_data: { metadata: { ...order.metadata } } }),
      },
      { idempotencyKey: order.checkoutId },
    );
  }

  /** A checkout with its payment's charge and its subscription within. */
  retrieveCheckout(sessionId: string): Promise<Stripe.Checkout.Session> {
    return this.client.checkout.sessions.retrieve(sessionId, {
      expand: ['payment_intent.latest_charge', 'subscription'],
    });
  }

  /** Ends an open checkout: it can be paid no more. Stripe refuses it for one that is complete or expired. */
  expireCheckout(sessionId: string): Promise<Stripe.Checkout.Session> {
    return this.client.checkout.sessions.expire(sessionId);
  }

  retrieveSubscription(subscriptionId: string): Promise<Stripe.Subscription> {
    return this.client.subscriptions.retrieve(subscriptionId);
  }

  /** Ids of the payments of an invoice, also of those that were refused. */
  async intentsOfInvoice(invoiceId: string): Promise<string[]> {
    const { data } = await this.client.invoicePayments.list({ invoice: invoiceId, limit: 100 });
    return data.flatMap(({ payment: { payment_intent: intent } }) =>
      intent === undefined ? [] : [typeof intent === 'string' ? intent : intent.id],
    );
  }

  /** The invoices that a payment is of; of most payments there is none. */
  async invoicesOfIntent(paymentIntentId: string): Promise<Stripe.Invoice[]> {
    const { data } = await this.client.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: paymentIntentId },
      expand: ['data.invoice'],
      limit: 100,
    });
    return data.flatMap(({ invoice }) =>
      typeof invoice === 'string' || 'deleted' in invoice ? [] : [invoice],
    );
  }

  /** Makes a payment that is authorised and not captured, one for an escrow id. */
  createHeld(order: HeldOrder): Promise<Stripe.PaymentIntent> {
    return this.client.paymentIntents.create(
      {
        amount: order.amountCents,
        currency: 'usd',
        capture_method: 'manual',
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        ...(order.description === undefined ? {} : { description: order.description }),
        metadata: { ...order.metadata, escrow_id: order.escrowId },
      },
      { idempotencyKey: order.escrowId },
    );
  }

  /** Captures a held payment, whole or in part; the rest goes back to the payer. */
  captureHeld(
    paymentIntentId: string,
    amountCents: number,
    idempotencyKey: string,
  ): Promise<Stripe.PaymentIntent> {
    const params = { amount_to_capture: amountCents };
    return this.client.paymentIntents.capture(paymentIntentId, params, { idempotencyKey });
  }

  cancelIntent(
    paymentIntentId: string,
    reason: 'abandoned' | 'requested_by_customer',
    idempotencyKey: string,
  ): Promise<Stripe.PaymentIntent> {
    const params = { cancellation_reason: reason };
    return this.client.paymentIntents.cancel(paymentIntentId, params, { idempotencyKey });
  }

  retrieveIntent(paymentIntentId: string): Promise<Stripe.PaymentIntent> {
    return this.client.paymentIntents.retrieve(paymentIntentId);
  }

  /**
   * Reads a webhook, whose signature covers the raw bytes.
   * @throws Stripe.errors.StripeSignatureVerificationError for one that is bad, missing or too old
   * @throws RangeError for one of a time to come, which could be sent again for longer than others
   */
  constructEvent(payload: Uint8Array, signature: string): Stripe.Event {
    const event = this.client.webhooks.constructEvent(
      Buffer.from(payload),
      signature,
      this.options.webhookSecret,
      SIGNATURE_TOLERANCE_SECONDS,
    );
    const latest = Date.now() / 1_000 + SIGNATURE_TOLERANCE_SECONDS;
    const times = [...signature.matchAll(/(?:^|,)t=([^,]*)/g)].map(([, seconds]) => parseInt(seconds, 10));
    if (times.some(seconds => !(seconds <= latest))) throw new RangeError('the signature is of the future');
    return event;
  }
}
