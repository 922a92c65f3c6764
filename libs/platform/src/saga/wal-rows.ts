import type { JsonObject, WalKind, WalRecord } from '@svc/durability';

/** Columns of `saga_wal` as {@link walRecordOf} reads them. */
export const WAL_RECORD_COLUMNS = `saga_id, seq, kind, step, attempt, encode(idem_key, 'hex') AS idem_key, payload,
  encode(prev_hash, 'hex') AS prev_hash, encode(hash, 'hex') AS hash, fence, at`;

/** A record as the database gives it. */
export function walRecordOf(row: Record<string, unknown>): WalRecord {
  return {
    sagaId: row.saga_id as string,
    seq: row.seq as number,
    kind: row.kind as WalKind,
    step: row.step as string | null,
    attempt: row.attempt as number,
    idemKey: row.idem_key as string | null,
    payload: row.payload as JsonObject,
    prevHash: row.prev_hash as string,
    hash: row.hash as string,
    fence: Number(row.fence),
    at: (row.at as Date).toISOString(),
  };
}

/** Records as the columns that the functions `saga_begin` and `saga_append` take, in their order. */
export function recordColumns(records: readonly WalRecord[]): unknown[][] {
  return [
    records.map(({ sagaId }) => sagaId),
    records.map(({ seq }) => seq),
    records.map(({ kind }) => kind),
    records.map(({ step }) => step),
    records.map(({ attempt }) => attempt),
    records.map(({ idemKey }) => idemKey),
    records.map(({ payload }) => JSON.stringify(payload)),
    records.map(({ prevHash }) => prevHash),
    records.map(({ hash }) => hash),
    records.map(({ fence }) => fence),
    records.map(({ at }) => at),
  ];
}
