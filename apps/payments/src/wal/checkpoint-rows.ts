import type { Checkpoint, WalHead } from '@svc/durability';

/** Columns of `wal_checkpoint` as {@link checkpointOf} reads them. */
export const CHECKPOINT_COLUMNS = `number, encode(root, 'hex') AS root, leaf_count, encode(prev_hash, 'hex') AS prev_hash,
  encode(hash, 'hex') AS hash, at, key_id, signature`;

/** Columns of `wal_checkpoint_leaf` as {@link headOf} reads them. */
export const LEAF_COLUMNS = `saga_id, wal_count, encode(head, 'hex') AS head`;

/** A checkpoint as the database gives it. */
export function checkpointOf(row: Record<string, unknown>): Checkpoint {
  return {
    number: Number(row.number),
    root: row.root as string,
    leafCount: row.leaf_count as number,
    prevHash: row.prev_hash as string,
    hash: row.hash as string,
    at: (row.at as Date).toISOString(),
    keyId: row.key_id as string,
    signature: (row.signature as Buffer).toString('base64url'),
  };
}

/** A leaf as the database gives it. */
export function headOf(row: Record<string, unknown>): WalHead {
  return { sagaId: row.saga_id as string, count: row.wal_count as number, head: row.head as string };
}
