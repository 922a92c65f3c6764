import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, problem, type ProblemError } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { openAnswer, sealAnswer } from '../claim/sealed-answer.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import {
  executionScope,
  type StandingTicket,
  TICKET_COLUMNS,
  ticketHash,
  ticketOf,
  type TicketRow,
} from './execution-ticket.js';
import { TicketHolds } from './ticket-holds.js';

/** How long an answer is kept, and an Idempotency-Key stands for its request. */
export const ANSWER_KEPT_HOURS = 24;

/** A request that uses a ticket. */
export interface TicketUse {
  readonly sagaId: string;
  /** Plain: it is written nowhere. */
  readonly requestDigest: string;
  readonly idempotencyKey?: string;
}

/** The answer of a ticket's saga, and since when it is that. */
export interface KeptAnswer {
  readonly body: Buffer;
  readonly answeredAt: Date;
}

/** The ticket could not be used any more, or the Idempotency-Key was used meanwhile: look again. Nothing is done. */
export class TicketGone extends Error {
  constructor(readonly ticketId: string) {
    super(`ticket ${ticketId} was used or has expired, or its Idempotency-Key was used`);
    this.name = 'TicketGone';
  }
}

/** Execution tickets in Postgres. A row's state decides: of any number that use a ticket at once, one does. */
@Injectable()
export class Tickets {
  constructor(
    private readonly dataSource: DataSource,
    private readonly holds: TicketHolds,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'storedAnswer' | 'requests'>,
  ) {}

  /** @throws ProblemError TICKET_UNKNOWN for what is no ticket, and for none of ours */
  async find(text: string): Promise<StandingTicket> {
    const hash = ticketHash(text);
    const found = hash && (await this.one('ticket_hash = $1', [hash]));
    if (found) return found;
    const detail = hash
      ? 'No ticket of ours is this one'
      : 'An execution ticket is tkt_ and 43 characters of base64url';
    throw problem('TICKET_UNKNOWN', detail);
  }

  findById(ticketId: string): Promise<StandingTicket | undefined> {
    return this.one('ticket_id = $1', [ticketId]);
  }

  findBySaga(sagaId: string): Promise<StandingTicket | undefined> {
    return this.one('saga_id = $1', [sagaId]);
  }

  /** The ticket that a request under this Idempotency-Key has used, within a day. */
  findByKey(scope: string, idempotencyKey: string): Promise<StandingTicket | undefined> {
    return this.one(
      `execution_scope = $1 AND idempotency_key = $2 AND used_at > now() - make_interval(hours => $3)`,
      [scope, idempotencyKey, ANSWER_KEPT_HOURS],
    );
  }

  /** Whether a ticket was used by this very request. */
  isUsedBy({ ticketId, storedDigest }: StandingTicket, requestDigest: string): boolean {
    return this.keys.requests.of(requestDigest, ticketId).matches(storedDigest);
  }

  /**
   * Uses a ticket, in the transaction that begins its saga.
   * @throws TicketGone when it was used or has expired, or the Idempotency-Key was used with another
   */
  async consume(tx: EntityManager, ticket: StandingTicket, use: TicketUse): Promise<void> {
    const { ticketId, claimId, inline } = ticket;
    const { sagaId, requestDigest, idempotencyKey } = use;
    const digest = this.keys.requests.of(requestDigest, ticketId).stored;
    const scope = idempotencyKey === undefined ? null : executionScope(ticket);
    if (idempotencyKey !== undefined) {
      await this.freeKey(tx, scope!, idempotencyKey, ticketId);
    }
    const rows: unknown[] = await tx.query(
      `WITH used AS (
         UPDATE execution_ticket
            SET state = 'used', used_at = now(), saga_id = $2, request_digest = $3, execution_scope = $4,
                idempotency_key = $5
          WHERE ticket_id = $1 AND state = 'unused' AND expires_at > now()
          RETURNING ticket_id
       ), spent AS (
         -- The ticket is what the payment has bought: another payment for the same request buys another.
         UPDATE payment_claim SET spent_at = now()
          WHERE claim_id = $6 AND NOT $7 AND EXISTS (SELECT FROM used)
       )
       SELECT ticket_id FROM used`,
      [ticketId, sagaId, digest, scope, idempotencyKey ?? null, claimId, inline],
    );
    if (rows.length === 0) throw new TicketGone(ticketId);
  }

  /** Gives back what a ticket holds whose time has passed, at once. True where this call did it. */
  expire(ticketId: string): Promise<boolean> {
    return inTransaction(this.dataSource, tx => this.expireWithin(tx, ticketId, 'FOR UPDATE'));
  }

