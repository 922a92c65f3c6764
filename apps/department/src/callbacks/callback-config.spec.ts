import { describe, expect, test } from '@jest/globals';
import { createPublicKey, verify } from 'node:crypto';
import { callbackFaults, callbackKeysOf } from './callback-config.js';

const secrets = { CALLBACK_SIGNING_SEEDS: 'callback-seed-of-the-tests-of-32-characters' };

describe('what callbacks are sent with', () => {
  test('production does not call its own machine', () => {
    const variables = { CALLBACK_LOOPBACK: 'true' };
    expect(callbackFaults({ production: true, secrets }, variables)).toEqual([
      'CALLBACK_LOOPBACK: is true, and production calls nothing on its own machine',
    ]);
    expect(callbackFaults({ production: false, secrets }, variables)).toEqual([]);
  });

  test('every fault is named at once', () => {
    const variables = { CALLBACK_LOOPBACK: 'true', CALLBACK_CA_PATH: '/nowhere/ca.pem' };
    expect(callbackFaults({ production: true, secrets: {} }, variables)).toEqual([
      expect.stringMatching(/^CALLBACK_SIGNING_SEEDS/),
      expect.stringMatching(/^CALLBACK_LOOPBACK/),
      'CALLBACK_CA_PATH: cannot be read (ENOENT)',
    ]);
  });

  test('a signature covers the id, the second and the body, and a retry has a new one of the same body', () => {
    const keys = callbackKeysOf({ secrets });
    const [{ publicKey, kid }] = keys.published();
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    const { headers, body } = keys.sign('tsk_x', Buffer.from('{}'), 1_700_000_000_999);
    expect(headers).toMatchObject({
      'webhook-id': 'tsk_x',
      'webhook-timestamp': '1700000000',
      'svc-key-id': kid,
    });
    const signature = Buffer.from(headers['webhook-signature'].replace('v1a,', ''), 'base64');
    const covers = (text: string) => verify(null, Buffer.from(text), key, signature);
    expect(covers(`tsk_x.1700000000.${Buffer.from(body).toString()}`)).toBe(true);
    for (const other of ['tsk_y.1700000000.{}', 'tsk_x.1700000001.{}', 'tsk_x.1700000000.{ }'])
      expect(covers(other)).toBe(false);
  });
});
