import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DerivedCredit } from '../account/derived-credit.js';
import { giveBackToCaps } from '../account/key-limits.js';
import { CreditReversals } from '../card/credit-reversals.js';
import { customer, type HouseAccount, Ledger, type LedgerAccount } from '../ledger/ledger.js';
import { Quotas } from '../quota/quotas.js';
import type { RailFamily } from '../rail/rail.js';

/** Where the amount of a ticket lies: in exactly one of these, in the transaction that moves it. */
export type TicketPlace = 'ticket' | 'saga' | 'treasury' | 'credit';

/** What moves the amount, in a word, for the ledger. */
type MoveKind = 'reserve' | 'capture' | 'uncapture' | 'release' | 'expire';

const HOUSE: Readonly<Record<Exclude<TicketPlace, 'credit'>, HouseAccount>> = {
  ticket: 'holds:ticket',
  saga: 'holds:saga',
  treasury: 'treasury',
};

/** A ticket, its row and that of its claim locked, as far as money goes. */
interface HeldAmount {
  readonly ticketId: string;
  readonly claimId: string;
  readonly place: TicketPlace;
  readonly amountMicroUsd: number;
  readonly funding: 'rail' | 'credit' | 'quota';
  readonly family: RailFamily | 'account';
  readonly proofKey: string;
  readonly creditAccountId?: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/**
 * Moves the amount of a ticket, within transactions of others: what it was paid with is held for the ticket, then for
 * its saga, and then it is the house's, or credit of who paid. Of a plan's quota the place alone changes, and what was
 * counted is counted back.
 */
@Injectable()
export class TicketHolds {
  constructor(
    private readonly ledger: Ledger,
    private readonly derived: DerivedCredit,
    private readonly quotas: Quotas,
    private readonly reversals: CreditReversals,
  ) {}

  /** Holds the amount for the saga that consumed the ticket. @throws RangeError where it does not lie with the ticket */
  async reserve(tx: EntityManager, sagaId: string): Promise<void> {
    await this.moveOfSaga(tx, sagaId, { kind: 'reserve', from: 'ticket', to: 'saga' });
  }

  /**
   * Earns what is held for the saga.
   * @returns the id of the ledger's transaction; undefined where a plan's quota paid, and nothing is booked
   * @throws RangeError where it is not held for the saga
   */
  capture(tx: EntityManager, sagaId: string): Promise<string | undefined> {
    return this.moveOfSaga(tx, sagaId, { kind: 'capture', from: 'saga', to: 'treasury' });
  }

  /** Takes {@link capture} back: the amount is held for the saga again. @throws RangeError where it was not earned */
  async uncapture(tx: EntityManager, sagaId: string): Promise<void> {
    await this.moveOfSaga(tx, sagaId, { kind: 'uncapture', from: 'treasury', to: 'saga' });
  }

  /** Gives the amount back to who paid, from wherever it lies; again, it does nothing. */
  async release(tx: EntityManager, sagaId: string): Promise<void> {
    await this.giveBack(tx, await this.lockOfSaga(tx, sagaId), {
      kind: 'release',
      reference: `saga:${sagaId}`,
    });
  }

  /** Gives the amount of a ticket back that nobody used; its row is locked. */
  async expire(tx: EntityManager, ticketId: string): Promise<void> {
    const held = await this.lock(tx, 'ticket_id', ticketId);
    await this.giveBack(tx, held, { kind: 'expire', reference: `ticket:${ticketId}` });
  }

  private async moveOfSaga(
    tx: EntityManager,
    sagaId: string,
    { kind, from, to }: { kind: MoveKind; from: keyof typeof HOUSE; to: keyof typeof HOUSE },
  ): Promise<string | undefined> {
    const held = await this.lockOfSaga(tx, sagaId);
    if (held.place !== from)
      throw new RangeError(`saga ${sagaId}: its amount lies with ${held.place}, not with ${from}`);
    await this.place(tx, held, to);
    return this.post(tx, held, { kind, reference: `saga:${sagaId}`, from: HOUSE[from], to: HOUSE[to] });
  }

