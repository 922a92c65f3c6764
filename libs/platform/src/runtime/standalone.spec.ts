import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../config/load-config.js';
import type { ServiceDefinition, Variables } from './service-definition.js';
import { readServiceConfig } from './standalone.js';

class Migration {}
const definition: ServiceDefinition = {
  name: 'payments',
  migrations: [Migration as ServiceDefinition['migrations'][number]],
  configFaults: ({ production, secrets }, variables) => [
    ...(secrets.MACAROON_SECRET ? [] : ['MACAROON_SECRET: is not set']),
    ...(production && !variables.LND_REST_URL ? ['LND_REST_URL: is not set'] : []),
  ],
  module: () => {
    throw new Error('not to be made for its configuration');
  },
};
const faultsOf = (env: Variables) => {
  try {
    readServiceConfig(definition, env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
};

describe('the configuration of a service process', () => {
  it('is refused with one message that names every fault, its own among them', () => {
    expect(faultsOf({ HEALTH_PORT: '70000', NODE_ENV: 'production', PAYMENTS_SECRET: 'short' })).toEqual([
      'NATS_URL: is not set',
      expect.stringMatching(/^HEALTH_PORT: .*70000/),
      expect.stringMatching(/^PAYMENTS_SECRET: (?!.*short)/),
      'DATABASE_URL: is not set',
      'MACAROON_SECRET: is not set',
      'LND_REST_URL: is not set',
    ]);
  });

  it('is taken when nothing is wrong with it', () => {
    const env = {
      NATS_URL: 'nats://127.0.0.1:4222',
      DATABASE_URL: 'postgres://payments:x@127.0.0.1/svc',
      MACAROON_SECRET: 'a secret of thirty-two characters',
    };
    expect(readServiceConfig(definition, env)).toMatchObject(env);
    expect(faultsOf({ ...env, MACAROON_SECRET: '' })).toEqual(['MACAROON_SECRET: is not set']);
  });
});
