import { describe, expect, test } from '@jest/globals';
import { readGatewayConfig } from './gateway-config.js';
import { operatorsOf } from './listen-config.js';

const NATS_URL = 'nats://127.0.0.1:4222';

describe('the address of a gateway', () => {
  test('is on loopback unless it is told otherwise', () => {
    expect(readGatewayConfig({ NATS_URL })).toMatchObject({ HOST: '127.0.0.1', PORT: 3_000 });
  });

  test.each(['0.0.0.0', '::', '192.168.1.2', 'gateway.example'])(
    'is not %s while the sandbox wallet is mounted',
    HOST => {
      for (const NODE_ENV of [undefined, 'development', 'test']) {
        expect(() => readGatewayConfig({ NATS_URL, NODE_ENV, HOST })).toThrow(/HOST: .*SANDBOX_PUBLISH=true/);
      }
      expect(() => readGatewayConfig({ NATS_URL, HOST, SANDBOX_PUBLISH: 'false' })).toThrow(/HOST/);
    },
  );

  test.each(['127.0.0.1', '::1', 'localhost'])('may be %s in the sandbox', HOST => {
    expect(readGatewayConfig({ NATS_URL, HOST }).HOST).toBe(HOST);
  });

  test('may be any in production, and in a sandbox whose operator says so', () => {
    expect(
      readGatewayConfig({
        NATS_URL,
        HOST: '0.0.0.0',
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://svc.example',
        TRUSTED_PROXIES: 'none',
        SECURITY_CONTACT: 'mailto:security@svc.example',
        OPERATOR_PORT: '8082',
      }).HOST,
    ).toBe('0.0.0.0');
    expect(readGatewayConfig({ NATS_URL, HOST: '0.0.0.0', SANDBOX_PUBLISH: 'true' }).HOST).toBe('0.0.0.0');
    expect(() => readGatewayConfig({ NATS_URL, HOST: '0.0.0.0', SANDBOX_PUBLISH: 'yes' })).toThrow(
      /SANDBOX_PUBLISH/,
    );
  });
});

describe('the addresses of the public', () => {
  test('are needed in production, and are origins', () => {
    expect(() => readGatewayConfig({ NATS_URL, NODE_ENV: 'production' })).toThrow(
      /PUBLIC_URL: is not set[^]*TRUSTED_PROXIES: is not set/,
    );
    expect(() =>
      readGatewayConfig({ NATS_URL, NODE_ENV: 'production', TRUSTED_PROXIES: 'none' }),
    ).not.toThrow(/TRUSTED_PROXIES/);
    expect(() => readGatewayConfig({ NATS_URL, PUBLIC_URL: 'http://svc.example' })).toThrow(
      /PUBLIC_URL: .*https/,
    );
    const { PUBLIC_URL } = readGatewayConfig({
      NATS_URL,
      PUBLIC_URL: 'https://svc.example,https://desks.svc.example',
    });
    const taken = ['svc.example', 'desks.svc.example', 'other.example'].map(
      host => PUBLIC_URL.of(host)?.host,
    );
    expect(taken).toEqual(['svc.example', 'desks.svc.example', undefined]);
    expect(readGatewayConfig({ NATS_URL }).PUBLIC_URL.areKnown).toBe(false);
  });
});

describe('the listener of operators', () => {
  const production = {
    ...{ NATS_URL, NODE_ENV: 'production', PUBLIC_URL: 'https://svc.example', TRUSTED_PROXIES: 'none' },
    SECURITY_CONTACT: 'mailto:security@svc.example',
  };

  test('is none unless a port is named, and then on loopback', () => {
    expect(operatorsOf(readGatewayConfig({ NATS_URL, OPERATOR_PORT: '' }))).toBeUndefined();
    expect(operatorsOf(readGatewayConfig({ NATS_URL, OPERATOR_PORT: '8082' }))).toEqual({
      port: 8_082,
      host: '127.0.0.1',
    });
  });

  test('is needed in production, which may have it anywhere', () => {
    expect(() => readGatewayConfig(production)).toThrow(/OPERATOR_PORT: is not set/);
    const variables = { ...production, OPERATOR_PORT: '8082', OPERATOR_HOST: '0.0.0.0' };
    expect(operatorsOf(readGatewayConfig(variables))).toEqual({ port: 8_082, host: '0.0.0.0' });
  });

  test('has a port of its own, and in the sandbox an address of loopback unless it is published', () => {
    const variables = { NATS_URL, OPERATOR_PORT: '3000', OPERATOR_HOST: '0.0.0.0' };
    expect(() => readGatewayConfig(variables)).toThrow(/OPERATOR_PORT: must be another than PORT/);
    expect(() => readGatewayConfig(variables)).toThrow(/OPERATOR_HOST: .*SANDBOX_PUBLISH=true/);
    const published = { ...variables, OPERATOR_PORT: '8082', SANDBOX_PUBLISH: 'true' };
    expect(operatorsOf(readGatewayConfig(published))).toEqual({ port: 8_082, host: '0.0.0.0' });
    expect(() => readGatewayConfig({ NATS_URL, OPERATOR_PORT: '65536' })).toThrow(/OPERATOR_PORT/);
  });
});

describe('whom to tell of a weakness', () => {
  test.each(['mailto:security@svc.example', 'https://svc.example/security'])(
    'may be %s',
    SECURITY_CONTACT => {
      expect(readGatewayConfig({ NATS_URL, SECURITY_CONTACT })).toMatchObject({ SECURITY_CONTACT });
    },
  );

  test.each(['security@svc.example', 'http://svc.example', 'mailto:us\nContact: them'])(
    'is not %j',
    SECURITY_CONTACT => {
      expect(() => readGatewayConfig({ NATS_URL, SECURITY_CONTACT })).toThrow(
        /SECURITY_CONTACT: must be mailto/,
      );
    },
  );

  test('is needed in production', () => {
    expect(() =>
      readGatewayConfig({ NATS_URL, NODE_ENV: 'production', PUBLIC_URL: 'https://svc.example' }),
    ).toThrow(/SECURITY_CONTACT: is not set/);
  });
});

describe('the limits on bursts', () => {
  test('are as published and trust no proxy unless told otherwise', () => {
    const config = readGatewayConfig({ NATS_URL });
    expect(config.RATE_LIMIT_FACTOR).toBe(1);
    expect(config.TRUSTED_PROXIES.trusts('127.0.0.1')).toBe(false);
  });

  test('can be set off, and proxies named', () => {
    const config = readGatewayConfig({
      ...{ NATS_URL, RATE_LIMIT_FACTOR: '0' },
      TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1',
    });
    expect(config.RATE_LIMIT_FACTOR).toBe(0);
    expect(['10.9.9.9', '2001:db8::1', '192.0.2.1'].map(one => config.TRUSTED_PROXIES.trusts(one))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test.each([
    [{ RATE_LIMIT_FACTOR: '-1' }, /RATE_LIMIT_FACTOR/],
    [{ RATE_LIMIT_FACTOR: 'off' }, /RATE_LIMIT_FACTOR/],
    [{ TRUSTED_PROXIES: '0.0.0.0/0' }, /TRUSTED_PROXIES.*not everybody is trusted/],
    [{ TRUSTED_PROXIES: 'proxy.example' }, /TRUSTED_PROXIES/],
  ])('with %j are one clear fault', (variables, message) => {
    expect(() => readGatewayConfig({ NATS_URL, ...variables })).toThrow(message);
  });
});
