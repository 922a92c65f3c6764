import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import { customer, Ledger, type LedgerLeg } from '../ledger/ledger.js';

const MICRO_USD_PER_CENT = 10_000;

/**
 * What a payment bought: credit of an account, which is not known while it has bought none, or a period of a subscription,
 * which gives none.
 */
export type Bought = { readonly accountId?: string } | 'subscription';

/** A refund or a dispute of a payment, as far as it goes by now. */
interface Reversal {
  readonly reversalId: string;
  readonly kind: 'refund' | 'dispute';
  readonly paymentIntentId: string;
  readonly bought: Bought;
  /** All that is asked back so far. */
  readonly askedMicroUsd: number;
}

interface Standing {
  readonly accountId: string | undefined;
  readonly askedMicroUsd: number;
  readonly takenMicroUsd: number;
  readonly closed: boolean;
}

/**
 * Takes credit back that a payment had bought, when the payment itself went back: as far as there is credit, the rest is
 * the house's loss. Told twice, or in another order, it comes to the same: what is told before the payment has bought
 * anything is the house's until it does. Callers hold the lock of the purchase's row.
 */
@Injectable()
export class CreditReversals {
  constructor(private readonly ledger: Ledger) {}

  /**
   * A refund; what Stripe says is the sum of all refunds of the charge.
   * @param ownMicroUsd what of it was refunded here, and is booked as that
   */
  async refund(
    manager: EntityManager,
    charge: Stripe.Charge,
    bought: Bought,
    ownMicroUsd = 0,
  ): Promise<void> {
    await this.take(manager, {
      reversalId: charge.id,
      kind: 'refund',
      paymentIntentId: idOf(charge.payment_intent),
      bought,
      askedMicroUsd: Math.max(0, refundedCents(charge) * MICRO_USD_PER_CENT - ownMicroUsd),
    });
  }

  /** A dispute: its amount leaves us when it begins, and comes back when it is won. Inquiries move nothing. */
  async dispute(manager: EntityManager, dispute: Stripe.Dispute, bought: Bought): Promise<void> {
    const reversal: Reversal = {
      reversalId: dispute.id,
      kind: 'dispute',
      paymentIntentId: idOf(dispute.payment_intent),
      bought,
      askedMicroUsd: dispute.amount * MICRO_USD_PER_CENT,
    };
    if (dispute.status === 'won' || dispute.status === 'prevented') return this.giveBack(manager, reversal);
    if (!dispute.status.startsWith('warning_')) return this.take(manager, reversal);
  }

  private async take(manager: EntityManager, reversal: Reversal): Promise<void> {
    const standing = await this.lock(manager, reversal);
    const asked = reversal.askedMicroUsd - standing.askedMicroUsd;
    if (standing.closed || asked <= 0) return;
    const accountId = accountOf(reversal.bought);
    const taken = accountId === undefined ? 0 : Math.min(asked, await this.lockedBalance(manager, accountId));
    await this.book(manager, reversal, { asked, taken });
    await manager.query(
      `UPDATE credit_reversal SET asked_micro_usd = $2, taken_micro_usd = $3, account_id = coalesce(account_id, $4)
        WHERE reversal_id = $1`,
      [reversal.reversalId, reversal.askedMicroUsd, standing.takenMicroUsd + taken, accountId ?? null],
    );
  }

  /**
   * Takes from credit that a payment has bought just now what was asked back of the payment before, and found no credit.
   * @param creditedMicroUsd no more than that: what else lies on the account was paid otherwise
   */
  async collect(
    manager: EntityManager,
    paymentIntentId: string,
    { accountId, creditedMicroUsd }: { accountId: string; creditedMicroUsd: number },
  ): Promise<void> {
    const rows: { reversal_id: string; kind: Reversal['kind']; missing: string }[] = await manager.query(
      `SELECT reversal_id, kind, asked_micro_usd - taken_micro_usd AS missing FROM credit_reversal
        WHERE payment_intent_id = $1 AND asked_micro_usd > taken_micro_usd
        ORDER BY reversal_id FOR UPDATE`,
      [paymentIntentId],
    );
    let left = creditedMicroUsd;
    for (const { reversal_id: reversalId, kind, missing } of rows) {
      const taken = Math.min(left, Number(missing), await this.lockedBalance(manager, accountId));
      left -= taken;
      await this.book(manager, { reversalId, kind, bought: { accountId } }, { asked: 0, taken });
      await manager.query(
        `UPDATE credit_reversal SET taken_micro_usd = taken_micro_usd + $2, account_id = $3 WHERE reversal_id = $1`,
        [reversalId, taken, accountId],
      );
    }
  }

