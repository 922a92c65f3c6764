import { Injectable } from '@nestjs/common';
import type { CreditGrant, KeyHolder } from '@svc/contracts';
import { problem } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { Ledger } from '../ledger/ledger.js';

/** What an operator grants. */
export interface AskedGrant {
  readonly accountId: string;
  readonly amountMicroUsd: number;
  readonly reason: string;
  /** Makes a grant that is sent twice one grant. */
  readonly idempotencyKey?: string;
}

type Row = Record<string, unknown>;

/** Credit that was not bought: from the treasury, with a reason. */
@Injectable()
export class CreditGrants {
  constructor(private readonly ledger: Ledger) {}

  /** @throws ProblemError UNPROCESSABLE for another grant under the same Idempotency-Key */
  async grant(manager: EntityManager, by: KeyHolder, asked: AskedGrant): Promise<CreditGrant> {
    const grantId = randomUUID();
    // Of two with one key at once, the second waits here for the first to end.
    const inserted: Row[] = await manager.query(
      `INSERT INTO credit_grant (grant_id, account_id, amount_micro_usd, reason, granted_by, idempotency_key)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (granted_by, idempotency_key) DO NOTHING RETURNING grant_id`,
      [
        ...[grantId, asked.accountId, asked.amountMicroUsd, asked.reason],
        ...[by.accountId, asked.idempotencyKey ?? null],
      ],
    );
    if (inserted.length === 0) return this.earlier(manager, by, asked);
    await this.ledger.post(manager, {
      kind: 'grant',
      legs: [
        { account: 'treasury', amountMicroUsd: -asked.amountMicroUsd },
        { account: this.ledger.customer(asked.accountId), amountMicroUsd: asked.amountMicroUsd },
      ],
      reference: `grant:${grantId}`,
    });
    return this.find(manager, grantId);
  }

  private async earlier(manager: EntityManager, by: KeyHolder, asked: AskedGrant): Promise<CreditGrant> {
    const [{ grant_id: grantId }]: Row[] = await manager.query(
      `SELECT grant_id FROM credit_grant WHERE granted_by = $1 AND idempotency_key = $2`,
      [by.accountId, asked.idempotencyKey],
    );
    const grant = await this.find(manager, grantId as string);
    const isSame =
      grant.accountId === asked.accountId &&
      grant.amountMicroUsd === asked.amountMicroUsd &&
      grant.reason === asked.reason;
    if (isSame) return grant;
    throw problem('UNPROCESSABLE', 'This Idempotency-Key came before with another grant');
  }

  private async find(manager: EntityManager, grantId: string): Promise<CreditGrant> {
    const [row]: Row[] = await manager.query(
      `SELECT given.*, account.balance_micro_usd FROM credit_grant given JOIN account USING (account_id)
        WHERE grant_id = $1`,
      [grantId],
    );
    return {
      grantId,
      accountId: row.account_id as string,
      amountMicroUsd: Number(row.amount_micro_usd),
      reason: row.reason as string,
      balanceMicroUsd: Number(row.balance_micro_usd),
      grantedAt: (row.created_at as Date).toISOString(),
    };
  }
}
