import { Injectable } from '@nestjs/common';
import { problem } from '@svc/platform';
import type { EntityManager } from 'typeorm';
import type { CheckedSale } from './checked-sale.js';
import { gradeKeyOf, type KnownPrices } from './price-plausibility.js';

/** Sales of one statement. */
const BATCH_SALES = 1_000;
/** The newest sales of a card that a price is held against. */
const PEERS_MAX = 50;
/** How long an import waits for another one. */
const LOCK_WAIT_MS = 20_000;

type Row = Record<string, unknown>;

/** What became of sales that were to be stored. */
export type Stored = 'new' | 'duplicate' | 'conflict';

/** Sales of graded cards, each known by its venue and item. */
@Injectable()
export class SalesStore {
  /**
   * Until the transaction ends there is no other import.
   * @throws ProblemError OVERLOADED where another one takes too long
   */
  async lock(manager: EntityManager): Promise<void> {
    await manager.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
    try {
      await manager.query(
        `SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' card sales', 0))`,
      );
    } catch (error) {
      if ((error as { driverError?: { code?: string } }).driverError?.code !== '55P03') throw error;
      throw problem('OVERLOADED', 'Another import of sales is at work', { retryAfterSeconds: 30 });
    }
  }

  /** Prices that are known of the cards and grades of sales, by {@link gradeKeyOf}. */
  async knownPrices(
    manager: EntityManager,
    sales: readonly CheckedSale[],
  ): Promise<Map<string, KnownPrices>> {
    const wanted = [...new Map(sales.map(sale => [gradeKeyOf(sale), sale])).entries()];
    const of = <T>(member: (sale: CheckedSale) => T) => wanted.map(([, sale]) => member(sale));
    const rows: Row[] = await manager.query(
      `SELECT wanted.key, count(*)::integer AS count,
              percentile_cont(0.5) WITHIN GROUP (ORDER BY peer.price_usd::double precision) AS median
         FROM unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::text[], $6::boolean[])
              AS wanted (key, card_key, company, grade, qualifier, synthetic)
         JOIN card USING (card_key)
        CROSS JOIN LATERAL (
              SELECT price_usd FROM card_sale sale
               WHERE sale.card_id = card.card_id AND sale.company = wanted.company AND sale.grade = wanted.grade
                 AND sale.qualifier = wanted.qualifier AND sale.synthetic = wanted.synthetic
               ORDER BY sold_at DESC LIMIT ${PEERS_MAX}) AS peer
        GROUP BY wanted.key`,
      [
        wanted.map(([key]) => key),
        of(({ cardKey }) => cardKey),
        of(({ row }) => row.company),
        of(({ grade }) => String(grade)),
        of(({ qualifier }) => qualifier),
        of(({ row }) => row.synthetic),
      ],
    );
    return new Map(
      rows.map(row => [row.key as string, { count: Number(row.count), medianUsd: Number(row.median) }]),
    );
  }

  /**
   * Stores sales of cards that the catalogue has. What is there already stays as it is.
   * @param cardIds by card key
   * @returns what became of each, in their order
   */
  async add(
    manager: EntityManager,
    sales: readonly CheckedSale[],
    cardIds: ReadonlyMap<string, string>,
    importId: string,
  ): Promise<Stored[]> {
    const firsts = firstOfEach(sales, itemOf);
    const isNew = new Set<string>();
    for (let at = 0; at < firsts.length; at += BATCH_SALES) {
      const batch = firsts.slice(at, at + BATCH_SALES);
      for (const row of await insert(manager, batch, cardIds, importId)) {
        isNew.add(itemKey(row.venue as string, row.item_id as string));
      }
    }
    const known = await this.digests(
      manager,
      firsts.filter(sale => !isNew.has(itemOf(sale))),
    );
    for (const sale of firsts) if (isNew.has(itemOf(sale))) known.set(itemOf(sale), hexOf(sale));
    return sales.map(sale => {
      const item = itemOf(sale);
      // The first of an item is the one that was stored.
      if (isNew.delete(item)) return 'new';
      return known.get(item) === hexOf(sale) ? 'duplicate' : 'conflict';
    });
  }

