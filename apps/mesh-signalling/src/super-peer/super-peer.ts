import type { Peer } from '../peer/peer.js';

/** An answer of the service's own, with the connection behind it waiting to open. */
export interface SuperPeerAnswer {
  /** Complete: all candidates are in it. */
  readonly sdpAnswer: string;
  readonly candidates: readonly string[];
}

/** Reason of a connection whose answer nobody was given: nothing is written of it, as its session is withdrawn. */
export const NOT_ANSWERED = 'NOT_ANSWERED';

/** The connections that this replica holds, by the session that each belongs to. */
export abstract class SuperPeer {
  /** Names this replica: `mesh-signalling.node.<nodeId>` is where the others ask it. */
  abstract readonly nodeId: string;

  /**
   * Opens a connection for an offer whose unusable candidates were taken out.
   * @throws ProblemError OVERLOADED at the bound of connections or while draining; UNPROCESSABLE for what the library refuses;
   *   TIMEOUT where nothing is gathered in time. Nothing is left open then.
   */
  abstract answer(sessionId: string, sdpOffer: string, peer: Peer): Promise<SuperPeerAnswer>;

  /** The sessions whose connections are held here. */
  abstract sessionIds(): readonly string[];

  /** Of a session that is held here, whether its connection is open; undefined of one that is not. */
  abstract isOpen(sessionId: string): boolean | undefined;

  /** Whether the session is held here; a candidate that the library refuses is passed over and logged. */
  abstract addCandidates(sessionId: string, candidates: readonly string[]): boolean;

  /** Closes a connection that is held here; returns whether it was. */
  abstract close(sessionId: string, reason: string): boolean;
}
