import { Inject, Injectable } from '@nestjs/common';
import type { KeyHolder, RefundRequest } from '@svc/contracts';
import { problem } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { DerivedCredit } from '../account/derived-credit.js';
import { giveBackToCaps } from '../account/key-limits.js';
import { customer, Ledger } from '../ledger/ledger.js';
import { type Rail, type RailFamily, RAILS, type RefundPort } from '../rail/rail.js';
import { postingOf, type StandingRefund } from './refund-row.js';
import { RefundStore } from './refund-store.js';
import { type RefundableClaim, RefundableClaims } from './refundable-claim.js';
import { showRefunded } from './shown-on-claim.js';

/** Key of the lock under which the refunds of a day are added up. */
const DAY_LOCK = 'svc refunds of a day';

export type AskedRefund = RefundRequest & { readonly idempotencyKey: string };

interface Decided {
  readonly amountMicroUsd: number;
  readonly family: StandingRefund['family'];
}

/** Decides what an operator asks for and books it, in one transaction under the lock of the claim. */
@Injectable()
export class RefundRequests {
  constructor(
    private readonly store: RefundStore,
    private readonly claims: RefundableClaims,
    private readonly ledger: Ledger,
    private readonly derived: DerivedCredit,
    @Inject(RAILS) private readonly rails: readonly Rail[],
  ) {}

  /**
   * The refund, held for its rail, or credited; the earlier one where the same was asked under its key.
   * @throws ProblemError NOT_FOUND; CONFLICT while the claim is at work; UNPROCESSABLE for what cannot be refunded, and for another
   * refund under the same key
   */
  async request(manager: EntityManager, by: KeyHolder, asked: AskedRefund): Promise<StandingRefund> {
    const earlier = () => this.store.ofKey(manager, by.accountId, asked.idempotencyKey);
    const known = await earlier();
    if (known) return sameAs(known, asked);
    const refundable = await this.claims.lock(manager, asked.claimId);
    // What was asked at the same moment has waited for the lock, or was waited for.
    const meanwhile = await earlier();
    if (meanwhile) return sameAs(meanwhile, asked);
    const { claim } = refundable;
    const family = asked.to === 'credit' ? 'account' : claim.family;
    const decided =
      family === 'account'
        ? { family, amountMicroUsd: toCredit(refundable, asked) }
        : await this.byRail(manager, refundable, asked, family);
    const refundId = randomUUID();
    const isNew = await this.insert(manager, { ...decided, refundId }, refundable, by, asked);
    if (!isNew) throw anotherRefund();
    return (await this.store.find(refundId, manager))!;
  }

  private async insert(
    manager: EntityManager,
    { refundId, family, amountMicroUsd }: Decided & { refundId: string },
    { claim, earnedMicroUsd, paymentReference }: RefundableClaim,
    by: KeyHolder,
    { to, microUsd, reason, idempotencyKey }: AskedRefund,
  ): Promise<boolean> {
    const { claimId, creditAccountId } = claim;
    const isDone = family === 'account';
    const fromCreditMicroUsd = isDone ? 0 : Math.max(0, amountMicroUsd - earnedMicroUsd);
    const accountId = isDone
      ? (creditAccountId ?? (await this.derived.ensure(manager, claim.family as RailFamily, claim.proofKey)))
      : fromCreditMicroUsd > 0
        ? creditAccountId
        : undefined;
    const isNew = await this.store.insert(manager, {
      ...{ refundId, claimId, family, amountMicroUsd, fromCreditMicroUsd, accountId, paymentReference },
      ...{ destination: to, askedMicroUsd: microUsd, reason, isDone },
      ...{ requestedBy: by.accountId, idempotencyKey },
    });
    if (!isNew) return false;
    const fromHouse = { account: 'treasury' as const, amountMicroUsd: fromCreditMicroUsd - amountMicroUsd };
    const legs = isDone
      ? [fromHouse, { account: customer(accountId!), amountMicroUsd }]
      : [
          ...[fromHouse, { account: 'holds' as const, amountMicroUsd }],
          ...(accountId === undefined
            ? []
            : [{ account: customer(accountId), amountMicroUsd: -fromCreditMicroUsd }]),
        ];
    const kind = isDone ? 'refund-credit' : 'refund-hold';
    await this.ledger.post(manager, postingOf({ refundId, claimId }, kind, legs));
    if (!isDone) return true;
    if (claim.funding === 'credit') await giveBackToCaps(manager, claimId, amountMicroUsd);
    await showRefunded(manager, claimId);
    return true;
  }

