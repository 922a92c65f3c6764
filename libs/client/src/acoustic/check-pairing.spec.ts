import { joinPairingToken, type Pairing, pairingSigningInput, type PublishedKey } from '@svc/protocols';
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { checkPairing } from './check-pairing.js';

const xOf = (key: KeyObject) => key.export({ format: 'jwk' }).x!;
const issuer = generateKeyPairSync('ed25519');
const device = generateKeyPairSync('ed25519');
const keys: PublishedKey[] = [
  {
    ...{ kid: 'kid-1', alg: 'Ed25519', publicKey: xOf(issuer.publicKey) },
    ...{ notBefore: '2026-06-01T00:00:00.000Z', notAfter: null, revokedAt: null },
  },
];
const iat = Date.parse('2026-06-02T00:00:00.000Z') / 1_000;
const nonce = Buffer.alloc(16, 7);

function tokenOf(more: Partial<Pairing> = {}): string {
  const text = pairingSigningInput({
    ...{ v: 1, deviceId: 'door-7', nonceHash: createHash('sha256').update(nonce).digest('hex') },
    ...{ band: 'audible_fsk', berNoiseFloorDb: -40, assurance: 'beacon', iat, exp: iat + 300, kid: 'kid-1' },
    ...more,
  });
  return joinPairingToken(text, sign(null, Buffer.from(text), issuer.privateKey));
}
const cnf = { jwk: { crv: 'Ed25519', kty: 'OKP', x: xOf(device.publicKey) } } as const;
const check = (pairingToken: string, more: object = {}) =>
  checkPairing({ pairingToken, keys, at: new Date(iat * 1_000), ...more });

describe('a pairing token that is checked', () => {
  it('is of the device and the challenge that were meant', async () => {
    const meant = { deviceId: 'door-7', challengeNonce: `0x${nonce.toString('hex')}` };
    expect(await check(tokenOf(), meant)).toMatchObject({ code: 'VALID' });
    expect(await check(tokenOf(), { ...meant, deviceId: 'door-8' })).toMatchObject({ code: 'OTHER_DEVICE' });
    const challengeNonce = '00'.repeat(16);
    expect(await check(tokenOf(), { ...meant, challengeNonce })).toMatchObject({ code: 'OTHER_CHALLENGE' });
  });

  it('passes for who signs with the key that it names, and for no one with a copy of it', async () => {
    const message = Buffer.from('a nonce of the verifier');
    const by = (key: KeyObject, signed: Uint8Array = message) => ({
      holder: { message, signature: sign(null, signed, key) },
    });
    const token = tokenOf({ cnf });
    expect(await check(token, by(device.privateKey))).toMatchObject({ code: 'VALID', pairing: { cnf } });
    expect(await check(token, by(issuer.privateKey))).toMatchObject({ code: 'NOT_THE_HOLDER' });
    expect(await check(token, by(device.privateKey, Buffer.from('another')))).toMatchObject({
      code: 'NOT_THE_HOLDER',
    });
    expect(await check(token, { holder: { message, signature: Buffer.alloc(3) } })).toMatchObject({
      code: 'NOT_THE_HOLDER',
    });
    expect(await check(tokenOf(), by(device.privateKey))).toMatchObject({ code: 'NOT_THE_HOLDER' });
  });

  it('is none with a key of another form', async () => {
    const [prefix, payload] = tokenOf({ cnf }).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    for (const other of [
      {},
      { jwk: { ...cnf.jwk, crv: 'P-256' } },
      { jwk: { ...cnf.jwk, x: 'AA' } },
      7,
      null,
      { ...cnf, more: 1 },
    ]) {
      const text = `${prefix}.${Buffer.from(JSON.stringify({ ...claims, cnf: other })).toString('base64url')}`;
      const token = joinPairingToken(text, sign(null, Buffer.from(text), issuer.privateKey));
      expect([other, await check(token)]).toEqual([other, { code: 'MALFORMED' }]);
    }
  });
});
