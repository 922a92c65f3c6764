import { createLogger, type EmbeddedPostgres, openDataSource } from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { priceOf } from '@svc/protocols';
import { createHash, randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { type AccountSecrets, accountSecretsOf } from '../src/account/account-secrets.js';
import { Accounts } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { KeyLimitStore } from '../src/account/key-limits.js';
import { KeyClaims } from '../src/claim/key-claims.js';
import { customer, Ledger } from '../src/ledger/ledger.js';
import { paymentKeysOf } from '../src/payments-config.js';
import { paymentsService } from '../src/payments.service-definition.js';
import { Quotas } from '../src/quota/quotas.js';
import { SECRETS } from './payments-fixture.js';

/** What one instance of the service has of accounts: with connections of its own. */
export interface AccountsInstance {
  readonly database: DataSource;
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly keys: ApiKeys;
  readonly limits: KeyLimitStore;
  readonly quotas: Quotas;
  readonly keyClaims: KeyClaims;
}

/** Accounts on a Postgres of their own, as two instances of the service have them. */
export interface AccountsFixture extends AccountsInstance {
  readonly postgres: EmbeddedPostgres;
  readonly secrets: AccountSecrets;
  /** A connection with the role that owns the tables, which the service never has. */
  readonly owner: DataSource;
  /** Another instance on the same database, at another address where given; it closes with the fixture. */
  other(url?: string): Promise<AccountsInstance>;
  /** An account with a key and, where given, credit and a plan. */
  customer(given?: { microUsd?: number; plan?: 'demo' | 'developer' | 'pro_agent' | 'enterprise' }): Promise<{
    accountId: string;
    key: string;
    keyId: string;
  }>;
  balanceOf(accountId: string): Promise<number>;
  close(): Promise<void>;
}

export async function startAccounts(): Promise<AccountsFixture> {
  const postgres = await startTemporaryPostgres();
  const known = { production: false, secrets: SECRETS };
  const secrets = accountSecretsOf(known);
  const opened: DataSource[] = [];
  const open = async (url = postgres.urlFor('payments')): Promise<AccountsInstance> => {
    const database = await openDataSource({
      service: 'payments',
      url,
      migrationUrl: postgres.migrationUrlFor('payments'),
      tableRights: paymentsService.tableRights,
      migrations: paymentsService.migrations,
      logger: createLogger('payments', { level: 'silent' }),
    });
    opened.push(database);
    const keys = new ApiKeys(database, secrets);
    const keyClaims = new KeyClaims(database, keys, paymentKeysOf(known));
    const quotas = new Quotas(database);
    const limits = new KeyLimitStore({ allowLoopback: false });
    return { database, ledger: new Ledger(), accounts: new Accounts(), keys, limits, quotas, keyClaims };
  };
  const instance = await open().catch(async (error: unknown) => {
    await postgres.stop();
    throw error;
  });
  const { database, ledger, accounts, keys } = instance;
  const owner = await new DataSource({
    type: 'postgres',
    url: postgres.migrationUrlFor('payments'),
    schema: 'payments',
  }).initialize();
  opened.push(owner);
  return {
    ...instance,
    postgres,
    secrets,
    owner,
    other: open,
    customer: ({ microUsd = 0, plan = 'demo' } = {}) =>
      database.transaction(async manager => {
        const accountId = await accounts.create(manager, { kind: 'purchased', plan });
        const issued = await keys.issue(manager, accountId);
        if (microUsd > 0) {
          const legs = [
            { account: 'processor-clearing' as const, amountMicroUsd: -microUsd },
            { account: customer(accountId), amountMicroUsd: microUsd },
          ];
          await ledger.post(manager, { kind: 'top-up', legs });
        }
        return { accountId, ...issued };
      }),
    balanceOf: async accountId => (await accounts.find(database.manager, accountId))!.balanceMicroUsd,
    close: async () => {
      await Promise.all(opened.map(each => each.destroy()));
      await postgres.stop();
    },
  };
}

/** A call by key of an operation; each body is another request. */
export const callOf = (accountKey: string, body: unknown = randomUUID(), operationId = 'zk.prove') => ({
  accountKey,
  price: priceOf(operationId),
  requestDigest: createHash('sha256')
    .update(JSON.stringify([operationId, body]))
    .digest('hex'),
});

/** What became of calls that ran at once, counted by outcome or code. */
export async function tally(calls: readonly Promise<{ outcome: string }>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(calls)) {
    const name =
      result.status === 'fulfilled'
        ? result.value.outcome
        : ((result.reason as { code?: string }).code ?? String(result.reason));
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
