import { Injectable } from '@nestjs/common';
import { ACCOUNT_ID_BYTES, makeAccountId, type Plan } from '@svc/protocols';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';

export type PlanId = Plan['planId'];
export type PlanState = 'active' | 'past_due' | 'lapsed';
/** `derived`: of what a payment left over; `bundle`: of an L402 bundle. */
export type AccountKind = 'purchased' | 'derived' | 'bundle' | 'operator';

/** Kinds of accounts that one payment made. */
export const KINDS_OF_A_PAYMENT: readonly AccountKind[] = ['derived', 'bundle'];

/** Who has keys, credit and a plan. */
export interface Account {
  readonly accountId: string;
  readonly kind: AccountKind;
  /** The plan that was bought. */
  readonly plan: PlanId;
  readonly planState: PlanState;
  readonly planUntil?: Date;
  /** The plan that counts now: demo where the one bought has lapsed or ended. */
  readonly effectivePlan: PlanId;
  readonly email?: string;
  readonly stripeCustomerId?: string;
  readonly stripeSubscriptionId?: string;
  readonly balanceMicroUsd: number;
  readonly ledgerSeq: number;
  readonly createdAt: Date;
}

export interface PlanChange {
  readonly plan: PlanId;
  readonly state: PlanState;
  /** Paid until then; without it, until it is changed. */
  readonly until?: Date;
  readonly stripeCustomerId?: string;
  readonly stripeSubscriptionId?: string;
}

/** SQL of the plan that counts now, of a row of `account`: a plan that lapsed or ended is the demo. */
export const EFFECTIVE_PLAN = `CASE WHEN account.plan_state = 'lapsed' OR account.plan_until <= now() THEN 'demo'
       ELSE account.plan END`;

type Row = Record<string, unknown>;

/** The accounts in Postgres. Their balances are the ledger's to move. */
@Injectable()
export class Accounts {
  /** @returns the new account's id, random */
  async create(
    manager: EntityManager,
    given: { kind: AccountKind; email?: string; plan?: PlanId },
  ): Promise<string> {
    const accountId = makeAccountId(randomBytes(ACCOUNT_ID_BYTES));
    await manager.query(`INSERT INTO account (account_id, kind, plan, email) VALUES ($1, $2, $3, $4)`, [
      accountId,
      given.kind,
      given.plan ?? 'demo',
      given.email ?? null,
    ]);
    return accountId;
  }

  async find(manager: EntityManager, accountId: string): Promise<Account | undefined> {
    const rows: Row[] = await manager.query(
      `SELECT account.*, ${EFFECTIVE_PLAN} AS effective_plan FROM account WHERE account_id = $1`,
      [accountId],
    );
    return rows[0] && accountOf(rows[0]);
  }

  /**
   * Whether limits count the account by its address: one payment made it, and it has no plan. Anybody can have many of those.
   */
  async countsByAddress(manager: EntityManager, accountId: string): Promise<boolean> {
    const account = await this.find(manager, accountId);
    return account?.effectivePlan === 'demo' && KINDS_OF_A_PAYMENT.includes(account.kind);
  }

  /** The account whose plan a subscription pays. */
  async findBySubscription(manager: EntityManager, subscriptionId: string): Promise<Account | undefined> {
    const rows: Row[] = await manager.query(
      `SELECT account.*, ${EFFECTIVE_PLAN} AS effective_plan FROM account WHERE stripe_subscription_id = $1`,
      [subscriptionId],
    );
    return rows[0] && accountOf(rows[0]);
  }

  /**
   * Puts an account on a plan. Ids of Stripe that are not given stay as they were; an end that is not given is none.
   * @throws RangeError when there is no such account
   */
  async setPlan(manager: EntityManager, accountId: string, change: PlanChange): Promise<void> {
    const [, count]: [Row[], number] = await manager.query(
      `UPDATE account SET plan = $2, plan_state = $3, plan_until = $4,
              stripe_customer_id = coalesce($5, stripe_customer_id),
              stripe_subscription_id = coalesce($6, stripe_subscription_id)
        WHERE account_id = $1`,
      [
        accountId,
        change.plan,
        change.state,
        change.until ?? null,
        change.stripeCustomerId ?? null,
        change.stripeSubscriptionId ?? null,
      ],
    );
    if (count !== 1) throw new RangeError(`there is no account ${accountId}`);
  }
}

function accountOf(row: Row): Account {
  const text = (name: string) => (row[name] as string | null) ?? undefined;
  return {
    accountId: row.account_id as string,
    kind: row.kind as AccountKind,
    plan: row.plan as PlanId,
    planState: row.plan_state as PlanState,
    planUntil: (row.plan_until as Date | null) ?? undefined,
    effectivePlan: row.effective_plan as PlanId,
    email: text('email'),
    stripeCustomerId: text('stripe_customer_id'),
    stripeSubscriptionId: text('stripe_subscription_id'),
    balanceMicroUsd: Number(row.balance_micro_usd),
    ledgerSeq: Number(row.ledger_seq),
    createdAt: row.created_at as Date,
  };
}
