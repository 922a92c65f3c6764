import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { KEY_SCOPES } from '@svc/contracts';
import { inTransaction } from '@svc/platform';
import { base32 } from '@svc/protocols';
import { createHmac } from 'node:crypto';
import { DataSource } from 'typeorm';
import { ACCOUNT_SECRETS, type AccountSecrets } from './account-secrets.js';
import { hashKey } from './key-hash.js';

/** Label of the keys that come from ADMIN_KEY. */
const LABEL = 'ADMIN_KEY';
const ACCOUNT_ID_CHARS = 20;

/**
 * Sees to it at every start that the operator's account has the key of ADMIN_KEY, with every scope, and no other that
 * came from there: whoever changes ADMIN_KEY ends the old one. Instances that start together make one account.
 */
@Injectable()
export class OperatorAccount implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(ACCOUNT_SECRETS) private readonly secrets: AccountSecrets,
  ) {}

  /** Of one deployment: its pepper makes it. */
  get accountId(): string {
    const digest = createHmac('sha256', this.secrets.pepper).update('operator-account').digest();
    return `acct_${base32(digest, ACCOUNT_ID_CHARS)}`;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { keyId, hash } = hashKey(this.secrets.pepper, this.secrets.mode, this.secrets.adminKey);
    await inTransaction(this.dataSource, async manager => {
      await manager.query(
        `INSERT INTO account (account_id, kind) VALUES ($1, 'operator') ON CONFLICT (account_id) DO NOTHING`,
        [this.accountId],
      );
      await manager.query(
        `UPDATE api_key SET state = 'revoked', ends_at = now()
          WHERE account_id = $1 AND label = $2 AND key_id <> $3 AND state <> 'revoked'`,
        [this.accountId, LABEL, keyId],
      );
      await manager.query(
        `INSERT INTO api_key AS held (key_id, account_id, key_hash, scopes, label) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (key_id) DO UPDATE SET scopes = excluded.scopes, state = 'active', ends_at = NULL
          WHERE held.account_id = excluded.account_id
            AND (held.scopes <> excluded.scopes OR held.state <> 'active')`,
        [keyId, this.accountId, hash, [...KEY_SCOPES], LABEL],
      );
    });
  }
}
