import { Inject, Injectable } from '@nestjs/common';
import type { StoredResponse, ToolName } from '@svc/contracts';
import { inTransaction } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { DerivedCredit } from '../account/derived-credit.js';
import { sealAnswer } from '../claim/sealed-answer.js';
import { type HeldClaim, STANDING_COLUMNS, type StandingClaim, standingOf } from '../claim/standing-claim.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import type { RailFamily } from '../rail/rail.js';
import { SignedReceipts } from '../receipt/signed-receipts.js';
import { makeTicket, ticketHash } from './execution-ticket.js';
import { TICKET_SETTINGS, type TicketSettings } from './ticket-config.js';

/** What a ticket is asked for. */
export interface TicketOrder {
  readonly tool: ToolName;
  readonly agentId?: string;
  readonly capability?: string;
  /** Made within the call that uses it. */
  readonly inline: boolean;
}

/** A ticket that is about to be issued: its text goes into the answer, and nowhere else. */
export interface FreshTicket {
  readonly ticketId: string;
  readonly ticket: string;
  readonly expiresAt: Date;
  /** With what its signed receipt says of the answer, where its request was told. */
  readonly claim: StandingClaim;
}

/**
 * Exchanges a claim for a ticket, in one transaction: the claim is delivered with the sealed answer that holds the
 * ticket, the amount goes from the holds of calls to those of tickets, and the ticket is there. So the payment, shown
 * again, gives the same ticket, and a crash on the way leaves either the claim or the ticket.
 */
@Injectable()
export class TicketIssuer {
  constructor(
    private readonly dataSource: DataSource,
    private readonly derived: DerivedCredit,
    private readonly receipts: SignedReceipts,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'storedAnswer'>,
    @Inject(TICKET_SETTINGS) private readonly settings: Pick<TicketSettings, 'ticketTtlSeconds'>,
  ) {}

  /**
   * @param answerOf what the claim is answered with, now and whenever the payment is shown again
   * @returns undefined where the claim is another's by now
   */
  issue(
    { claimId, attempt }: Pick<HeldClaim, 'claimId' | 'attempt'>,
    order: TicketOrder,
    answerOf: (fresh: FreshTicket) => StoredResponse,
  ): Promise<FreshTicket | undefined> {
    return inTransaction(this.dataSource, async tx => {
      const rows: Record<string, unknown>[] = await tx.query(
        `SELECT ${STANDING_COLUMNS}, payer,
                date_trunc('milliseconds', now()) + make_interval(secs => $3) AS expires_at
           FROM payment_claim
          WHERE claim_id = $1 AND attempt = $2 AND state = 'claimed' AND settlement = 'settled' FOR UPDATE`,
        [claimId, attempt, this.settings.ticketTtlSeconds],
      );
      if (!rows[0]) return undefined;
      const claim = standingOf(rows[0]);
      const unsigned = {
        ticketId: randomUUID(),
        ticket: makeTicket(),
        expiresAt: rows[0].expires_at as Date,
        claim,
      };
      const response = answerOf(unsigned);
      const delivery = claim.receipt.called && this.receipts.deliveryOf(response);
      const fresh: FreshTicket = {
        ...unsigned,
        claim: { ...claim, receipt: { ...claim.receipt, delivery } },
      };
      await this.record(tx, fresh, order, { response, payer: rows[0].payer as string | null });
      return fresh;
    });
  }

  private async record(
    tx: EntityManager,
    { ticketId, ticket, expiresAt, claim }: FreshTicket,
    { tool, agentId, capability, inline }: TicketOrder,
    { response, payer }: { response: StoredResponse; payer: string | null },
  ): Promise<void> {
    const { claimId, attempt, family, proofKey } = claim;
    const { called: _called, delivery, ...receipt } = claim.receipt;
    const creditAccountId =
      family === 'account'
        ? claim.creditAccountId
        : this.derived.keyOf(family as RailFamily, proofKey).accountId;
    await tx.query(
      `WITH claim AS (
         UPDATE payment_claim
            SET state = 'delivered', delivered_at = now(), response_status = $3, response_content_type = $4,
                response_body = $5, response_sealed = true, receipt = receipt || $18
          WHERE claim_id = $1 AND attempt = $2
          RETURNING claim_id, amount_micro_usd, funding
       ), ticket AS (
         INSERT INTO execution_ticket (ticket_id, ticket_hash, tool, claim_id, amount_micro_usd, funding, rail, payer,
           credit_account_id, agent_id, capability, receipt, inline, expires_at)
         SELECT $6, $7, $8, claim_id, amount_micro_usd, funding, $9, $10, $11, $12, $13, $14, $15, $16 FROM claim
       )
       INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, claim_id, reference)
       SELECT moved.transaction_id, leg.account, leg.sign * moved.amount_micro_usd, 'ticket', moved.claim_id, $17
         FROM (SELECT gen_random_uuid() AS transaction_id, claim.* FROM claim WHERE funding <> 'quota') moved,
              (VALUES ('holds', -1), ('holds:ticket', 1)) AS leg (account, sign)`,
      [
        ...[claimId, attempt, response.status, response.contentType],
        sealAnswer(this.keys.storedAnswer, claimId, response.body),
        ...[ticketId, ticketHash(ticket), tool, receipt.rail, payer, creditAccountId ?? null],
        ...[
          agentId ?? null,
          capability ?? null,
          JSON.stringify(receipt),
          inline,
          expiresAt,
          `ticket:${ticketId}`,
        ],
        JSON.stringify(delivery ? { delivery } : {}),
      ],
    );
  }
}
