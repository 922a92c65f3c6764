import { ConfigError, loadConfig, type Variables } from '@svc/platform';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ClnLightning } from './cln-lightning.js';

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/;

/** Variables of a Core Lightning node. */
const clnConfig = z.object({
  CLN_REST_URL: z
    .string()
    .refine(url => /^https:\/\/[^/]+/.test(url) || LOOPBACK.test(url), 'must be https://host:port'),
  CLN_RUNE: z.string().regex(/^[A-Za-z0-9_=-]{16,4096}$/, 'must be a rune, base64 for URLs'),
  CLN_TLS_CERT_PATH: z.string().optional(),
  CLN_NETWORK: z.enum(['mainnet', 'signet', 'regtest']).default('mainnet'),
});

/** Faults of the variables of a Core Lightning node; none where it has no address. */
export function clnFaults(variables: Variables): string[] {
  if (!variables.CLN_REST_URL) return [];
  const faults: string[] = [];
  try {
    loadConfig(clnConfig, variables);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
  }
  if (variables.LND_REST_URL) {
    faults.push('CLN_REST_URL: is set beside LND_REST_URL; one node takes the payments');
  }
  if (variables.CLN_TLS_CERT_PATH) {
    try {
      readFileSync(variables.CLN_TLS_CERT_PATH);
    } catch (error) {
      faults.push(`CLN_TLS_CERT_PATH: cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return faults;
}

/**
 * The Core Lightning node that is configured; undefined where none is.
 * @throws ConfigError
 */
export function clnLightningOf(variables: Variables): ClnLightning | undefined {
  const faults = clnFaults(variables);
  if (faults.length > 0) throw new ConfigError(faults);
  if (!variables.CLN_REST_URL) return undefined;
  const { CLN_REST_URL, CLN_RUNE, CLN_TLS_CERT_PATH, CLN_NETWORK } = loadConfig(clnConfig, variables);
  return new ClnLightning({
    url: CLN_REST_URL,
    rune: CLN_RUNE,
    tlsCertificate: CLN_TLS_CERT_PATH === undefined ? undefined : readFileSync(CLN_TLS_CERT_PATH, 'utf8'),
    network: CLN_NETWORK,
  });
}
