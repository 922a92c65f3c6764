import { INBOX_LEASE_MS } from '@svc/contracts';

/** An inbox that is open. */
export interface OpenInbox {
  readonly inboxId: string;
  readonly publicKey: string;
  /** Hex. */
  readonly keyHash: string;
}

/** Of a row of `mesh_inbox`, by the clock of the database. */
export const IS_OPEN = `last_seen > now() - interval '${INBOX_LEASE_MS} milliseconds'`;
