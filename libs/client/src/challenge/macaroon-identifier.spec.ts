import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { newMacaroon } from '../../testing/paywall-server.js';
import {
  decodeBase64,
  decodeBase64JsonObject,
  encodeBase64,
  encodeBase64Url,
  fromHex,
  toHex,
} from './byte-text.js';
import { readMacaroonIdentifier } from './macaroon-identifier.js';

const hash = '5a'.repeat(32);
const tokenId = 'c3'.repeat(32);
const identifier = Buffer.from(`0000${hash}${tokenId}`, 'hex');
const made = (id: Uint8Array, location = 'svc', caveats: string[] = []) => {
  const macaroon = newMacaroon({ version: 2, rootKey: randomBytes(32), identifier: id, location });
  for (const caveat of caveats) macaroon.addFirstPartyCaveat(caveat);
  return Buffer.from(macaroon.exportBinary());
};

describe('readMacaroonIdentifier', () => {
  test('reads the payment hash of macaroons made by the reference implementation', () => {
    const macaroon = made(identifier, 'a location', ['services=svc:0', `x=${'y'.repeat(300)}`]);
    for (const text of [macaroon.toString('base64'), macaroon.toString('base64url')])
      expect(readMacaroonIdentifier(text)).toEqual({ paymentHash: hash, tokenId });
  });

  test('reads past a location that is longer than 127 bytes', () => {
    const macaroon = made(identifier, 'l'.repeat(1_000)).toString('base64');
    expect(readMacaroonIdentifier(macaroon)?.paymentHash).toBe(hash);
  });

  test.each([
    ['a macaroon of version 1', Buffer.from('0011location svc\n')],
    ['an identifier of another length', made(identifier.subarray(0, 65))],
    ['an identifier of another version', made(Buffer.concat([Buffer.from([0, 1]), identifier.subarray(2)]))],
    ['a macaroon that is cut off', made(identifier).subarray(0, 40)],
    ['nothing', Buffer.alloc(0)],
  ])('refuses %s', (_, bytes) => {
    expect(readMacaroonIdentifier(bytes.toString('base64'))).toBeUndefined();
  });

  test('never throws on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        const text = encodeBase64(Uint8Array.from([2, ...bytes]));
        expect([undefined, 64]).toContain(readMacaroonIdentifier(text)?.paymentHash.length);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('bytes as text', () => {
  test('agrees with Node on base64 in both alphabets and on hex', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), bytes => {
        const buffer = Buffer.from(bytes);
        expect(encodeBase64(bytes)).toBe(buffer.toString('base64'));
        expect(encodeBase64Url(bytes)).toBe(buffer.toString('base64url'));
        expect(toHex(bytes)).toBe(buffer.toString('hex'));
        expect(decodeBase64(buffer.toString('base64url'))).toEqual(bytes);
        expect(decodeBase64(buffer.toString('base64'))).toEqual(bytes);
        expect(fromHex(buffer.toString('hex').toUpperCase())).toEqual(bytes);
      }),
    );
  });

  test('gives undefined, and never throws, for what is not base64, hex or a JSON object', () => {
    for (const text of ['a', 'a b=', '====', 'é', 'ab=c']) expect(decodeBase64(text)).toBeUndefined();
    for (const text of ['0', '0g', ' 00']) expect(fromHex(text)).toBeUndefined();
    for (const json of ['[]', 'null', '1', '{', '"x"'])
      expect(decodeBase64JsonObject(Buffer.from(json).toString('base64'))).toBeUndefined();
    expect(decodeBase64JsonObject('_-8')).toBeUndefined();
  });
});
