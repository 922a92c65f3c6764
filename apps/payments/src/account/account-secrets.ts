import type { ServiceEnvironment } from '@svc/platform';
import { deriveKey, type SvcKeyMode } from '@svc/protocols';

/** What account keys are made and hashed with; the same in all instances. */
export interface AccountSecrets {
  /** HMAC key of the stored hashes. */
  readonly pepper: Uint8Array;
  /** HMAC key under which addresses are counted. */
  readonly address: Uint8Array;
  /** What the keys of left-over payments are derived from. */
  readonly creditKeySecret: string;
  readonly adminKey: string;
  /** Keys of the sandbox say so, and are none in production. */
  readonly mode: SvcKeyMode;
}

export const ACCOUNT_SECRETS = Symbol('ACCOUNT_SECRETS');

/** The secrets are there: the configuration was checked before. */
export function accountSecretsOf({
  secrets,
  production,
}: Pick<ServiceEnvironment, 'production' | 'secrets'>): AccountSecrets {
  return {
    pepper: deriveKey(secrets.API_KEY_PEPPER, 'api-key'),
    address: deriveKey(secrets.API_KEY_PEPPER, 'client-address'),
    creditKeySecret: secrets.CREDIT_KEY_SECRET,
    adminKey: secrets.ADMIN_KEY,
    mode: production ? 'live' : 'test',
  };
}
