import { Inject, Injectable } from '@nestjs/common';
import type { PaymentCredit } from '@svc/contracts';
import { type DerivedSvcKey, deriveSvcKey } from '@svc/protocols';
import { DataSource, type EntityManager } from 'typeorm';
import type { RailFamily } from '../rail/rail.js';
import { ACCOUNT_SECRETS, type AccountSecrets } from './account-secrets.js';
import { hashKey } from './key-hash.js';

/**
 * The credit of payers who have no account: on a key that is derived from their payment, so that whoever shows the
 * original credential, and nobody else, is shown it again. Nothing secret is stored.
 */
@Injectable()
export class DerivedCredit {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(ACCOUNT_SECRETS) private readonly secrets: AccountSecrets,
  ) {}

  keyOf(family: RailFamily, proofKey: string): DerivedSvcKey {
    return deriveSvcKey(this.secrets.creditKeySecret, this.secrets.mode, family, proofKey);
  }

  /** The account of a wallet that has paid nothing: an escrow was claimed for it. Its key is made when the wallet signs for one. */
  walletAccountOf(address: string): string {
    return deriveSvcKey(this.secrets.creditKeySecret, this.secrets.mode, 'wallet', address).accountId;
  }

  /** Sees to it that {@link walletAccountOf} is there; its id. @param address in lower case */
  async ensureWallet(manager: EntityManager, address: string): Promise<string> {
    const accountId = this.walletAccountOf(address);
    await manager.query(
      `INSERT INTO account (account_id, kind) VALUES ($1, 'derived') ON CONFLICT (account_id) DO NOTHING`,
      [accountId],
    );
    return accountId;
  }

  /** Sees to it that the account of a payment is there, with its key; its id. */
  async ensure(manager: EntityManager, family: RailFamily, proofKey: string): Promise<string> {
    const { account_id: accountId, key_id, key_hash } = this.rowOf(family, proofKey);
    await manager.query(
      `INSERT INTO account (account_id, kind) VALUES ($1, 'derived') ON CONFLICT (account_id) DO NOTHING`,
      [accountId],
    );
    await manager.query(
      `INSERT INTO api_key (key_id, account_id, key_hash) VALUES ($1, $2, decode($3, 'hex'))
       ON CONFLICT (key_id) DO NOTHING`,
      [key_id, accountId, key_hash],
    );
    return accountId;
  }

  /** The account of a payment and its key as the tables have them, the hash of the key as hexadecimal. */
  rowOf(family: RailFamily, proofKey: string): { account_id: string; key_id: string; key_hash: string } {
    const { accountId, keyId, key } = this.keyOf(family, proofKey);
    const { hash } = hashKey(this.secrets.pepper, this.secrets.mode, key);
    return { account_id: accountId, key_id: keyId, key_hash: hash.toString('hex') };
  }

  /**
   * What a payment has left, with the key it lies on; undefined when that is nothing, or its holder ended the key.
   * Only for whoever just showed the original credential.
   */
  async of(family: RailFamily, proofKey: string): Promise<PaymentCredit | undefined> {
    const { accountId, keyId, key } = this.keyOf(family, proofKey);
    const rows: { balance: string }[] = await this.dataSource.query(
      `SELECT account.balance_micro_usd AS balance FROM account JOIN api_key USING (account_id)
        WHERE account.account_id = $1 AND api_key.key_id = $2 AND account.balance_micro_usd > 0
          AND (api_key.state = 'active' OR (api_key.state = 'rotating' AND api_key.ends_at > now()))`,
      [accountId, keyId],
    );
    return rows[0] && { key, balanceMicroUsd: Number(rows[0].balance) };
  }
}
