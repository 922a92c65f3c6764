import { Injectable } from '@nestjs/common';
import type { SetSpotPriceRequest, SpotPrice } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { EntityManager } from 'typeorm';

/** How far ahead of ours the clock of whoever names a price may be, milliseconds. */
const CLOCK_SKEW_MS = 60_000;

type Row = Record<string, unknown>;

/** Prices of metals as operators set them. None is ever changed: a later one takes its place. */
@Injectable()
export class SpotPrices {
  /** @throws ProblemError VALIDATION_FAILED for a price of the future */
  async set(manager: EntityManager, price: SetSpotPriceRequest, setBy: string): Promise<SpotPrice> {
    const nowMs = Date.now();
    if (Date.parse(price.asOf) > nowMs + CLOCK_SKEW_MS) {
      const bound = new Date(nowMs).toISOString();
      throw problem('VALIDATION_FAILED', `asOf: lies in the future; it is ${bound}`, {
        errors: [{ path: 'asOf', message: 'lies in the future', bound, got: price.asOf }],
      });
    }
    const rows: Row[] = await manager.query(
      `INSERT INTO spot_price (metal, currency, price, as_of, source, set_by) VALUES ($1, $2, $3, $4, $5, $6)
       RETURNING metal, currency, price, as_of, source, set_at`,
      [price.metal, price.currency, price.price, price.asOf, price.source, setBy],
    );
    return priceOf(rows[0]);
  }

  /** The newest of each metal and currency; of two for one instant, the one that was set later. */
  async newest(manager: EntityManager, metal?: SpotPrice['metal']): Promise<SpotPrice[]> {
    const rows: Row[] = await manager.query(
      `SELECT DISTINCT ON (metal, currency) metal, currency, price, as_of, source, set_at FROM spot_price
        WHERE $1::text IS NULL OR metal = $1
        ORDER BY metal, currency, as_of DESC, spot_price_id DESC`,
      [metal ?? null],
    );
    return rows.map(priceOf);
  }
}

const priceOf = (row: Row): SpotPrice => ({
  metal: row.metal as SpotPrice['metal'],
  currency: row.currency as string,
  price: decimalText(row.price as string),
  asOf: (row.as_of as Date).toISOString(),
  source: row.source as string,
  setAt: (row.set_at as Date).toISOString(),
});

/** `2387.15000000` → `2387.15`, `30.00000000` → `30`. */
const decimalText = (text: string) => text.replace(/\.?0+$/, '');
