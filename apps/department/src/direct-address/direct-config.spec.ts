import { describe, expect, test } from '@jest/globals';
import { directFaults, directSettingsOf } from './direct-config.js';

const sandbox = { production: false };
const production = { production: true };

describe('the department’s own address', () => {
  test('is none without a port, and none with an empty one', () => {
    expect(directSettingsOf(sandbox, {})).toBeUndefined();
    expect(directSettingsOf(sandbox, { DEPARTMENT_PORT: '' })).toBeUndefined();
  });

  test('is on loopback where nothing else is said', () => {
    expect(directSettingsOf(sandbox, { DEPARTMENT_PORT: '3001' })).toMatchObject({
      port: 3_001,
      host: '127.0.0.1',
      rateLimits: { factor: 1 },
    });
  });

  test('does not publish the sandbox beyond loopback unless told to', () => {
    const variables = { DEPARTMENT_PORT: '3001', DEPARTMENT_HOST: '0.0.0.0' };
    expect(directFaults(sandbox, variables)).toEqual([
      expect.stringMatching(/^DEPARTMENT_HOST: .*loopback alone/),
    ]);
    expect(directFaults(sandbox, { ...variables, SANDBOX_PUBLISH: 'true' })).toEqual([]);
    expect(directFaults(production, variables)).toEqual([
      expect.stringMatching(/^PUBLIC_URL: is not set/),
      expect.stringMatching(/^TRUSTED_PROXIES: is not set/),
    ]);
    const told = { PUBLIC_URL: 'https://svc.example', TRUSTED_PROXIES: '10.0.0.7' };
    expect(directFaults(production, { ...variables, ...told })).toEqual([]);
  });

  test.each(['x', '-1', '65536', '1.5'])('has no port %s', port => {
    expect(directFaults(sandbox, { DEPARTMENT_PORT: port })).toEqual([
      expect.stringMatching(/^DEPARTMENT_PORT/),
    ]);
  });
});