  private async byRail(
    manager: EntityManager,
    { claim, money, leftMicroUsd, earnedMicroUsd, creditMicroUsd }: RefundableClaim,
    { microUsd }: AskedRefund,
    family: RailFamily,
  ): Promise<Decided> {
    const port = this.portOf(family, money);
    const most = Math.min(leftMicroUsd, earnedMicroUsd + creditMicroUsd);
    const amountMicroUsd = microUsd ?? most - (most % port.unitMicroUsd);
    requireWithin(amountMicroUsd, most, 'can go back of this claim');
    if (amountMicroUsd % port.unitMicroUsd !== 0) {
      const message = `is moved by ${family} in multiples of ${port.unitMicroUsd}`;
      throw refusedAmount(message, port.unitMicroUsd, amountMicroUsd);
    }
    if (family === 'x402' && claim.payer === undefined)
      throw refusedWay('the payment names no wallet to pay back to: refund it to credit');
    if (port.dailyLimitMicroUsd !== undefined)
      await this.requireWithinDay(manager, family, amountMicroUsd, port.dailyLimitMicroUsd);
    return { family, amountMicroUsd };
  }

  /** Sandbox money, or a token that was taken before, is not paid back in what is taken now. */
  private portOf(family: RailFamily, money = 'money that its record does not name'): RefundPort {
    const rail = this.rails.find(each => each.family === family);
    if (rail?.refunds && rail.money === money) return rail.refunds;
    if (rail?.refunds)
      throw refusedWay(`the payment came in ${money}, and ${rail.money} goes out now: refund it to credit`);
    throw refusedWay(
      family === 'x402'
        ? 'no wallet for refunds is configured (X402_REFUND_KEY): refund it to credit'
        : `payments by ${family} cannot be paid back, as it is configured: refund it to credit`,
    );
  }

  /** One at a time, so that no two share what is left of the day. */
  private async requireWithinDay(
    manager: EntityManager,
    family: RailFamily,
    amountMicroUsd: number,
    limitMicroUsd: number,
  ): Promise<void> {
    await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${DAY_LOCK} ${family}`]);
    const [{ sent }]: { sent: string }[] = await manager.query(
      `SELECT coalesce(sum(amount_micro_usd), 0) AS sent FROM refund
        WHERE rail_family = $1 AND state <> 'refused'
          AND requested_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`,
      [family],
    );
    const left = Math.max(0, limitMicroUsd - Number(sent));
    if (amountMicroUsd > left) {
      const message = `is more than is left of the limit of the day (UTC), ${limitMicroUsd}: refund less, tomorrow, or to credit`;
      throw refusedAmount(message, left, amountMicroUsd);
    }
  }
}

/** What the house has earned can become credit; the rest of the payment is credit already. */
function toCredit({ leftMicroUsd, earnedMicroUsd }: RefundableClaim, { microUsd }: AskedRefund): number {
  const most = Math.min(leftMicroUsd, earnedMicroUsd);
  const amountMicroUsd = microUsd ?? most;
  requireWithin(amountMicroUsd, most, 'of this claim is not credit already, refunded or disputed');
  return amountMicroUsd;
}

function requireWithin(amountMicroUsd: number, mostMicroUsd: number, what: string): void {
  if (amountMicroUsd === 0) throw refusedAmount('nothing is left to refund', mostMicroUsd, amountMicroUsd);
  if (amountMicroUsd > mostMicroUsd)
    throw refusedAmount(`is more than ${what}, ${mostMicroUsd}`, mostMicroUsd, amountMicroUsd);
}

function sameAs(earlier: StandingRefund, asked: AskedRefund): StandingRefund {
  const isSame =
    earlier.claimId === asked.claimId &&
    earlier.destination === asked.to &&
    earlier.askedMicroUsd === asked.microUsd &&
    earlier.reason === asked.reason;
  if (isSame) return earlier;
  throw anotherRefund();
}

const anotherRefund = () =>
  problem('UNPROCESSABLE', 'Idempotency-Key: came before with another refund', {
    errors: [{ path: 'Idempotency-Key', message: 'came before with another refund' }],
  });
const refusedAmount = (message: string, bound: number, got: number) =>
  problem('UNPROCESSABLE', `microUsd: ${message}`, { errors: [{ path: 'microUsd', message, bound, got }] });
const refusedWay = (message: string) =>
  problem('UNPROCESSABLE', `to: ${message}`, {
    errors: [{ path: 'to', message, bound: ['credit'], got: 'origin' }],
  });
