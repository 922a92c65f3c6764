import { describe, expect, it } from '@jest/globals';
import type Stripe from 'stripe';
import { GRACE_DAYS, paidUntil, planOfSubscription } from './subscriptions.js';

const DAY_S = 86_400;
const START_S = 1_800_000_000;
const END_S = START_S + 30 * DAY_S;

function subscription(status: Stripe.Subscription.Status, more: object = {}): Stripe.Subscription {
  const items = { data: [{ current_period_start: START_S, current_period_end: END_S }] };
  return {
    id: 'sub_1',
    status,
    cancel_at_period_end: false,
    items,
    ...more,
  } as unknown as Stripe.Subscription;
}
const at = (seconds: number) => seconds * 1_000;

describe('the plan of a subscription', () => {
  it.each(['active', 'trialing'] as const)('%s lasts for its period and the days of grace', status => {
    const plan = planOfSubscription(subscription(status), at(START_S));
    expect(plan).toEqual({ state: 'active', until: new Date(at(END_S + GRACE_DAYS * DAY_S)) });
  });

  it('that was ended for the end of its period lasts until then, without grace', () => {
    const ending = subscription('active', { cancel_at_period_end: true });
    expect(planOfSubscription(ending, at(START_S)).until).toEqual(new Date(at(END_S)));
  });

  it('is paid until then whatever its state is now, which is how long its licence holds', () => {
    expect(paidUntil(subscription('canceled'))).toEqual(new Date(at(END_S + GRACE_DAYS * DAY_S)));
    const ending = subscription('canceled', { cancel_at_period_end: true });
    expect(paidUntil(ending)).toEqual(new Date(at(END_S)));
  });

  it('past_due lasts for the days of grace of the period that was not paid, and has lapsed after them', () => {
    const unpaid = subscription('past_due');
    const lastS = START_S + GRACE_DAYS * DAY_S;
    expect(planOfSubscription(unpaid, at(lastS) - 1)).toEqual({
      state: 'past_due',
      until: new Date(at(lastS)),
    });
    expect(planOfSubscription(unpaid, at(lastS)).state).toBe('lapsed');
  });

  it.each(['canceled', 'unpaid', 'incomplete', 'incomplete_expired', 'paused'] as const)(
    '%s has lapsed at once',
    status => {
      expect(planOfSubscription(subscription(status), at(START_S))).toEqual({
        state: 'lapsed',
        until: new Date(at(START_S)),
      });
    },
  );
});
