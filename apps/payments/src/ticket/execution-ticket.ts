import { Receipt, ToolName } from '@svc/contracts';
import { createHash, randomBytes } from 'node:crypto';
import type { TicketFacts } from '../execute/tool-saga.js';
import type { TicketPlace } from './ticket-holds.js';

const TICKET_BYTES = 32;
const TICKET = /^tkt_[A-Za-z0-9_-]{43}$/;

/** A new ticket's text: whoever has it may use it, so it is shown to its buyer and kept by nobody. */
export const makeTicket = (): string => `tkt_${randomBytes(TICKET_BYTES).toString('base64url')}`;

/**
 * What a ticket is found by: SHA-256 of its text, so that neither the table nor the time of a look-up tells anything of
 * a ticket; undefined for a text that is no ticket.
 */
export const ticketHash = (text: string): Buffer | undefined =>
  TICKET.test(text) ? createHash('sha256').update(text).digest() : undefined;

/** A ticket as it stands. */
export interface StandingTicket extends TicketFacts {
  readonly state: 'unused' | 'used' | 'expired';
  /** Whether its time has passed, by the clock of the database. */
  readonly isOver: boolean;
  readonly place: TicketPlace;
  readonly expiresAt: Date;
  /** Who paid, where the payment proves it: `account:acct_…`, `x402:0x…`. */
  readonly payer?: string;
  /** Whether it was made within the call that uses it, and shown to nobody. */
  readonly inline: boolean;
  /** The saga that it began. */
  readonly sagaId?: string;
  /** Digest of the request that used it, keyed and bound to the ticket's id. */
  readonly storedDigest?: string;
  /** When the answer of its saga was recorded; it is kept for a day from then. */
  readonly answeredAt?: Date;
  /** That answer, sealed. */
  readonly answer?: Buffer;
}

export type TicketRow = Record<string, unknown>;

/** The columns of `execution_ticket` that {@link ticketOf} reads. */
export const TICKET_COLUMNS = `ticket_id, tool, claim_id, amount_micro_usd::float8 AS amount, funding, rail, payer,
  credit_account_id, agent_id, capability, receipt, inline, state, place, expires_at, expires_at <= now() AS is_over,
  saga_id, request_digest, answered_at, answer`;

export function ticketOf(row: TicketRow): StandingTicket {
  const text = (name: string) => (row[name] as string | null) ?? undefined;
  return {
    ticketId: row.ticket_id as string,
    tool: ToolName.parse(row.tool),
    claimId: row.claim_id as string,
    rail: row.rail as string,
    amountMicroUsd: row.amount as number,
    funding: row.funding as TicketFacts['funding'],
    receipt: Receipt.parse(row.receipt),
    agentId: text('agent_id'),
    capability: text('capability'),
    creditAccountId: text('credit_account_id'),
    state: row.state as StandingTicket['state'],
    isOver: row.is_over as boolean,
    place: row.place as TicketPlace,
    expiresAt: row.expires_at as Date,
    payer: text('payer'),
    inline: row.inline as boolean,
    sagaId: text('saga_id'),
    storedDigest: text('request_digest'),
    answeredAt: (row.answered_at as Date | null) ?? undefined,
    answer: (row.answer as Buffer | null) ?? undefined,
  };
}

/** Who executes, as far as an Idempotency-Key goes: who paid where that is proven, else the ticket itself. */
export const executionScope = ({ payer, ticketId }: Pick<StandingTicket, 'payer' | 'ticketId'>): string =>
  payer ?? `ticket:${ticketId}`;

/** Whether an account may use a ticket, and read what came of it: the one that paid, or that of the payment's credit. */
export const isHolders = (ticket: StandingTicket, accountId: string): boolean =>
  ticket.payer === `account:${accountId}` || ticket.creditAccountId === accountId;
