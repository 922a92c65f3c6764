import { type PaymentCredential, paymentsContract } from '@svc/contracts';
import {
  API_VERSION,
  BusClient,
  createLogger,
  type EmbeddedPostgres,
  MeasurementRegistry,
  MemoryBus,
  openBusLink,
  type RunningService,
  type ServiceDefinition,
  type ServiceEnvironment,
  startService,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { DataSource } from 'typeorm';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { DerivedCredit } from '../src/account/derived-credit.js';
import { CreditReversals } from '../src/card/credit-reversals.js';
import { ClaimDeliveries } from '../src/claim/claim-deliveries.js';
import { ClaimReleases } from '../src/claim/claim-releases.js';
import { ClaimSettlements } from '../src/claim/claim-settlements.js';
import { ClaimStore } from '../src/claim/claim-store.js';
import { Ledger } from '../src/ledger/ledger.js';
import { paymentKeysOf } from '../src/payments-config.js';
import { PaymentsModule, type PaymentsParts } from '../src/payments.module.js';
import { paymentsService } from '../src/payments.service-definition.js';
import { Quotas } from '../src/quota/quotas.js';
import type { Rail } from '../src/rail/rail.js';
import { ClaimReconciler } from '../src/reconcile/claim-reconciler.js';
import { ClaimSweeper } from '../src/reconcile/claim-sweeper.js';

export const SECRETS = {
  PAYMENTS_SECRET: 'payments secret of the tests, 32 characters',
  MACAROON_SECRET: 'macaroon secret of the tests, 32 characters',
  SANDBOX_LIGHTNING_KEY: 'lightning secret of the tests, 32 characters',
  API_KEY_PEPPER: 'pepper of the tests, at least 32 characters',
  CREDIT_KEY_SECRET: 'credit key secret of the tests, 32 characters',
  LICENCE_SIGNING_SEEDS: 'licence-seed-of-the-tests-of-32-characters',
  WAL_SIGNING_SEEDS: 'checkpoint-seed-of-the-tests-of-32-characters',
  ADMIN_KEY: 'admin key of the tests, at least 32 characters',
};

/** The payments service on an in-process bus and a Postgres of its own. */
export interface PaymentsFixture {
  readonly bus: BusClient;
  readonly memoryBus: MemoryBus;
  readonly postgres: EmbeddedPostgres;
  /** A connection of the tests' own, to look into and age the tables, with the role that owns them. */
  readonly database: DataSource;
  readonly environment: ServiceEnvironment;
  close(): Promise<void>;
}

/** @param more of the environment: variables @param startPostgres one of its own, for a test that stops it */
export async function startPayments(
  parts?: PaymentsParts,
  more: Partial<ServiceEnvironment> = {},
  startPostgres = startTemporaryPostgres,
): Promise<PaymentsFixture> {
  const logger = createLogger('payments', { level: 'silent' });
  const postgres = await startPostgres();
  const memoryBus = new MemoryBus();
  const environment: ServiceEnvironment = {
    service: 'payments',
    version: API_VERSION,
    bus: { kind: 'memory', bus: memoryBus },
    ...postgres.urlsFor('payments'),
    production: false,
    secrets: SECRETS,
    logger,
    ...more,
  };
  const definition: ServiceDefinition = {
    ...paymentsService,
    ...(parts ? { module: given => PaymentsModule.for(given, parts) } : {}),
  };
  const service: RunningService = await startService(definition, environment);
  const database = await new DataSource({
    type: 'postgres',
    url: postgres.migrationUrlFor('payments'),
    schema: 'payments',
    extra: { options: '-c search_path=payments' },
  }).initialize();
  const link = openBusLink(environment.bus, 'gateway', logger);
  return {
    bus: new BusClient(link),
    memoryBus,
    postgres,
    database,
    environment,
    close: async () => {
      try {
        await service.close();
        await database.destroy();
      } finally {
        await postgres.stop();
      }
    },
  };
}

/** A challenge that was paid in the sandbox, with its credential on either rail. */
export interface PaidChallenge {
  readonly paymentHash: string;
  readonly preimage: string;
  readonly invoice: string;
  readonly l402: PaymentCredential;
  /** Undefined where the challenge has no such offer. */
  readonly charge: PaymentCredential | undefined;
}

export async function payChallenge(bus: BusClient, operationId = 'zk.prove'): Promise<PaidChallenge> {
  const { offers } = await bus.call(paymentsContract.challenge, { operationId, realm: 'svc.example' });
  const header = (rail: string) => offers.find(offer => offer.rail === rail)?.wwwAuthenticate ?? '';
  const param = (text: string, name: string) => new RegExp(`${name}="([^"]*)"`).exec(text)?.[1] ?? '';
  const invoice = param(header('l402'), 'invoice');
  const { preimage, paymentHash } = await bus.call(paymentsContract.sandboxPay, { invoice });
  const payment = header('mpp-lightning');
  const names = ['id', 'realm', 'method', 'intent', 'request', 'expires'];
  const challenge = Object.fromEntries(names.map(name => [name, param(payment, name)]));
  const encoded = Buffer.from(JSON.stringify({ challenge, payload: { preimage } })).toString('base64url');
  return {
    paymentHash,
    preimage,
    invoice,
    l402: { scheme: 'L402', value: `${param(header('l402'), 'macaroon')}:${preimage}` },
    charge: payment === '' ? undefined : { scheme: 'Payment', value: encoded },
  };
}

/** What the service has of claims, on a connection of the tests' own: as another replica has it. */
export function claimParts(database: DataSource, rails: readonly Rail[] = [], leaseSeconds?: number) {
  const known = { production: false, secrets: SECRETS };
  const keys = paymentKeysOf(known);
  const ledger = new Ledger();
  const derived = new DerivedCredit(database, accountSecretsOf(known));
  const reversals = new CreditReversals(ledger);
  const releases = new ClaimReleases(database, ledger, derived, new Quotas(database), reversals);
  const settlements = new ClaimSettlements(database, ledger, derived, releases, reversals);
  const measurements = new MeasurementRegistry();
  const environment = { logger: createLogger('payments', { level: 'silent' }) };
  return {
    measurements,
    derived,
    releases,
    settlements,
    store: new ClaimStore(database, ledger, derived, keys, leaseSeconds),
    deliveries: new ClaimDeliveries(database, keys),
    sweeper: new ClaimSweeper(database, releases, measurements),
    reconciler: new ClaimReconciler(database, settlements, rails, measurements, environment),
  };
}
