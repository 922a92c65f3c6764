import { Inject, Injectable } from '@nestjs/common';
import type { arenaContract, ParsedRequestOf, ReplyOf } from '@svc/contracts';
import { inTransaction } from '@svc/platform';
import { MICRO_USD_PER_SAT } from '@svc/protocols';
import { DataSource, type EntityManager } from 'typeorm';
import { customer, Ledger } from '../ledger/ledger.js';
import { AWARD_SETTINGS, type AwardSettings } from './award-config.js';

type Asked = ParsedRequestOf<typeof arenaContract.awardCredit>;
type Award = ReplyOf<typeof arenaContract.awardCredit>;

interface Purchases {
  readonly creditMicroUsd: number;
  readonly planMicroUsd: number;
  readonly reversedMicroUsd: number;
}

/** The cheapest call, micro-USD: how many calls can matter to a sum at most follows from it. */
const CALL_MICRO_USD_MIN = 1_000;

/**
 * Credit that is given away, from the budget of the day, once for each challenge. An account gets back at most what it has
 * spent of the credit that it bought: nobody earns by playing, and awards that are spent earn no further ones.
 *
 * The row of the day is locked before the account, here alone: awards of one day wait for one another, and for nobody who
 * would wait for them.
 */
@Injectable()
export class CreditAwards {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
    @Inject(AWARD_SETTINGS) private readonly settings: AwardSettings,
  ) {}

  /** What is awarded for a challenge; asked again, what was. */
  award(asked: Asked): Promise<Award> {
    return inTransaction(this.dataSource, async manager => {
      const earlier = await this.earlier(manager, asked.challengeId);
      if (earlier) return earlier;
      const day = await this.lockToday(manager);
      // Another may have awarded it while this one waited.
      const meanwhile = await this.earlier(manager, asked.challengeId);
      if (meanwhile) return meanwhile;
      const award = await this.decide(manager, asked, day.awardedSats);
      await this.record(manager, asked, award, day.day);
      return award;
    });
  }

  private async decide(manager: EntityManager, asked: Asked, awardedSats: number): Promise<Award> {
    const capSats = await this.capOf(manager, asked);
    if (capSats === undefined) return { sats: 0, reason: 'NO_PAID_ACCOUNT' };
    const leftSats = this.settings.dailySats - awardedSats;
    const sats = Math.max(0, Math.min(asked.amountSats, capSats, leftSats));
    if (sats > 0) return { sats, reason: 'AWARDED' };
    return { sats: 0, reason: leftSats <= 0 ? 'BUDGET' : 'SPENT_TOO_LITTLE' };
  }

  /**
   * What an account may still be awarded, whole satoshis: exactly where that is less than was asked for; undefined where it
   * is none that bought anything.
   */
  private async capOf(manager: EntityManager, { accountId, amountSats }: Asked): Promise<number | undefined> {
    // Locked, so that what is awarded to it elsewhere is seen; the ledger locks it too.
    const rows: { kind: string }[] = await manager.query(
      `SELECT kind FROM account WHERE account_id = $1 FOR NO KEY UPDATE`,
      [accountId],
    );
    if (rows[0]?.kind !== 'purchased') return undefined;
    const purchases = await this.purchases(manager, accountId);
    if (!purchases) return undefined;
    const [{ awarded }]: { awarded: string }[] = await manager.query(
      `SELECT coalesce(sum(sats), 0) AS awarded FROM promotion_award WHERE account_id = $1`,
      [accountId],
    );
    const awardedMicroUsd = Number(awarded) * MICRO_USD_PER_SAT;
    const enoughMicroUsd = awardedMicroUsd + amountSats * MICRO_USD_PER_SAT;
    const { creditMicroUsd, planMicroUsd, reversedMicroUsd } = purchases;
    const spentMicroUsd = planMicroUsd + (await this.spent(manager, accountId, enoughMicroUsd));
    const boughtMicroUsd = creditMicroUsd + planMicroUsd - reversedMicroUsd;
    const leftMicroUsd = Math.min(spentMicroUsd, boughtMicroUsd) - awardedMicroUsd;
    return Math.max(0, Math.floor(leftMicroUsd / MICRO_USD_PER_SAT));
  }

  /**
   * Credit that was bought at a checkout, plans by the price of their first period, which is spent at once, and what was
   * asked back of either, of plans no more than that price; undefined where nothing was bought.
   */
  private async purchases(manager: EntityManager, accountId: string): Promise<Purchases | undefined> {
    const [row]: Record<'credit' | 'plan' | 'reversed' | 'planReversed', string | null>[] =
      await manager.query(
        `SELECT sum(amount_micro_usd) FILTER (WHERE kind = 'pack') AS credit,
              sum(amount_micro_usd) FILTER (WHERE kind = 'subscription') AS plan,
              (SELECT sum(asked_micro_usd) FROM credit_reversal WHERE account_id = $1) AS reversed,
              (SELECT sum(reversal.asked_micro_usd)
                 FROM checkout_session begun JOIN subscription_payment payment USING (checkout_id)
                 JOIN credit_reversal reversal ON reversal.payment_intent_id = payment.payment_intent_id
                WHERE begun.account_id = $1) AS "planReversed"
         FROM checkout_session WHERE account_id = $1 AND fulfilled_at IS NOT NULL`,
        [accountId],
      );
    if (row.credit === null && row.plan === null) return undefined;
    return {
      creditMicroUsd: Number(row.credit),
      planMicroUsd: Number(row.plan),
      reversedMicroUsd: Number(row.reversed) + Math.min(Number(row.plan), Number(row.planReversed)),
    };
  }

  /**
   * What calls that were delivered have cost of the account's credit, or enough of it: only so many calls are added up as
   * can be needed. A call whose saga gave its price back has cost nothing.
   */
  private async spent(manager: EntityManager, accountId: string, enoughMicroUsd: number): Promise<number> {
    const [{ spent }]: { spent: string }[] = await manager.query(
      `SELECT coalesce(sum(amount_micro_usd), 0) AS spent FROM (
         SELECT claim.amount_micro_usd FROM payment_claim claim LEFT JOIN execution_ticket ticket USING (claim_id)
          WHERE claim.payer = $1 AND claim.state = 'delivered' AND claim.funding = 'credit'
            AND coalesce(ticket.place, 'treasury') = 'treasury' LIMIT $2) call`,
      [`account:${accountId}`, Math.ceil(enoughMicroUsd / CALL_MICRO_USD_MIN)],
    );
    return Number(spent);
  }

  private async record(manager: EntityManager, asked: Asked, award: Award, day: string): Promise<void> {
    const { challengeId, accountId, amountSats } = asked;
    const { sats, reason } = award;
    // A refusal is kept too, where there is such an account: whoever asks again is told the same.
    if (reason === 'NO_PAID_ACCOUNT') return;
    await manager.query(
      `INSERT INTO promotion_award (challenge_id, account_id, asked_sats, sats, reason, day)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [challengeId, accountId, amountSats, sats, reason, day],
    );
    if (sats === 0) return;
    await manager.query(`UPDATE promotion_day SET awarded_sats = awarded_sats + $2 WHERE day = $1`, [
      day,
      sats,
    ]);
    const amountMicroUsd = sats * MICRO_USD_PER_SAT;
    await this.ledger.post(manager, {
      kind: 'award',
      legs: [
        { account: 'promotion:arena', amountMicroUsd: -amountMicroUsd },
        { account: customer(accountId), amountMicroUsd },
      ],
      reference: challengeId,
    });
  }

  private async earlier(manager: EntityManager, challengeId: string): Promise<Award | undefined> {
    const rows: { sats: number; reason: Award['reason'] }[] = await manager.query(
      `SELECT sats, reason FROM promotion_award WHERE challenge_id = $1`,
      [challengeId],
    );
    return rows[0] && { sats: rows[0].sats, reason: rows[0].reason };
  }

  /** The day in UTC with what was awarded on it, its row locked until the transaction ends. */
  private async lockToday(manager: EntityManager): Promise<{ day: string; awardedSats: number }> {
    const [row]: { day: string; awarded: string }[] = await manager.query(
      `INSERT INTO promotion_day AS today (day) VALUES ((clock_timestamp() AT TIME ZONE 'UTC')::date)
       ON CONFLICT (day) DO UPDATE SET awarded_sats = today.awarded_sats
       RETURNING to_char(day, 'YYYY-MM-DD') AS day, awarded_sats AS awarded`,
    );
    return { day: row.day, awardedSats: Number(row.awarded) };
  }
}
