import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, problem, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import Stripe from 'stripe';
import { DataSource, type EntityManager } from 'typeorm';
import { CARD_SETTINGS, type CardSettings } from '../card/card-config.js';
import { type Bought, CreditReversals } from '../card/credit-reversals.js';
import type { StripeAdapter } from '../card/stripe-adapter.js';
import { stripeFaultOf } from '../card/stripe-fault.js';
import { EscrowService } from '../escrow/escrow.service.js';
import { CardRefundBook } from '../refund/card-refund-book.js';
import { SubscriptionInvoices, subscriptionOf } from '../subscription/subscription-invoices.js';
import { Subscriptions } from '../subscription/subscriptions.js';
import { Fulfilment } from './fulfilment.js';
import { eventOf, MAY_BE_OURS_YET, recordEvent } from './webhook-event.js';

/** Metadata of the payments that we order: of a checkout, of a claim on a card, of an escrow. */
const ORDER_IDS = ['checkout_id', 'claim_id', 'escrow_id'];
/** Metadata of others' payments on the same account at Stripe may say anything. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What an event does, in the transaction that records it; false where it concerns nothing of ours. */
type Effect = (manager: EntityManager) => Promise<boolean>;

type Outcome = 'done' | 'duplicate' | 'ignored';

/**
 * Stripe's events. Each is recorded in the transaction of its effect, so that of any number of deliveries one has it. An
 * event says only where to look: what counts is what Stripe says of the thing when it is asked, so that the order in
 * which events come makes no difference.
 */
