import {
  ConfigError,
  digestSecretsOf,
  KeyedDigests,
  loadConfig,
  type ServiceEnvironment,
  signingSeedFaults,
  type Variables,
} from '@svc/platform';
import { deriveKey } from '@svc/protocols';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { awardFaults } from './award/award-config.js';
import { cardFaults } from './card/card-config.js';
import { clnFaults, clnLightningOf } from './lightning/cln-config.js';
import type { LightningBackend } from './lightning/lightning-backend.js';
import { LICENCE_SIGNING_SEEDS } from './licence/licence-keys.js';
import { LndLightning } from './lightning/lnd-lightning.js';
import { SandboxLightning } from './lightning/sandbox-lightning.js';
import { onchainFaults } from './onchain/onchain-config.js';
import { ticketFaults } from './ticket/ticket-config.js';
import { receiptFaults } from './receipt/receipt-config.js';
import { walFaults } from './wal/wal-config.js';

/** Networks whose coins are worth nothing. */
const TEST_NETWORKS = ['signet', 'regtest'];
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/;

/** Variables that the payments service reads beside those of every service. */
export const paymentsConfig = z.object({
  LND_REST_URL: z
    .string()
    .refine(url => /^https:\/\/[^/]+/.test(url) || LOOPBACK.test(url), 'must be https://host:port')
    .optional(),
  LND_MACAROON_HEX: z
    .string()
    .regex(/^([0-9a-fA-F]{2})+$/, 'must be hexadecimal')
    .optional(),
  LND_TLS_CERT_PATH: z.string().optional(),
  LND_NETWORK: z.enum(['mainnet', 'signet', 'regtest']).default('mainnet'),
  /** Whether calls by key are sold in the order that their operation allows (`saleOrderOf` of `@svc/protocols`), or are all held first. */
  SALE_ORDERS: z.enum(['declared', 'hold-first']).default('declared'),
});

export type SaleOrders = z.infer<typeof paymentsConfig>['SALE_ORDERS'];

/** Injection token of the {@link SaleOrders}. */
export const SALE_ORDERS = Symbol('SALE_ORDERS');

/** @throws ConfigError naming every variable that is not as it must be */
export const saleOrdersOf = (variables: Variables): SaleOrders =>
  loadConfig(paymentsConfig, variables).SALE_ORDERS;

/** Keys that payments are signed with, one for each purpose. */
export interface PaymentKeys {
  readonly l402: Uint8Array;
  readonly paymentChallenge: Uint8Array;
  readonly challengeToken: Uint8Array;
  /** Seals stored answers that hold a key or a ticket. */
  readonly storedAnswer: Uint8Array;
  /** What the claim links of escrows are made of and known by. */
  readonly escrowLink: Uint8Array;
  /** Challenges to who lost a key say back under it what they were. */
  readonly keyRecovery: Uint8Array;
  /** What rows know requests by. */
  readonly requests: KeyedDigests;
}

export const PAYMENT_KEYS = Symbol('PAYMENT_KEYS');

/** Secrets without which the service does not start, each the same in all its instances. */
const PAYMENT_SECRETS = [
  'PAYMENTS_SECRET',
  'MACAROON_SECRET',
  'API_KEY_PEPPER',
  'CREDIT_KEY_SECRET',
  'ADMIN_KEY',
] as const;

type Known = Pick<ServiceEnvironment, 'production' | 'secrets'>;

/** Faults of the secrets and of the Lightning node's variables, all of them at once. */
export function paymentsFaults(known: Known, variables: Variables): string[] {
  return [
    keyFaults(known),
    lightningFaults(known, variables),
    cardFaults(known, variables),
    onchainFaults(known, variables),
    ticketFaults(variables),
    walFaults(known, variables),
    receiptFaults(known, variables),
    awardFaults(variables),
  ].flat();
}

/**
 * The keys of this deployment; all instances of the service need the same.
 * @throws ConfigError naming every secret that is missing
 */
export function paymentKeysOf(known: Known): PaymentKeys {
  refuse(keyFaults(known));
  const { PAYMENTS_SECRET: payments, MACAROON_SECRET: macaroon } = known.secrets;
  return {
    l402: deriveKey(macaroon, 'l402-root'),
    paymentChallenge: deriveKey(payments, 'mpp-challenge'),
    challengeToken: deriveKey(payments, 'challenge-token'),
    storedAnswer: deriveKey(payments, 'stored-answer'),
    escrowLink: deriveKey(payments, 'escrow-link'),
    keyRecovery: deriveKey(payments, 'key-recovery'),
    requests: new KeyedDigests(
      digestSecretsOf(LICENCE_SIGNING_SEEDS, known.secrets),
      'svc/payments-request/v1',
    ),
  };
}

/**
 * The Lightning node: LND or Core Lightning where one is configured, the sandbox elsewhere.
 * @throws ConfigError in production without a node, for two of them, and for half a configuration
 */
export function lightningBackendOf(known: Known, variables: Variables = process.env): LightningBackend {
  refuse(lightningFaults(known, variables));
  const { LND_REST_URL, LND_MACAROON_HEX, LND_TLS_CERT_PATH, LND_NETWORK } = loadConfig(
    paymentsConfig,
    variables,
  );
  const cln = clnLightningOf(variables);
  if (cln) return cln;
  if (LND_REST_URL === undefined || LND_MACAROON_HEX === undefined) {
    return new SandboxLightning(known.secrets.SANDBOX_LIGHTNING_KEY);
  }
  return new LndLightning({
    url: LND_REST_URL,
    macaroonHex: LND_MACAROON_HEX,
    tlsCertificate: LND_TLS_CERT_PATH === undefined ? undefined : readFileSync(LND_TLS_CERT_PATH, 'utf8'),
    network: LND_NETWORK,
  });
}

function keyFaults({ secrets }: Known): string[] {
  return [...missing(PAYMENT_SECRETS, secrets), ...signingSeedFaults(LICENCE_SIGNING_SEEDS, secrets)];
}

function lightningFaults({ production, secrets }: Known, variables: Variables): string[] {
  const faults = clnFaults(variables);
  try {
    loadConfig(paymentsConfig, variables);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
  }
  for (const node of production ? ['LND', 'CLN'] : []) {
    if (variables[`${node}_REST_URL`] && TEST_NETWORKS.includes(variables[`${node}_NETWORK`] ?? '')) {
      faults.push(`${node}_NETWORK: is a test network, and production takes no play money`);
    }
  }
  if (variables.LND_REST_URL) {
    faults.push(
      ...missing(['LND_MACAROON_HEX'], variables),
      ...certificateFaults(variables.LND_TLS_CERT_PATH),
    );
  } else if (variables.CLN_REST_URL) {
    return faults;
  } else if (production) {
    faults.push('LND_REST_URL: is not set, nor is CLN_REST_URL; production has no sandbox Lightning node');
  } else {
    faults.push(...missing(['SANDBOX_LIGHTNING_KEY'], secrets));
  }
  return faults;
}

function missing(names: readonly string[], variables: Variables): string[] {
  return names.filter(name => !variables[name]).map(name => `${name}: is not set`);
}

function certificateFaults(path: string | undefined): string[] {
  if (!path) return [];
  try {
    readFileSync(path);
    return [];
  } catch (error) {
    return [`LND_TLS_CERT_PATH: cannot be read (${(error as NodeJS.ErrnoException).code})`];
  }
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults);
}
