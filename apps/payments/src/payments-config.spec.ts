import { describe, expect, it } from '@jest/globals';
import { lightningBackendOf, paymentsFaults } from './payments-config.js';
import { paymentsService } from './payments.service-definition.js';

const SECRET = 'a secret of thirty-two characters';
const SECRETS = {
  PAYMENTS_SECRET: SECRET,
  MACAROON_SECRET: SECRET,
  API_KEY_PEPPER: SECRET,
  CREDIT_KEY_SECRET: SECRET,
  LICENCE_SIGNING_SEEDS: 'a-seed-of-licence-keys-of-32-characters',
  WAL_SIGNING_SEEDS: 'a-seed-of-checkpoint-keys-of-32-characters',
  ADMIN_KEY: SECRET,
  SANDBOX_LIGHTNING_KEY: SECRET,
};

/** Without which there is no production. */
const PUBLIC = { PUBLIC_URL: 'https://svc.example' };

describe('the configuration of payments', () => {
  it('is checked by the definition, before anything is connected', () => {
    expect(paymentsService.configFaults?.({ production: false, secrets: {} }, {})).toHaveLength(8);
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
      'WAL_SIGNING_SEEDS: is not set',
    ]);
    expect(paymentsFaults({ production: false, secrets: SECRETS }, {})).toEqual([]);
  });

  it('names every fault of the Lightning node beside the secrets', () => {
    const variables = {
      ...PUBLIC,
      LND_REST_URL: 'http://lnd.example',
      LND_TLS_CERT_PATH: '/nowhere/tls.cert',
    };
    const { MACAROON_SECRET: _missing, ...secrets } = SECRETS;
    expect(paymentsFaults({ production: true, secrets }, variables)).toEqual([
      'MACAROON_SECRET: is not set',
      'LND_REST_URL: must be https://host:port',
      'LND_MACAROON_HEX: is not set',
      'LND_TLS_CERT_PATH: cannot be read (ENOENT)',
    ]);
  });

  it('has no sandbox in production', () => {
    expect(paymentsFaults({ production: true, secrets: SECRETS }, PUBLIC)).toEqual([
      expect.stringMatching(/^LND_REST_URL: is not set/),
    ]);
    const lnd = { ...PUBLIC, LND_REST_URL: 'https://lnd.example:8080', LND_MACAROON_HEX: '00' };
    expect(paymentsFaults({ production: true, secrets: SECRETS }, lnd)).toEqual([]);
  });

  it.each([
    ['LND', 'signet'],
    ['LND', 'regtest'],
    ['CLN', 'signet'],
    ['CLN', 'regtest'],
  ])('has no play money of an %s node on %s in production', (node, network) => {
    const variables = {
      ...PUBLIC,
      [`${node}_REST_URL`]: 'https://node.example:8080',
      [node === 'LND' ? 'LND_MACAROON_HEX' : 'CLN_RUNE']: '00112233445566778899',
      [`${node}_NETWORK`]: network,
    };
    expect(paymentsFaults({ production: false, secrets: SECRETS }, variables)).toEqual([]);
    const fault = `${node}_NETWORK: is a test network, and production takes no play money`;
    expect(paymentsFaults({ production: true, secrets: SECRETS }, variables)).toEqual([fault]);
    expect(() => lightningBackendOf({ production: true, secrets: SECRETS }, variables)).toThrow(fault);
    const mainnet = { ...variables, [`${node}_NETWORK`]: 'mainnet' };
    expect(paymentsFaults({ production: true, secrets: SECRETS }, mainnet)).toEqual([]);
  });
});
