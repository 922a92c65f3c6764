import { Inject, Injectable } from '@nestjs/common';
import { inTransaction } from '@svc/platform';
import type Stripe from 'stripe';
import { DataSource, type EntityManager } from 'typeorm';
import { Accounts } from '../account/accounts.js';
import { CARD_SETTINGS, type CardSettings } from '../card/card-config.js';
import type { Product, PurchaseTier } from '../checkout/products.js';
import { tierProduct } from '../checkout/products.js';
import { LicenceIssuer } from '../licence/licence-issuer.js';

/** How long a plan goes on after its period, while the next payment is tried. */
export const GRACE_DAYS = 3;
const DAY_MS = 86_400_000;
/** Subscriptions that one round asks Stripe about. */
const ROUND_MAX = 50;

export type PlanState = 'active' | 'past_due' | 'lapsed';

/** What a subscription of Stripe means for the plan. */
export interface PlanOfSubscription {
  readonly state: PlanState;
  /** The plan ends then unless it is paid again. */
  readonly until: Date;
}

/** Until when the period lasts that was paid, with the days of grace unless it is the last one: so long holds the licence, too. */
export function paidUntil({ items, cancel_at_period_end: isLast }: Stripe.Subscription): Date {
  const endMs = items.data[0].current_period_end * 1_000;
  return new Date(isLast ? endMs : endMs + GRACE_DAYS * DAY_MS);
}

/**
 * What a subscription means for the plan that it pays: a payment that failed leaves it the days of grace in which
 * Stripe tries again.
 */
export function planOfSubscription(subscription: Stripe.Subscription, nowMs: number): PlanOfSubscription {
  const [item] = subscription.items.data;
  const graceMs = GRACE_DAYS * DAY_MS;
  switch (subscription.status) {
    case 'active':
    case 'trialing':
      return { state: 'active', until: paidUntil(subscription) };
    case 'past_due': {
      const until = new Date(item.current_period_start * 1_000 + graceMs);
      return { state: until.getTime() > nowMs ? 'past_due' : 'lapsed', until };
    }
    default:
      return { state: 'lapsed', until: new Date(nowMs) };
  }
}

/**
 * Keeps plans and licences true to their subscriptions: whatever event comes, and in whatever order, what counts is what
 * Stripe says of the subscription when it is asked.
 */
@Injectable()
export class Subscriptions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: Accounts,
    private readonly licences: LicenceIssuer,
    @Inject(CARD_SETTINGS) private readonly card: CardSettings | null,
  ) {}

  /** The subscription of an account that was just bought. */
  async begin(
    manager: EntityManager,
    {
      subscription,
      accountId,
      product,
    }: { subscription: Stripe.Subscription; accountId: string; product: Product },
  ): Promise<void> {
    await manager.query(
      `INSERT INTO subscription (subscription_id, account_id, tier, state, period_ends_at, asked_at)
       VALUES ($1, $2, $3, 'active', now(), to_timestamp(0))`,
      [subscription.id, accountId, product.productId],
    );
    await this.keepTrue(manager, subscription, Date.now());
  }

  /**
   * Brings plan and licence to what the subscription says; false for one that is none of ours.
   * @param askedAtMs when Stripe was asked: an older answer changes nothing
   */
  async keepTrue(
    manager: EntityManager,
    subscription: Stripe.Subscription,
    askedAtMs: number,
  ): Promise<boolean> {
    const [row]: { account_id: string; tier: PurchaseTier; asked_at: Date }[] = await manager.query(
      `SELECT account_id, tier, asked_at FROM subscription WHERE subscription_id = $1 FOR UPDATE`,
      [subscription.id],
    );
    if (!row) return false;
    if (row.asked_at.getTime() > askedAtMs) return true;
    const { state, until } = planOfSubscription(subscription, askedAtMs);
    const product = tierProduct(row.tier);
    await this.accounts.setPlan(manager, row.account_id, {
      plan: product.plan!,
      state,
      until,
      stripeCustomerId:
        typeof subscription.customer === 'string' ? subscription.customer : subscription.customer.id,
      stripeSubscriptionId: subscription.id,
    });
    if (product.licence) {
      await this.licences.setState(manager, row.account_id, state === 'lapsed' ? 'suspended' : 'active');
      if (state === 'active') await this.licences.renewOfAccount(manager, row.account_id, until);
    }
    await manager.query(
      `UPDATE subscription SET state = $2, period_ends_at = $3, asked_at = to_timestamp($4 / 1000.0)
        WHERE subscription_id = $1`,
      [subscription.id, state, until, askedAtMs],
    );
    return true;
  }

  /** Asks about the subscriptions whose time is over, of which no event has come; returns how many there were. */
  async sweep(): Promise<number> {
    if (!this.card) return 0;
    const { stripe } = this.card;
    const due: { subscription_id: string }[] = await this.dataSource.query(
      `SELECT subscription_id FROM subscription
        WHERE state <> 'lapsed' AND period_ends_at <= now() AND asked_at < now() - interval '5 minutes'
        ORDER BY asked_at LIMIT $1`,
      [ROUND_MAX],
    );
    let failure: unknown;
    for (const { subscription_id: subscriptionId } of due) {
      try {
        const askedAtMs = Date.now();
        const subscription = await stripe.retrieveSubscription(subscriptionId);
        await inTransaction(this.dataSource, manager => this.keepTrue(manager, subscription, askedAtMs));
      } catch (error) {
        // The others are asked about all the same; its plan has ended by its date.
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return due.length;
  }
}
