import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ConfigError, loadConfig } from './load-config.js';
import { SECRET_VARIABLES } from './secret-strength.js';

const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3_000),
  NATS_URL: z.string().regex(/^nats:/, 'must be nats://host:port'),
  PAYMENTS_SECRET: z.string().min(32).optional(),
});

describe('loadConfig', () => {
  it('reads what the schema names and nothing else, an empty variable as not set', () => {
    expect(loadConfig(schema, { NATS_URL: 'nats://a', PORT: '', PATH: '/bin' })).toEqual({
      PORT: 3_000,
      NATS_URL: 'nats://a',
    });
  });

  it('refuses with one error that names every fault at once', () => {
    expect(() => loadConfig(schema, { PORT: '70000', PAYMENTS_SECRET: 'short' })).toThrow(ConfigError);
    const error = (() => {
      try {
        return loadConfig(schema, { PORT: '70000', PAYMENTS_SECRET: 'hunter2' });
      } catch (thrown) {
        return thrown as ConfigError;
      }
    })() as ConfigError;
    expect(error.faults).toHaveLength(3);
    expect(error.message).toMatch(
      /3 faults[^]*PORT: .*65535, got "70000"[^]*NATS_URL: is not set[^]*PAYMENTS_SECRET: .*32/,
    );
  });

  it('does not repeat what may be a credential', () => {
    const refuse = () =>
      loadConfig(schema, { NATS_URL: 'http://user:hunter2@a', PAYMENTS_SECRET: 'hunter2' });
    expect(refuse).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
  });

  const CREDENTIALS = [
    ...SECRET_VARIABLES,
    'DEPARTMENT_SECRETS_BEFORE',
    'MESH_TURN_URLS',
    'LND_MACAROON_HEX',
    'CLN_RUNE',
  ];

  it.each(CREDENTIALS)('does not repeat a faulty %s', name => {
    const refuse = () => loadConfig(z.object({ [name]: z.string().regex(/^x/) }), { [name]: 'hunter2' });
    expect(refuse).toThrow(ConfigError);
    expect(refuse).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
  });
});