@Injectable()
export class WebhookService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly fulfilment: Fulfilment,
    private readonly subscriptions: Subscriptions,
    private readonly invoices: SubscriptionInvoices,
    private readonly escrows: EscrowService,
    private readonly reversals: CreditReversals,
    private readonly refunds: CardRefundBook,
    @Inject(CARD_SETTINGS) private readonly card: CardSettings | null,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {}

  /** @throws ProblemError WEBHOOK_INVALID; SERVICE_UNAVAILABLE when Stripe cannot be asked: it delivers again */
  async handle(
    payload: Uint8Array,
    signature: string | undefined,
  ): Promise<{ received: true; outcome: Outcome }> {
    if (!this.card) throw problem('WEBHOOK_INVALID', 'No card processor is configured here');
    const event = eventOf(this.card.stripe, payload, signature);
    if (await this.isKnown(event.id)) return { received: true, outcome: 'duplicate' };
    const effect = await this.effectOf(event, this.card.stripe).catch(away);
    const outcome = await inTransaction(this.dataSource, manager => this.once(manager, event, effect));
    return { received: true, outcome };
  }

  private async isKnown(eventId: string): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM webhook_event event WHERE event_id = $1 AND NOT ${MAY_BE_OURS_YET}`,
      [eventId],
    );
    return rows.length > 0;
  }

  /** Deliveries at the same time wait here for the first; where it fails, the next has the effect. */
  private async once(
    manager: EntityManager,
    event: Stripe.Event,
    effect: Effect | undefined,
  ): Promise<Outcome> {
    const inserted = await recordEvent(manager, { ...event, outcome: effect ? 'done' : 'ignored' });
    if (!inserted) return 'duplicate';
    if (effect && (await effect(manager))) return 'done';
    await manager.query(`UPDATE webhook_event SET outcome = 'ignored' WHERE event_id = $1`, [event.id]);
    return 'ignored';
  }

  private async effectOf(event: Stripe.Event, stripe: StripeAdapter): Promise<Effect | undefined> {
    // Things without an id of their own, as a balance, cannot be asked about.
    if (!('id' in event.data.object) || typeof event.data.object.id !== 'string') return undefined;
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded': {
        const session = await stripe.retrieveCheckout(event.data.object.id);
        return async manager => {
          const { outcome } = await this.fulfilment.fulfilWithin(manager, session);
          return outcome !== 'unknown';
        };
      }
      case 'customer.subscription.updated':
      case 'customer.subscription.deleted':
        return this.ofSubscription(stripe, event.data.object.id);
      case 'invoice.paid':
      case 'invoice.payment_failed':
        return this.ofInvoice(stripe, event.data.object, event.type === 'invoice.paid');
      case 'payment_intent.amount_capturable_updated':
      case 'payment_intent.succeeded':
      case 'payment_intent.canceled': {
        if (event.data.object.metadata?.escrow_id === undefined) return undefined;
        const intent = await stripe.retrieveIntent(event.data.object.id);
        return manager => this.escrows.adopt(manager, intent);
      }
      case 'charge.refunded':
        return this.ofRefund(stripe, event.data.object);
      case 'refund.failed':
        return this.ofFailedRefund(stripe, event.data.object.id);
      case 'charge.dispute.created':
      case 'charge.dispute.closed':
        return this.ofDispute(stripe, event.data.object);
      default:
        return undefined;
    }
  }

  /** Of our own refunds it is known what they took, and from whom. */
  private async ofRefund(stripe: StripeAdapter, charge: Stripe.Charge): Promise<Effect | undefined> {
    const { payment_intent: of } = charge;
    const paymentIntentId = typeof of === 'string' ? of : (of?.id ?? '');
    await this.refunds.ask(paymentIntentId);
    const listed = await stripe.refundsOf(paymentIntentId);
    return this.ofReversal(stripe, of, async (manager, bought) =>
      this.reversals.refund(
        manager,
        charge,
        bought,
        await this.refunds.ownOf(manager, paymentIntentId, listed),
      ),
    );
  }

  /** What was refunded and came back is ours again. */
  private async ofFailedRefund(stripe: StripeAdapter, id: string): Promise<Effect | undefined> {
    const refund = await stripe.retrieveRefund(id);
    return refund.status === 'failed' ? manager => this.refunds.failed(manager, refund) : undefined;
  }

  private ofDispute(stripe: StripeAdapter, dispute: Stripe.Dispute): Promise<Effect | undefined> {
    return this.ofReversal(stripe, dispute.payment_intent, (manager, bought) =>
      this.reversals.dispute(manager, dispute, bought),
    );
  }

  private async ofSubscription(stripe: StripeAdapter, subscriptionId: string): Promise<Effect> {
    const askedAtMs = Date.now();
    const subscription = await stripe.retrieveSubscription(subscriptionId);
    return manager => this.subscriptions.keepTrue(manager, subscription, askedAtMs);
  }

  /** A paid month is earned when it is paid, once for an invoice, also before its checkout is known here. */
  private async ofInvoice(
    stripe: StripeAdapter,
    invoice: Stripe.Invoice,
    paid: boolean,
  ): Promise<Effect | undefined> {
    const askedAtMs = Date.now();
    const subscription = await subscriptionOf(stripe, invoice);
    if (!subscription) return undefined;
    const isEarned = paid && invoice.amount_paid > 0;
    const paymentIntentIds = isEarned ? await this.intentsOf(stripe, invoice.id) : [];
    const checkoutId = subscription.metadata.checkout_id;
    return async manager => {
      await this.subscriptions.keepTrue(manager, subscription, askedAtMs);
      if (isEarned) await this.invoices.earn(manager, invoice, { paymentIntentIds, checkoutId });
      return true;
    };
  }

  /**
   * The payments of an invoice. A key that may not read invoices is no reason not to book what was earned: what goes back of it is
   * asked about when it does.
   */
  private async intentsOf(stripe: StripeAdapter, invoiceId: string): Promise<string[]> {
    try {
      return await stripe.intentsOfInvoice(invoiceId);
    } catch (error) {
      if (stripeFaultOf(error).kind !== 'denied') throw error;
      const what = 'The key of Stripe may not read invoices: refunds of subscriptions will not be understood';
      this.environment.logger.error({ invoiceId }, what);
      return [];
    }
  }

  /** An effect on what a payment of ours bought, or has yet to buy; none where it is none of ours. */
  private async ofReversal(
    stripe: StripeAdapter,
    of: string | Stripe.PaymentIntent | null,
    effect: (manager: EntityManager, bought: Bought) => Promise<void>,
  ): Promise<Effect | undefined> {
    if (of === null) return undefined;
    const intent = await stripe.retrieveIntent(typeof of === 'string' ? of : of.id);
    // Stripe makes the payments of invoices itself, and none of our metadata is on them.
    const isOrder = ORDER_IDS.some(name => intent.metadata[name] !== undefined);
    const invoice = isOrder ? undefined : await this.invoices.paidBy(stripe, intent.id);
    return async manager => {
      if (invoice) await this.invoices.record(manager, invoice, [intent.id]);
      const bought = invoice ? 'subscription' : await lockedPurchase(manager, intent);
      if (bought) await effect(manager, bought);
      return bought !== undefined;
    };
  }
}

/**
 * The purchase that a payment is for, and whose credit it bought; null where it has bought none yet. Locked, so that
 * what is told of the payment now is known to whoever gives that credit.
 */
async function lockedPurchase(
  manager: EntityManager,
  {
    id,
    metadata: { claim_id: claimId = '', checkout_id: checkoutId, escrow_id: escrowId },
  }: Stripe.PaymentIntent,
): Promise<Bought | undefined> {
  let rows: { account_id: string | null }[] = await manager.query(
    `SELECT account_id FROM checkout_session
      WHERE payment_intent_id = $1 OR (checkout_id = $2 AND payment_intent_id IS NULL) FOR UPDATE`,
    [id, checkoutId ?? null],
  );
  if (rows.length === 0 && UUID.test(claimId)) {
    rows = await manager.query(
      `SELECT credit_account_id AS account_id FROM payment_claim
        WHERE claim_id = $1 AND rail_family = 'stripe' FOR UPDATE`,
      [claimId],
    );
  }
  if (rows.length === 0) {
    rows = await manager.query(
      `SELECT CASE state WHEN 'RELEASED' THEN payee_account_id WHEN 'COLLECTED' THEN account_id END AS account_id FROM escrow
        WHERE payment_intent_id = $1 OR (escrow_id = $2 AND payment_intent_id IS NULL) FOR UPDATE`,
      [id, escrowId ?? null],
    );
  }
  return rows[0] && { accountId: rows[0].account_id ?? undefined };
}

/** Stripe delivers again what is not taken; an event of what it no longer has is none of ours. */
function away(error: unknown): undefined {
  const fault = stripeFaultOf(error);
  if (fault.code === 'resource_missing') return undefined;
  throw problem('SERVICE_UNAVAILABLE', 'The card processor cannot be asked about the event now', {
    retryAfterSeconds: 5,
    cause: error,
  });
}
