import { Injectable } from '@nestjs/common';
import { departmentTaskContract } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { DataSource } from 'typeorm';

/** Notices of one round. */
const ROUND_MAX = 32;

interface NoticeRow {
  readonly notice_id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly url: string;
  readonly below: number;
  readonly left: number;
  readonly balance: number;
  readonly cap: number | null;
  readonly spent: number | null;
  readonly noticed_at: Date;
}

/** Hands over that little is left for a key, to the service that calls addresses outside: each at least once, which is one call. */
@Injectable()
export class LowBalanceNotices {
  constructor(
    private readonly dataSource: DataSource,
    private readonly bus: BusClient,
  ) {}

  /** @returns how many were handed over */
  async round(): Promise<number> {
    return this.dataSource.transaction(async manager => {
      const rows: NoticeRow[] = await manager.query(
        `SELECT notice_id, account_id, key_id, url, below_micro_usd::float8 AS below, left_micro_usd::float8 AS left,
                balance_micro_usd::float8 AS balance, cap_micro_usd::float8 AS cap, spent_micro_usd::float8 AS spent, noticed_at
           FROM low_balance_notice ORDER BY noticed_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
        [ROUND_MAX],
      );
      for (const row of rows) {
        const callId = `ntc_${row.notice_id}`;
        await this.bus.call(departmentTaskContract.owe, { callId, url: row.url, body: bodyOf(row) });
      }
      if (rows.length > 0) {
        await manager.query(`DELETE FROM low_balance_notice WHERE notice_id = ANY ($1)`, [
          rows.map(row => row.notice_id),
        ]);
      }
      return rows.length;
    });
  }
}

function bodyOf(row: NoticeRow): string {
  const { account_id: accountId, key_id: keyId, below, left, balance, cap, spent } = row;
  const ofKey = cap === null ? {} : { capMicroUsd: cap, spentMicroUsd: spent };
  return JSON.stringify({
    type: 'account.low-balance',
    timestamp: row.noticed_at.toISOString(),
    data: {
      ...{ accountId, keyId, belowMicroUsd: below, leftMicroUsd: left, balanceMicroUsd: balance },
      ...ofKey,
    },
  });
}
