import { ConfigError, loadConfig, type ServiceEnvironment } from '@svc/platform';
import { deriveKey } from '@svc/protocols';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { LightningBackend } from './lightning/lightning-backend.js';
import { LndLightning } from './lightning/lnd-lightning.js';
import { SandboxLightning } from './lightning/sandbox-lightning.js';

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
});

/** Keys that payments are signed with, one for each purpose. */
export interface PaymentKeys {
  readonly l402: Uint8Array;
  readonly paymentChallenge: Uint8Array;
  readonly challengeToken: Uint8Array;
}

export const PAYMENT_KEYS = Symbol('PAYMENT_KEYS');

/**
 * The keys of this deployment; all instances of the service need the same.
 * @throws ConfigError naming every secret that is missing
 */
export function paymentKeysOf(environment: ServiceEnvironment): PaymentKeys {
  const { PAYMENTS_SECRET: payments, MACAROON_SECRET: macaroon } = environment.secrets;
  const faults: string[] = [];
  if (!payments) faults.push('PAYMENTS_SECRET: is not set');
  if (!macaroon) faults.push('MACAROON_SECRET: is not set');
  if (!payments || !macaroon) throw new ConfigError(faults);
  return {
    l402: deriveKey(macaroon, 'l402-root'),
    paymentChallenge: deriveKey(payments, 'mpp-challenge'),
    challengeToken: deriveKey(payments, 'challenge-token'),
  };
}

/**
 * The Lightning node: LND where one is configured, the sandbox elsewhere.
 * @throws ConfigError in production without LND, and for half a configuration
 */
export function lightningBackendOf(
  environment: ServiceEnvironment,
  variables: NodeJS.ProcessEnv = process.env,
): LightningBackend {
  const config = loadConfig(paymentsConfig, variables);
  if (config.LND_REST_URL === undefined) return sandboxOf(environment);
  if (config.LND_MACAROON_HEX === undefined) throw new ConfigError(['LND_MACAROON_HEX: is not set']);
  return new LndLightning({
    url: config.LND_REST_URL,
    macaroonHex: config.LND_MACAROON_HEX,
    tlsCertificate:
      config.LND_TLS_CERT_PATH === undefined ? undefined : certificateAt(config.LND_TLS_CERT_PATH),
    network: config.LND_NETWORK,
  });
}

function sandboxOf(environment: ServiceEnvironment): SandboxLightning {
  if (environment.production) {
    throw new ConfigError(['LND_REST_URL: is not set, and production has no sandbox Lightning node']);
  }
  const { SANDBOX_LIGHTNING_KEY: secret } = environment.secrets;
  if (!secret) throw new ConfigError(['SANDBOX_LIGHTNING_KEY: is not set']);
  return new SandboxLightning(secret);
}

function certificateAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`LND_TLS_CERT_PATH: cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
}
