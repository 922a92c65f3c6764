import { describe, expect, it } from '@jest/globals';
import { paymentsFaults } from './payments-config.js';
import { paymentsService } from './payments.service-definition.js';

const SECRET = 'a secret of thirty-two characters';
const SECRETS = {
  PAYMENTS_SECRET: SECRET,
  MACAROON_SECRET: SECRET,
  API_KEY_PEPPER: SECRET,
  CREDIT_KEY_SECRET: SECRET,
  LICENCE_SIGNING_SEEDS: 'a-seed-of-licence-keys-of-32-characters',
  ADMIN_KEY: SECRET,
  SANDBOX_LIGHTNING_KEY: SECRET,
};

describe('the configuration of payments', () => {
  it('is checked by the definition, before anything is connected', () => {
    expect(paymentsService.configFaults?.({ production: false, secrets: {} }, {})).toHaveLength(7);
  });

  it('names every secret that the sandbox lacks at once', () => {
    expect(paymentsFaults({ production: false, secrets: {} }, {})).toEqual([
      'PAYMENTS_SECRET: is not set',
      'MACAROON_SECRET: is not set',
      'API_KEY_PEPPER: is not set',
      'CREDIT_KEY_SECRET: is not set',
      'ADMIN_KEY: is not set',
      'LICENCE_SIGNING_SEEDS: is not set',
      'SANDBOX_LIGHTNING_KEY: is not set',
    ]);
    expect(paymentsFaults({ production: false, secrets: SECRETS }, {})).toEqual([]);
  });

  it('names every fault of the Lightning node beside the secrets', () => {
    const variables = { LND_REST_URL: 'http://lnd.example', LND_TLS_CERT_PATH: '/nowhere/tls.cert' };
    const { MACAROON_SECRET: _missing, ...secrets } = SECRETS;
    expect(paymentsFaults({ production: true, secrets }, variables)).toEqual([
      'MACAROON_SECRET: is not set',
      'LND_REST_URL: must be https://host:port',
      'LND_MACAROON_HEX: is not set',
      'LND_TLS_CERT_PATH: cannot be read (ENOENT)',
    ]);
  });

  it('has no sandbox in production', () => {
    expect(paymentsFaults({ production: true, secrets: SECRETS }, {})).toEqual([
      expect.stringMatching(/^LND_REST_URL: is not set/),
    ]);
    const lnd = { LND_REST_URL: 'https://lnd.example:8080', LND_MACAROON_HEX: '00' };
    expect(paymentsFaults({ production: true, secrets: SECRETS }, lnd)).toEqual([]);
  });
});
