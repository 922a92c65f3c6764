/** What connections tell of themselves; kept in the sessions. Nothing here throws: what cannot be written is logged. */
export abstract class SessionLedger {
  /** The channels are open. */
  abstract connected(sessionId: string): void;
  /** @param reason `PEER_CLOSED`, `FAILED`, `UNOPENED`, `IDLE`, `DRAINED`, `DELETED` and the like */
  abstract closed(sessionId: string, reason: string): void;
}
