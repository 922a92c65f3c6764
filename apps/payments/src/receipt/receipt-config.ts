import {
  ConfigError,
  loadConfig,
  type ServiceEnvironment,
  signingSeedsOf,
  type Variables,
} from '@svc/platform';
import { z } from 'zod';
import { LICENCE_SIGNING_SEEDS } from '../licence/licence-keys.js';
import { PublicUrl } from '../public-url.js';
import { ReceiptKeys } from './receipt-keys.js';

const receiptConfig = z.object({
  PUBLIC_URL: PublicUrl.optional(),
  /** Where the gateway of a sandbox listens, which no public address leads to. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(3_000),
  /** Of the payload: 2 is the form of x402-foundation pull request 3186, which is open. */
  RECEIPT_VERSION: z
    .enum(['1', '2'])
    .default('1')
    .transform(text => Number(text) as 1 | 2),
});

type Known = Pick<ServiceEnvironment, 'production' | 'secrets'>;

/** What receipts and offers are signed with, and how. */
export interface ReceiptSettings {
  readonly keys: ReceiptKeys;
  /** Origin of every URL that is signed: none comes from a caller. */
  readonly origin: string;
  readonly version: 1 | 2;
}

/** Injection token of the {@link ReceiptSettings}. */
export const RECEIPT_SETTINGS = Symbol('RECEIPT_SETTINGS');

/** Faults of the variables, one line each. */
export function receiptFaults({ production }: Pick<Known, 'production'>, variables: Variables): string[] {
  try {
    const { PUBLIC_URL } = loadConfig(receiptConfig, variables);
    return production && PUBLIC_URL === undefined ? ['PUBLIC_URL: is not set, and receipts name it'] : [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...error.faults];
  }
}

/** The settings of this deployment; all replicas need the same. @throws ConfigError naming every fault */
export function receiptSettingsOf(known: Known, variables: Variables): ReceiptSettings {
  const faults = receiptFaults(known, variables);
  if (faults.length > 0) throw new ConfigError(faults);
  const { PUBLIC_URL, PORT, RECEIPT_VERSION: version } = loadConfig(receiptConfig, variables);
  const { origin } = new URL(PUBLIC_URL ?? `http://localhost:${PORT || 3_000}`);
  const seeds = signingSeedsOf(LICENCE_SIGNING_SEEDS, known.secrets);
  return { keys: new ReceiptKeys(seeds, origin), origin, version };
}
