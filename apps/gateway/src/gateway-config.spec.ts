import { describe, expect, test } from '@jest/globals';
import { readGatewayConfig } from './gateway-config.js';

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
    expect(readGatewayConfig({ NATS_URL, HOST: '0.0.0.0', NODE_ENV: 'production' }).HOST).toBe('0.0.0.0');
    expect(readGatewayConfig({ NATS_URL, HOST: '0.0.0.0', SANDBOX_PUBLISH: 'true' }).HOST).toBe('0.0.0.0');
    expect(() => readGatewayConfig({ NATS_URL, HOST: '0.0.0.0', SANDBOX_PUBLISH: 'yes' })).toThrow(
      /SANDBOX_PUBLISH/,
    );
  });
});
