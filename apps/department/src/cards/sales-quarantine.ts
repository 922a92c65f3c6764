import { Injectable } from '@nestjs/common';
import {
  cardsContract,
  type KeyHolder,
  type ParsedRequestOf,
  QuarantinedSale,
  type ReplyOf,
} from '@svc/contracts';
import { inTransaction, problem } from '@svc/platform';
import { createHash } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { checkSale, type CheckTerms, type RowFault } from './checked-sale.js';
import { SalesImporter } from './sales-importer.js';

type Contract = typeof cardsContract;
type Resolved = ReplyOf<Contract['resolveQuarantine']>;
type Row = Record<string, unknown>;

/** Rows of imports that were not taken, until a person says what is to become of them. Each is resolved once. */
@Injectable()
export class SalesQuarantine {
  constructor(
    private readonly dataSource: DataSource,
    private readonly importer: SalesImporter,
  ) {}

  /** Those that wait, the oldest first. */
  async list({
    limit,
    cursor,
  }: Omit<ParsedRequestOf<Contract['quarantine']>, 'accountKey'>): Promise<ReplyOf<Contract['quarantine']>> {
    const rows: Row[] = await this.dataSource.manager.query(
      `SELECT quarantine_id, import_id, row_number, reasons, sale, quarantined_at FROM card_quarantine
        WHERE state = 'waiting' AND quarantine_id > $1 ORDER BY quarantine_id LIMIT $2`,
      [cursor === undefined ? 0 : positionOf(cursor), limit + 1],
    );
    const items = rows.slice(0, limit).map(quarantinedOf);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last ? cursorOf(last.quarantineId) : null };
  }

  /**
   * Takes a row, as it is or as corrected, or discards it. One that was set aside for its price alone is believed; one whose
   * venue and item are known as another sale takes that one's place, which is kept beside it.
   * @throws ProblemError NOT_FOUND; CONFLICT where it was resolved; UNPROCESSABLE for a row that still is no sale
   */
  resolve(
    by: KeyHolder,
    { quarantineId, request }: Omit<ParsedRequestOf<Contract['resolveQuarantine']>, 'accountKey'>,
    terms: CheckTerms,
  ): Promise<Resolved> {
    const { action, sale: corrected } = request;
    if (action === 'discard' && corrected !== undefined) {
      throw unprocessable([{ field: '', message: 'is not wanted of a row that is discarded' }]);
    }
    return inTransaction(this.dataSource, async manager => {
      const waiting = await waitingRow(manager, quarantineId);
      if (action === 'discard') {
        await resolveRow(manager, quarantineId, by, { state: 'discarded' });
        return { quarantineId, state: 'discarded', saleId: null };
      }
      const { sale, faults } = checkSale(corrected ?? waiting.sale, terms);
      if (!sale) throw unprocessable(faults);
      const bodyDigest = createHash('sha256').update(JSON.stringify(sale.row), 'utf8').digest('hex');
      const taken = await this.importer.takeOne(manager, sale, { source: 'quarantine', by, bodyDigest });
      if (taken.faults) throw unprocessable(taken.faults);
      const { state, saleId, replaced } = taken;
      await resolveRow(manager, quarantineId, by, { state, saleId, replaced, corrected });
      return { quarantineId, state, saleId: `s${saleId}` };
    });
  }
}

async function waitingRow(manager: EntityManager, quarantineId: string): Promise<Row> {
  const [row]: Row[] = await manager.query(
    `SELECT state, sale FROM card_quarantine WHERE quarantine_id = $1 FOR UPDATE`,
    [idOf(quarantineId)],
  );
  if (!row) throw problem('NOT_FOUND', `The quarantine has no row ${quarantineId}`);
  if (row.state !== 'waiting')
    throw problem('CONFLICT', `Row ${quarantineId} was ${String(row.state)} already`);
  return row;
}

interface Resolution {
  readonly state: Resolved['state'];
  readonly saleId?: string;
  readonly replaced?: unknown;
  readonly corrected?: unknown;
}

async function resolveRow(
  manager: EntityManager,
  quarantineId: string,
  { accountId, keyId }: KeyHolder,
  { state, saleId, replaced, corrected }: Resolution,
): Promise<void> {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  await manager.query(
    `UPDATE card_quarantine
        SET state = $2, resolved_at = now(), resolved_by = $3, corrected = $4, replaced = $5, sale_id = $6
      WHERE quarantine_id = $1`,
    [
      ...[idOf(quarantineId), state, `${accountId} ${keyId}`, json(corrected), json(replaced)],
      saleId ?? null,
    ],
  );
}

const idOf = (quarantineId: string) => quarantineId.slice(1);

const quarantinedOf = (row: Row) =>
  QuarantinedSale.parse({
    quarantineId: `q${String(row.quarantine_id)}`,
    importId: `i${String(row.import_id)}`,
    row: row.row_number,
    reasons: (row.reasons as string[]).slice(0, 32),
    sale: row.sale,
    quarantinedAt: (row.quarantined_at as Date).toISOString(),
  });

function unprocessable(faults: readonly RowFault[]) {
  const detail = faults.map(({ field, message }) => `${field || 'sale'}: ${message}`).join('; ');
  return problem('UNPROCESSABLE', detail.slice(0, 1_000), {
    errors: faults.map(({ field, ...fault }) => ({ path: field ? `sale.${field}` : 'sale', ...fault })),
  });
}

const CURSOR_PREFIX = 'quarantine ';

const cursorOf = (quarantineId: string): string =>
  Buffer.from(`${CURSOR_PREFIX}${idOf(quarantineId)}`, 'utf8').toString('base64url');

function positionOf(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const position = text.slice(CURSOR_PREFIX.length);
  if (/^[1-9][0-9]{0,17}$/.test(position) && cursorOf(`q${position}`) === cursor) return position;
  throw problem('VALIDATION_FAILED', 'cursor: is not the nextCursor of an earlier page', {
    errors: [{ path: 'cursor', message: 'is not the nextCursor of an earlier page' }],
  });
}
