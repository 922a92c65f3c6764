import { Injectable } from '@nestjs/common';
import { FairShares } from '@svc/edge';
import { problem } from '@svc/platform';
import { randomBytes } from 'node:crypto';
import type { MessageId, ResponseMessage } from './json-rpc.js';
import type { McpExchange } from './mcp-exchange.js';

/** Requests in flight at once, at this replica: each holds a connection, and its request. */
const EXCHANGES_MAX = 2_048;
/** One address has an eighth of those that the others leave. */
const ADDRESS_PARTS = 8;
const SESSION_ID = /^(mpp|std)\.[A-Za-z0-9_-]{22}$/;

/** What a session id says by itself. Nothing is kept of a session. */
export interface McpSession {
  readonly id: string;
  /** Its client has said that it speaks the `Payment` scheme: it is asked for payments in that scheme's own way. */
  readonly declaresPayment: boolean;
}

/** A request in flight of a session. */
interface NamedExchange {
  readonly session: McpSession;
  readonly id: MessageId;
  readonly exchange: McpExchange;
}

/** The id of a fresh session: nobody guesses it, so that whoever names it may end its requests. */
export function newSession(declaresPayment: boolean): McpSession {
  const id = `${declaresPayment ? 'mpp' : 'std'}.${randomBytes(16).toString('base64url')}`;
  return { id, declaresPayment };
}

/**
 * The session that a request names, if any.
 * @throws ProblemError NOT_FOUND for an id that was never given out here: its client begins anew
 */
export function sessionOf(id: string | string[] | undefined): McpSession | undefined {
  if (id === undefined) return undefined;
  const named = typeof id === 'string' ? SESSION_ID.exec(id) : null;
  if (!named) throw problem('NOT_FOUND', 'Mcp-Session-Id: no such session; initialize anew');
  return { id: named[0], declaresPayment: named[1] === 'mpp' };
}

/** The requests in flight here, by session and id: whom a cancellation or an answer of the client is for. */
@Injectable()
export class McpSessions {
  private readonly exchanges = new Map<string, Map<MessageId, McpExchange>>();
  private readonly shares = new FairShares(EXCHANGES_MAX, ADDRESS_PARTS);

  /**
   * @param address whose request it is: one alone could hold them all
   * @param named what a client with a session calls it
   * @throws ProblemError OVERLOADED where all are in flight, RATE_LIMITED where the share of the address is; CONFLICT where the
   * session has a request with that id in flight
   */
  begin(address: string, named?: NamedExchange): () => void {
    this.requireRoom(address);
    if (named) this.enter(named);
    this.shares.take(address);
    return () => {
      this.shares.giveBack(address);
      if (named) this.leave(named);
    };
  }

  /** Ends a request of the session where it is in flight here; it is no fault where it is not. */
  cancel(session: McpSession, id: MessageId): void {
    this.exchanges.get(session.id)?.get(id)?.cancel();
  }

  /** Hands an answer of the client to whatever of the session asked for it. */
  respond(session: McpSession, response: ResponseMessage): void {
    for (const exchange of this.exchanges.get(session.id)?.values() ?? []) {
      if (exchange.takeResponse(response)) return;
    }
  }

  private requireRoom(address: string): void {
    if (this.shares.hasRoomFor(address)) return;
    const refused = (code: 'OVERLOADED' | 'RATE_LIMITED', detail: string) =>
      problem(code, `${detail}; nothing was taken for this one`, { retryAfterSeconds: 1 });
    if (this.shares.free === 0)
      throw refused('OVERLOADED', `${EXCHANGES_MAX} requests are in flight here, which is the bound`);
    const [own, share] = [this.shares.heldBy(address), this.shares.shareOf(address)];
    throw refused(
      'RATE_LIMITED',
      `${own} requests are in flight from this address, whose bound is ${share} now`,
    );
  }

  private enter({ session: { id: sessionId }, id, exchange }: NamedExchange): void {
    const ofSession = this.exchanges.get(sessionId) ?? new Map<MessageId, McpExchange>();
    if (ofSession.has(id)) {
      throw problem('CONFLICT', 'id: a request of this session with the same id is in flight');
    }
    ofSession.set(id, exchange);
    this.exchanges.set(sessionId, ofSession);
  }

  private leave({ session: { id: sessionId }, id }: NamedExchange): void {
    const ofSession = this.exchanges.get(sessionId);
    ofSession?.delete(id);
    if (ofSession?.size === 0) this.exchanges.delete(sessionId);
  }
}
