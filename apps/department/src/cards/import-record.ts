import type { KeyHolder, SalesImport } from '@svc/contracts';
import type { KeyedDigests } from '@svc/platform';
import type { EntityManager } from 'typeorm';
import type { RowFault } from './checked-sale.js';
import { rowDigest, storableReason, storableRow } from './quarantined-row.js';
import type { RawSale } from './sales-csv.js';

/** Where rows come from. */
export interface ImportSource {
  readonly source: 'json' | 'csv' | 'market' | 'quarantine';
  readonly by: Pick<KeyHolder, 'accountId' | 'keyId'>;
  /** SHA-256 of what was sent, hex: it is written keyed. */
  readonly bodyDigest: string;
}

/** A row and why it is not taken. */
export interface FaultyRow {
  /** From 1. */
  readonly number: number;
  readonly raw: RawSale;
  readonly faults: readonly RowFault[];
}

/** What is brought in refers to its import before that is written. */
export async function nextImportId(manager: EntityManager): Promise<string> {
  const [row]: { id: string }[] = await manager.query(
    `SELECT nextval(pg_get_serial_sequence('card_import', 'import_id')) AS id`,
  );
  return String(row.id);
}

/** At the end of an import's transaction, when its counts are known. */
export async function recordImport(
  manager: EntityManager,
  importId: string,
  { source, by, bodyDigest }: ImportSource,
  counts: Pick<SalesImport, 'rows' | 'accepted' | 'duplicates' | 'quarantined'>,
  digests: KeyedDigests,
): Promise<void> {
  await manager.query(
    `INSERT INTO card_import (import_id, source, account_id, key_id, body_digest, row_count, accepted, duplicates, quarantined)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[importId, source, by.accountId, by.keyId, digests.of(bodyDigest, importId).stored],
      ...[counts.rows, counts.accepted, counts.duplicates, counts.quarantined],
    ],
  );
}

/** Keeps rows for a person to look at; one that waits already is not put there again. */
export async function quarantine(
  manager: EntityManager,
  rows: readonly FaultyRow[],
  importId: string,
): Promise<void> {
  if (rows.length === 0) return;
  const kept = rows.map(({ number, raw, faults }) => {
    const reasons = faults.map(({ field, message }) =>
      storableReason(field === '' ? message : `${field}: ${message}`),
    );
    const sale = storableRow(raw);
    return { number, reasons, sale, digest: rowDigest(sale, reasons).toString('hex') };
  });
  await manager.query(
    `INSERT INTO card_quarantine (import_id, row_number, reasons, sale, row_digest)
     SELECT $1::bigint, number, ARRAY(SELECT jsonb_array_elements_text(reasons)), sale, decode(digest, 'hex')
       FROM unnest($2::integer[], $3::jsonb[], $4::jsonb[], $5::text[]) AS row (number, reasons, sale, digest)
     ON CONFLICT (row_digest) WHERE state = 'waiting' DO NOTHING`,
    [
      importId,
      kept.map(({ number }) => number),
      kept.map(({ reasons }) => JSON.stringify(reasons)),
      kept.map(({ sale }) => JSON.stringify(sale)),
      kept.map(({ digest }) => digest),
    ],
  );
}
