import { Injectable } from '@nestjs/common';
import type { GradedSale, GradePeer } from '@svc/comps';
import { VALUATION_SALES_MAX } from '@svc/contracts';
import { DataSource } from 'typeorm';

type Row = Record<string, unknown>;

/** Sales of which card, in which grade, of which market. */
export interface SalesOf {
  readonly cardId: string;
  readonly company: string;
  readonly grade: number;
  readonly qualifier: string;
  readonly synthetic: boolean;
}

/** Instants, milliseconds since the epoch; both are within. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A sale as valuations use it. */
export type StoredSale = GradedSale & { readonly url: string | undefined };

const COLUMNS = `sale_id, price_usd, sold_at, venue, sale_type, verified, url`;

export const COMPS_SQL = `
  SELECT ${COLUMNS} FROM card_sale
   WHERE card_id = $1 AND company = $2 AND grade = $3 AND qualifier = $4 AND synthetic = $5
     AND sold_at >= $6 AND sold_at <= $7
   ORDER BY sold_at DESC, sale_id DESC LIMIT $8`;

/** Cards whose pairs of sales a ratio between grades is taken from, and sales of each in each grade. */
const PEER_CARDS_MAX = 200;
const PEER_SALES_MAX = 20;

const PEERS_SQL = `
  WITH wanted AS (
    SELECT card_id FROM card_sale
     WHERE company = $1 AND grade IN ($2, $3) AND qualifier = $4 AND synthetic = $5 AND sold_at BETWEEN $6 AND $7
     GROUP BY card_id HAVING count(DISTINCT grade) = 2 ORDER BY count(*) DESC, card_id LIMIT $8)
  SELECT wanted.card_id, sale.* FROM wanted
   CROSS JOIN unnest(ARRAY[$2, $3]::numeric[]) AS sold (grade)
   CROSS JOIN LATERAL (
         SELECT sale.grade, ${COLUMNS} FROM card_sale sale
          WHERE sale.card_id = wanted.card_id AND sale.company = $1 AND sale.grade = sold.grade AND sale.qualifier = $4
            AND sale.synthetic = $5 AND sale.sold_at BETWEEN $6 AND $7
          ORDER BY sold_at DESC, sale_id DESC LIMIT $9) AS sale`;

/** Sales that a card's price is taken from. */
@Injectable()
export class ComparableSales {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest sales of a card in a grade, at most {@link VALUATION_SALES_MAX}; one range of one index. */
  async comps(of: SalesOf, { fromMs, toMs }: TimeRange): Promise<StoredSale[]> {
    const rows: Row[] = await this.dataSource.manager.query(COMPS_SQL, [
      ...[of.cardId, of.company, of.grade, of.qualifier, of.synthetic],
      ...[new Date(fromMs), new Date(toMs), VALUATION_SALES_MAX],
    ]);
    return rows.map(saleOf);
  }

  /** Grades in which a card sold at that company, with how often, the most often first. */
  async gradesOf(of: SalesOf, { fromMs, toMs }: TimeRange): Promise<{ grade: number; count: number }[]> {
    const rows: Row[] = await this.dataSource.manager.query(
      `SELECT grade, count(*)::integer AS count FROM card_sale
        WHERE card_id = $1 AND company = $2 AND qualifier = $3 AND synthetic = $4 AND sold_at BETWEEN $5 AND $6
        GROUP BY grade ORDER BY count(*) DESC, grade DESC`,
      [of.cardId, of.company, of.qualifier, of.synthetic, new Date(fromMs), new Date(toMs)],
    );
    return rows.map(row => ({ grade: Number(row.grade), count: Number(row.count) }));
  }

  /** Cards that sold at a company both in a grade and in another, with their newest sales in each. */
  async peers(
    of: Omit<SalesOf, 'cardId'>,
    fromGrade: number,
    { fromMs, toMs }: TimeRange,
  ): Promise<GradePeer[]> {
    const rows: Row[] = await this.dataSource.manager.query(PEERS_SQL, [
      ...[of.company, of.grade, fromGrade, of.qualifier, of.synthetic],
      ...[new Date(fromMs), new Date(toMs), PEER_CARDS_MAX, PEER_SALES_MAX],
    ]);
    const peers = new Map<string, { sales: GradedSale[]; fromSales: GradedSale[] }>();
    for (const row of rows) {
      const cardId = String(row.card_id);
      const peer = peers.get(cardId) ?? { sales: [], fromSales: [] };
      peers.set(cardId, peer);
      (Number(row.grade) === of.grade ? peer.sales : peer.fromSales).push(saleOf(row));
    }
    return [...peers.values()];
  }
}

const saleOf = (row: Row): StoredSale => ({
  saleId: `s${String(row.sale_id)}`,
  priceUsd: Number(row.price_usd),
  soldAtMs: (row.sold_at as Date).getTime(),
  venue: row.venue as string,
  saleType: row.sale_type as GradedSale['saleType'],
  verified: row.verified as boolean,
  url: (row.url as string | null) ?? undefined,
});
