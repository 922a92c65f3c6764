import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What was paid on one rail. */
export interface RailFigures {
  readonly payments: number;
  readonly amountMicroUsd: number;
}

/** What the treasury has earned, as the ledger says it. */
@Injectable()
export class TreasuryFigures {
  constructor(private readonly dataSource: DataSource) {}

  /** By the rail of the payment, in the order of their names: the sums of the days, and the entries since. */
  async byRail(): Promise<ReadonlyMap<string, RailFigures>> {
    const rows: { rail: string; payments: string; amount: string }[] = await this.dataSource.query(
      `SELECT rail, sum(payments) AS payments, sum(amount_micro_usd) AS amount
         FROM (SELECT rail, payments, amount_micro_usd FROM treasury_day
               UNION ALL
               SELECT rail, payments, amount_micro_usd
                 FROM treasury_between((SELECT counted_until FROM treasury_counted), 'infinity')) earned
        GROUP BY rail ORDER BY rail`,
    );
    return new Map(
      rows.map(({ rail, payments, amount }) => [
        rail,
        { payments: Number(payments), amountMicroUsd: Number(amount) },
      ]),
    );
  }

  /** Brings the sums of the days up to date, so that {@link byRail} has few entries to add. */
  async count(): Promise<void> {
    for (;;) {
      const [{ more }]: { more: boolean }[] = await this.dataSource.query(`SELECT count_treasury() AS more`);
      if (!more) return;
    }
  }
}