  /** {@link expire}, passing over a ticket that somebody is at. */
  expireIfFree(ticketId: string): Promise<boolean> {
    return inTransaction(this.dataSource, tx => this.expireWithin(tx, ticketId, 'FOR UPDATE SKIP LOCKED'));
  }

  /** Gives an unused ticket back before its time, because what it was for is done. */
  giveBack(ticketId: string): Promise<void> {
    return inTransaction(this.dataSource, async tx => {
      const rows: unknown[] = await tx.query(
        `SELECT 1 FROM execution_ticket WHERE ticket_id = $1 AND state = 'unused' FOR UPDATE`,
        [ticketId],
      );
      if (rows.length > 0) await this.holds.expire(tx, ticketId);
    });
  }

  /** Tickets whose time has passed unused, the oldest first. */
  async overdue(limit: number): Promise<string[]> {
    const rows: { ticket_id: string }[] = await this.dataSource.query(
      `SELECT ticket_id FROM execution_ticket WHERE state = 'unused' AND expires_at <= now()
        ORDER BY expires_at LIMIT $1`,
      [limit],
    );
    return rows.map(row => row.ticket_id);
  }

  /** Keeps the answer of a ticket's saga, sealed: the first one stays. Returns the one that is kept. */
  async keepAnswer(ticketId: string, body: Buffer): Promise<KeptAnswer> {
    const [rows]: [{ answered_at: Date }[], number] = await this.dataSource.query(
      `UPDATE execution_ticket SET answer = $2, answered_at = now() WHERE ticket_id = $1 AND answered_at IS NULL
       RETURNING answered_at`,
      [ticketId, sealAnswer(this.keys.storedAnswer, ticketId, body)],
    );
    if (rows[0]) return { body, answeredAt: rows[0].answered_at };
    const standing = await this.findById(ticketId);
    return this.answerOf(standing!)!;
  }

  /**
   * The kept answer; undefined before there is one.
   * @throws ProblemError EXPIRED when it was kept for its time
   */
  answerOf({ ticketId, answer, answeredAt }: StandingTicket): KeptAnswer | undefined {
    if (answeredAt === undefined) return undefined;
    const body = answer && openAnswer(this.keys.storedAnswer, ticketId, answer);
    if (body) return { body, answeredAt };
    throw problem(
      'EXPIRED',
      `The answer was kept for ${ANSWER_KEPT_HOURS} hours; the saga and its log are there`,
    );
  }

  /** Drops answers that were kept for their time; returns how many. */
  async purgeAnswers(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `UPDATE execution_ticket SET answer = NULL
        WHERE answer IS NOT NULL AND answered_at < now() - make_interval(hours => $1)`,
      [ANSWER_KEPT_HOURS],
    );
    return count;
  }

  /** A key that has stood for its day may stand for another request. @throws TicketGone while it stands for one */
  private async freeKey(tx: EntityManager, scope: string, key: string, ticketId: string): Promise<void> {
    // Requests under one key are looked at one after the other: of two at once the second finds the first.
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 402))`, [`${scope} execution ${key}`]);
    const rows: { is_over: boolean }[] = await tx.query(
      `SELECT used_at <= now() - make_interval(hours => $3) AS is_over FROM execution_ticket
        WHERE execution_scope = $1 AND idempotency_key = $2`,
      [scope, key, ANSWER_KEPT_HOURS],
    );
    if (rows[0] && !rows[0].is_over) throw new TicketGone(ticketId);
    if (rows[0])
      await tx.query(
        `UPDATE execution_ticket SET idempotency_key = NULL WHERE execution_scope = $1 AND idempotency_key = $2`,
        [scope, key],
      );
  }

  private async expireWithin(tx: EntityManager, ticketId: string, lock: string): Promise<boolean> {
    const rows: unknown[] = await tx.query(
      `SELECT 1 FROM execution_ticket WHERE ticket_id = $1 AND state = 'unused' AND expires_at <= now() ${lock}`,
      [ticketId],
    );
    if (rows.length === 0) return false;
    await this.holds.expire(tx, ticketId);
    return true;
  }

  private async one(where: string, values: unknown[]): Promise<StandingTicket | undefined> {
    const rows: TicketRow[] = await this.dataSource.query(
      `SELECT ${TICKET_COLUMNS} FROM execution_ticket WHERE ${where}`,
      values,
    );
    return rows[0] && ticketOf(rows[0]);
  }
}

/** A ticket whose time has passed. */
export const ticketExpired = ({ expiresAt }: Pick<StandingTicket, 'expiresAt'>): ProblemError =>
  problem(
    'TICKET_EXPIRED',
    `The ticket could be used until ${expiresAt.toISOString()}; what was paid for it is credit of who paid`,
  );