  /** {@link collect} of the payment by which a claim on a card was settled. */
  async collectOfClaim(
    manager: EntityManager,
    claimId: string,
    credit: { accountId: string; creditedMicroUsd: number },
  ): Promise<void> {
    const [row]: { reference: string | null }[] = await manager.query(
      `SELECT settlement_reference AS reference FROM payment_claim WHERE claim_id = $1 AND rail_family = 'stripe'`,
      [claimId],
    );
    if (row?.reference) await this.collect(manager, row.reference, credit);
  }

  private async giveBack(manager: EntityManager, reversal: Reversal): Promise<void> {
    const standing = await this.lock(manager, reversal);
    if (standing.closed) return;
    const { accountId, askedMicroUsd, takenMicroUsd } = standing;
    const bought = reversal.bought === 'subscription' ? reversal.bought : { accountId };
    await this.book(manager, { ...reversal, bought }, { asked: -askedMicroUsd, taken: -takenMicroUsd });
    await manager.query(
      `UPDATE credit_reversal SET asked_micro_usd = 0, taken_micro_usd = 0, closed_at = now() WHERE reversal_id = $1`,
      [reversal.reversalId],
    );
  }

  /** Its row, made where there is none, locked until the transaction ends. */
  private async lock(manager: EntityManager, reversal: Reversal): Promise<Standing> {
    await manager.query(
      `INSERT INTO credit_reversal (reversal_id, kind, payment_intent_id, account_id, asked_micro_usd, taken_micro_usd)
       VALUES ($1, $2, $3, $4, 0, 0) ON CONFLICT (reversal_id) DO NOTHING`,
      [reversal.reversalId, reversal.kind, reversal.paymentIntentId, accountOf(reversal.bought) ?? null],
    );
    const [row]: Record<string, unknown>[] = await manager.query(
      `SELECT account_id, asked_micro_usd, taken_micro_usd, closed_at FROM credit_reversal WHERE reversal_id = $1 FOR UPDATE`,
      [reversal.reversalId],
    );
    return {
      accountId: (row.account_id as string | null) ?? undefined,
      askedMicroUsd: Number(row.asked_micro_usd),
      takenMicroUsd: Number(row.taken_micro_usd),
      closed: row.closed_at !== null,
    };
  }

  private async lockedBalance(manager: EntityManager, accountId: string): Promise<number> {
    const [row]: { balance: string }[] = await manager.query(
      `SELECT balance_micro_usd AS balance FROM account WHERE account_id = $1 FOR UPDATE`,
      [accountId],
    );
    return Number(row.balance);
  }

  private async book(
    manager: EntityManager,
    { kind, reversalId, bought }: Pick<Reversal, 'kind' | 'reversalId' | 'bought'>,
    { asked, taken }: { asked: number; taken: number },
  ): Promise<void> {
    const accountId = accountOf(bought);
    const legs: LedgerLeg[] = [
      { account: 'processor-clearing' as const, amountMicroUsd: asked },
      ...(accountId === undefined ? [] : [{ account: customer(accountId), amountMicroUsd: -taken }]),
      { account: 'treasury' as const, amountMicroUsd: taken - asked },
    ].filter(({ amountMicroUsd }) => amountMicroUsd !== 0);
    if (legs.length === 0) return;
    const booked = bought === 'subscription' ? `subscription-${kind}` : kind;
    await this.ledger.post(manager, { kind: booked, reference: reversalId, legs });
  }
}

const accountOf = (bought: Bought): string | undefined =>
  bought === 'subscription' ? undefined : bought.accountId;

/** What was given back of what was taken: Stripe counts what a capture in part let go as refunded, too. */
function refundedCents({
  amount,
  amount_captured: captured,
  amount_refunded: refunded,
}: Stripe.Charge): number {
  return Math.max(0, refunded - (amount - captured));
}

const idOf = (value: string | { id: string } | null): string =>
  typeof value === 'object' ? (value?.id ?? '') : value;