  /** Puts a sale in the place of the one of the same venue and item. @returns its id, and the one before as it was */
  async replace(
    manager: EntityManager,
    sale: CheckedSale,
    cardId: string,
  ): Promise<{ saleId: string; before: Row }> {
    const { row } = sale;
    const [before]: Row[] = await manager.query(
      `SELECT to_jsonb(sale) AS sale FROM card_sale sale WHERE venue = $1 AND item_id = $2 FOR UPDATE`,
      [sale.venue, row.itemId],
    );
    const [changed]: [Row[], number] = await manager.query(
      `UPDATE card_sale SET card_id = $3, company = $4, grade = $5, qualifier = $6, price = $7, fees = $8, sold_at = $9,
                            sale_type = $10, url = $11, verified = $12, synthetic = $13, content_digest = $14,
                            currency = $15, usd_rate = $16, rate_day = $17, rate_source = $18
        WHERE venue = $1 AND item_id = $2 RETURNING sale_id`,
      [
        ...[sale.venue, row.itemId, cardId, row.company, sale.grade, sale.qualifier, row.price, row.fees],
        ...[new Date(sale.soldAtMs), row.saleType, row.url ?? null, row.verified, row.synthetic],
        ...[sale.contentDigest, row.currency, sale.usdRate, row.rate?.date ?? null, row.rate?.source ?? null],
      ],
    );
    return { saleId: String(changed[0].sale_id), before: before.sale as Row };
  }

  async idOf(manager: EntityManager, sale: CheckedSale): Promise<string> {
    const [row]: Row[] = await manager.query(
      `SELECT sale_id FROM card_sale WHERE venue = $1 AND item_id = $2`,
      [sale.venue, sale.row.itemId],
    );
    return String(row.sale_id);
  }

  private async digests(manager: EntityManager, sales: readonly CheckedSale[]): Promise<Map<string, string>> {
    const rows: Row[] = await manager.query(
      `SELECT venue, item_id, encode(content_digest, 'hex') AS digest
         FROM card_sale JOIN unnest($1::text[], $2::text[]) AS asked (venue, item_id) USING (venue, item_id)`,
      [sales.map(({ venue }) => venue), sales.map(({ row }) => row.itemId)],
    );
    return new Map(
      rows.map(row => [itemKey(row.venue as string, row.item_id as string), row.digest as string]),
    );
  }
}

function insert(
  manager: EntityManager,
  sales: readonly CheckedSale[],
  cardIds: ReadonlyMap<string, string>,
  importId: string,
): Promise<Row[]> {
  const of = <T>(member: (sale: CheckedSale) => T) => sales.map(member);
  return manager.query(
    `INSERT INTO card_sale (card_id, company, grade, qualifier, price, fees, currency, sold_at, venue, item_id, sale_type,
                            url, verified, synthetic, content_digest, import_id, usd_rate, rate_day, rate_source)
     SELECT card_id, company, grade, qualifier, price, fees, currency, sold_at, venue, item_id, sale_type, url, verified,
            synthetic, decode(digest, 'hex'), $15::bigint, usd_rate, rate_day, rate_source
       FROM unnest($1::bigint[], $2::text[], $3::numeric[], $4::text[], $5::numeric[], $6::numeric[], $7::timestamptz[],
                   $8::text[], $9::text[], $10::text[], $11::text[], $12::boolean[], $13::boolean[], $14::text[],
                   $16::text[], $17::numeric[], $18::date[], $19::text[])
            AS row (card_id, company, grade, qualifier, price, fees, sold_at, venue, item_id, sale_type, url, verified,
                    synthetic, digest, currency, usd_rate, rate_day, rate_source)
     ON CONFLICT (venue, item_id) DO NOTHING RETURNING venue, item_id`,
    [
      of(({ cardKey }) => cardIds.get(cardKey)),
      of(({ row }) => row.company),
      of(({ grade }) => String(grade)),
      of(({ qualifier }) => qualifier),
      of(({ row }) => row.price),
      of(({ row }) => row.fees),
      of(({ soldAtMs }) => new Date(soldAtMs).toISOString()),
      of(({ venue }) => venue),
      of(({ row }) => row.itemId),
      of(({ row }) => row.saleType),
      of(({ row }) => row.url ?? null),
      of(({ row }) => row.verified),
      of(({ row }) => row.synthetic),
      of(hexOf),
      importId,
      of(({ row }) => row.currency),
      of(({ usdRate }) => usdRate),
      of(({ row }) => row.rate?.date ?? null),
      of(({ row }) => row.rate?.source ?? null),
    ],
  );
}

/** Of items with one key the first, in their order. */
export function firstOfEach<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const firsts = new Map<string, T>();
  for (const item of items) if (!firsts.has(keyOf(item))) firsts.set(keyOf(item), item);
  return [...firsts.values()];
}

/** Neither a venue nor an item holds a control character. */
const itemKey = (venue: string, itemId: string) => `${venue}\n${itemId}`;
const itemOf = ({ venue, row }: CheckedSale) => itemKey(venue, row.itemId);
const hexOf = ({ contentDigest }: CheckedSale) => contentDigest.toString('hex');
