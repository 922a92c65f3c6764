import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { KINDS_OF_A_PAYMENT } from './accounts.js';
import { DerivedCredit } from './derived-credit.js';

/** An account that a payer has credit on. */
export interface PayerAccount {
  readonly accountId: string;
  readonly balanceMicroUsd: number;
}

/** Accounts of one wallet that are looked at, those with the most credit first. */
const ACCOUNTS_MAX = 100;

/**
 * The accounts that came of payments, by who paid: each was made of one payment alone, so that who proves to be its payer has it. Accounts
 * that were bought, and those of operators, are not among them.
 */
@Injectable()
export class PayerAccounts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly derived: DerivedCredit,
  ) {}

  /** What the payments of a wallet have left, and the account that escrows were claimed for. @param address in lower case */
  async ofWallet(address: string, accountId?: string): Promise<PayerAccount[]> {
    const rows: { account_id: string; balance: string; proof_keys: string[] }[] = await this.dataSource.query(
      `SELECT account_id, balance_micro_usd AS balance, array_agg(proof_key) AS proof_keys
         FROM payment_claim JOIN account ON account_id = credit_account_id
        WHERE payer = $1 AND rail_family = 'x402' AND credit_account_id IS NOT NULL AND account.kind = 'derived'
          AND ($2::text IS NULL OR account_id = $2)
        GROUP BY account_id, balance_micro_usd ORDER BY balance_micro_usd DESC, account_id LIMIT $3`,
      [`x402:${address}`, accountId ?? null, ACCOUNTS_MAX],
    );
    // A payment may have gone back to another's account, whose key came along.
    const left = rows.filter(row =>
      row.proof_keys.some(proofKey => this.derived.keyOf('x402', proofKey).accountId === row.account_id),
    );
    const own = this.derived.walletAccountOf(address);
    const claimed = accountId === undefined || accountId === own ? await this.find(own) : [];
    return [
      ...left.map(row => ({ accountId: row.account_id, balanceMicroUsd: Number(row.balance) })),
      ...claimed,
    ];
  }

  /** What a Lightning payment has left, or its bundle has. */
  async ofLightning(paymentHash: string, accountId?: string): Promise<PayerAccount[]> {
    const own = this.derived.keyOf('lightning', paymentHash).accountId;
    return accountId === undefined || accountId === own ? this.find(own) : [];
  }

  /** Locks an account until the transaction ends; its balance. */
  async lock(manager: EntityManager, accountId: string): Promise<number> {
    const [{ balance }]: { balance: string }[] = await manager.query(
      `SELECT balance_micro_usd AS balance FROM account WHERE account_id = $1 FOR UPDATE`,
      [accountId],
    );
    return Number(balance);
  }

  private async find(accountId: string): Promise<PayerAccount[]> {
    const rows: { balance: string }[] = await this.dataSource.query(
      `SELECT balance_micro_usd AS balance FROM account WHERE account_id = $1 AND kind = ANY ($2)`,
      [accountId, KINDS_OF_A_PAYMENT],
    );
    return rows.map(({ balance }) => ({ accountId, balanceMicroUsd: Number(balance) }));
  }
}
