import fc from 'fast-check';
import { createHmac, hkdfSync } from 'node:crypto';
import { ChallengeKeys } from './challenge-keys.js';

const SECRETS = ['newest-secret-of-the-tests-of-32-chars', 'oldest-secret-of-the-tests-of-32-chars'];
const keys = new ChallengeKeys(SECRETS);
const NONCE = Uint8Array.from({ length: 16 }, (_, i) => i);
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe('keys of challenges', () => {
  it('make the payload that the documentation describes', () => {
    const key = Buffer.from(hkdfSync('sha256', SECRETS[0], '', 'svc/acoustic-challenge-mac/v1', 32));
    const text = Buffer.concat([
      ...[Buffer.from('svc/acoustic-challenge/v1\0'), NONCE, Buffer.from([0, 7]), Buffer.from('door-é')],
    ]);
    const mac = createHmac('sha256', key).update(text).digest().subarray(0, 8);
    const payload = keys.payload(keys.currentKeyId, NONCE, 'door-é');
    expect(Buffer.from(payload)).toEqual(Buffer.concat([NONCE.subarray(0, 8), mac]));
  });

  it('know their own payload, of that nonce and that device alone', () => {
    const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(bytes(16), names, names, bytes(16), (nonce, deviceId, otherId, otherNonce) => {
        const { currentKeyId: keyId } = keys;
        const payload = keys.payload(keyId, nonce, deviceId);
        expect(keys.match(payload, keyId, nonce, deviceId)).toBe('answers');
        if (otherId !== deviceId) expect(keys.match(payload, keyId, nonce, otherId)).toBe('wrong-mac');
        expect(keys.match(payload, keyId, otherNonce, deviceId)).not.toBe('answers');
        // The half of the nonce that is not in the sound is in the MAC.
        const tail = Uint8Array.from([...nonce.subarray(0, 15), nonce[15] ^ 1]);
        expect(keys.match(payload, keyId, tail, deviceId)).toBe('wrong-mac');
      }),
      { numRuns: 200, seed: 20_261_122 },
    );
  });

  it('believe no payload with any bit changed', () => {
    const payload = keys.payload(keys.currentKeyId, NONCE, 'door-7');
    for (let bit = 0; bit < 128; bit++) {
      const changed = Uint8Array.from(payload);
      changed[bit >> 3] ^= 1 << (bit & 7);
      const expected = bit < 64 ? 'other-challenge' : 'wrong-mac';
      expect(keys.match(changed, keys.currentKeyId, NONCE, 'door-7')).toBe(expected);
    }
    expect(keys.match(payload.subarray(0, 15), keys.currentKeyId, NONCE, 'door-7')).toBe('other-challenge');
    expect(keys.match(new Uint8Array(), keys.currentKeyId, NONCE, 'door-7')).toBe('other-challenge');
  });

  it('of before a rotation check what they made, and of another secret nothing', () => {
    const before = new ChallengeKeys([SECRETS[1]]);
    const keyId = before.currentKeyId;
    const payload = before.payload(keyId, NONCE, 'door-7');
    expect(keyId).not.toBe(keys.currentKeyId);
    expect(keys.match(payload, keyId, NONCE, 'door-7')).toBe('answers');
    expect(keys.match(payload, keys.currentKeyId, NONCE, 'door-7')).toBe('wrong-mac');
    const after = new ChallengeKeys([SECRETS[0]]);
    expect(after.knows(keyId)).toBe(false);
    expect(after.match(payload, keyId, NONCE, 'door-7')).toBe('wrong-mac');
    expect(() => after.payload(keyId, NONCE, 'door-7')).toThrow(RangeError);
  });
});