  private async giveBack(
    tx: EntityManager,
    held: HeldAmount,
    { kind, reference }: { kind: MoveKind; reference: string },
  ): Promise<void> {
    if (held.place === 'credit') return;
    const { claimId, funding, evidence, family, proofKey, amountMicroUsd } = held;
    // A refund or dispute that is told at this moment is known here, or knows of the credit.
    if (family === 'stripe')
      await tx.query(`SELECT 1 FROM payment_claim WHERE claim_id = $1 FOR UPDATE`, [claimId]);
    await this.place(tx, held, 'credit');
    let accountId = held.creditAccountId;
    if (funding === 'quota') {
      await this.quotas.uncount(tx, String(evidence.subject), String(evidence.month));
    } else {
      // The account of a payment is made when there is first something to lie on it.
      if (family !== 'account') accountId = await this.derived.ensure(tx, family, proofKey);
      if (accountId === undefined) throw new RangeError(`claim ${claimId} has no account to give back to`);
      const to = customer(accountId);
      await this.post(tx, held, { kind, reference, from: HOUSE[held.place], to });
      if (funding === 'credit') await giveBackToCaps(tx, claimId, amountMicroUsd);
      if (family === 'stripe')
        await this.reversals.collectOfClaim(tx, claimId, { accountId, creditedMicroUsd: amountMicroUsd });
    }
    // What the claim has bought came to nothing: a further payment for the same request buys anew.
    await tx.query(
      `UPDATE payment_claim SET spent_at = coalesce(spent_at, now()), credit_account_id = coalesce($2, credit_account_id)
        WHERE claim_id = $1`,
      [claimId, accountId ?? null],
    );
  }

  private async place(tx: EntityManager, { ticketId }: HeldAmount, place: TicketPlace): Promise<void> {
    // What leaves an unused ticket for anything but a saga has expired.
    await tx.query(
      `UPDATE execution_ticket SET place = $2, state = CASE WHEN state = 'unused' THEN 'expired' ELSE state END
        WHERE ticket_id = $1`,
      [ticketId, place],
    );
  }

  private async post(
    tx: EntityManager,
    { funding, claimId, amountMicroUsd }: HeldAmount,
    move: { kind: MoveKind; reference: string; from: LedgerAccount; to: LedgerAccount },
  ): Promise<string | undefined> {
    if (funding === 'quota') return undefined;
    const { kind, reference, from, to } = move;
    const legs = [
      { account: from, amountMicroUsd: -amountMicroUsd },
      { account: to, amountMicroUsd },
    ];
    return this.ledger.post(tx, { kind, legs, claimId, reference });
  }

  private async lockOfSaga(tx: EntityManager, sagaId: string): Promise<HeldAmount> {
    return this.lock(tx, 'saga_id', sagaId);
  }

  private async lock(tx: EntityManager, by: 'saga_id' | 'ticket_id', id: string): Promise<HeldAmount> {
    const rows: Record<string, unknown>[] = await tx.query(
      `SELECT ticket.ticket_id, ticket.claim_id, ticket.place, ticket.amount_micro_usd::float8 AS amount, ticket.funding,
              ticket.credit_account_id, claim.rail_family, claim.proof_key, claim.settlement_evidence
         FROM execution_ticket ticket JOIN payment_claim claim USING (claim_id)
        WHERE ticket.${by} = $1 FOR UPDATE OF ticket`,
      [id],
    );
    const [row] = rows;
    if (!row) throw new RangeError(`no ticket has the ${by} ${id}`);
    return {
      ticketId: row.ticket_id as string,
      claimId: row.claim_id as string,
      place: row.place as TicketPlace,
      amountMicroUsd: row.amount as number,
      funding: row.funding as HeldAmount['funding'],
      family: row.rail_family as HeldAmount['family'],
      proofKey: row.proof_key as string,
      creditAccountId: (row.credit_account_id as string | null) ?? undefined,
      evidence: (row.settlement_evidence as Record<string, unknown> | null) ?? {},
    };
  }
}
