import { describe, expect, it } from '@jest/globals';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import peer from 'macaroon';
import { PaymentRefusal } from '../payment-refusal.js';
import {
  attenuate,
  CAVEATS_MAX,
  decodeMacaroon,
  encodeMacaroon,
  hasValidSignature,
  MACAROON_BYTES_MAX,
  mintMacaroon,
} from './macaroon.js';

const bytes = (max: number) => fc.uint8Array({ minLength: 1, maxLength: max });
const caveats = fc.array(fc.string({ minLength: 1, maxLength: 40 }), { maxLength: 6 });
const rootKeys = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('macaroon', () => {
  it('signs as the published example of libmacaroons does', () => {
    // README of libmacaroons, "Creating Your First Macaroon".
    const rootKey = utf8ToBytes('this is our super secret key; only we should know it');
    const identifier = utf8ToBytes('we used our secret key');
    const macaroon = mintMacaroon(rootKey, { location: 'http://mybank/', identifier, caveats: [] });
    expect(bytesToHex(macaroon.signature)).toBe(
      'e3d9e02908526c4c0039ae15114115d97fdd68bf2ba379b342aaf0f617d0552f',
    );
    const narrowed = attenuate(macaroon, 'account = 3735928559');
    expect(bytesToHex(narrowed.signature)).toBe(
      '1efe4763f290dbce0c1d08477367e11f4eee456a64933cf662d79772dbb82128',
    );
  });

  it('writes what the peer implementation reads and verifies', () => {
    fc.assert(
      fc.property(rootKeys, bytes(80), caveats, (rootKey, identifier, conditions) => {
        const ours = encodeMacaroon(
          mintMacaroon(rootKey, { location: 'here', identifier, caveats: conditions }),
        );
        const theirs = peer.importMacaroon(ours);
        const seen: string[] = [];
        theirs.verify(rootKey, (condition: string) => {
          seen.push(condition);
          return null;
        });
        expect(seen).toEqual(conditions);
      }),
    );
  });

  it('reads what the peer implementation writes, after its holder attenuated it', () => {
    // One caveat: the peer's writer doubles its buffer at every field, 6 GB at four caveats.
    const atMostOne = caveats.map(conditions => conditions.slice(0, 1));
    fc.assert(
      fc.property(rootKeys, bytes(80), atMostOne, (rootKey, identifier, conditions) => {
        const theirs = peer.newMacaroon({ identifier, rootKey, version: 2, location: 'there' });
        for (const condition of conditions) theirs.addFirstPartyCaveat(condition);
        const ours = decodeMacaroon(theirs.exportBinary());
        expect(ours.caveats).toEqual(conditions);
        expect(hasValidSignature(ours, rootKey)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('signs any number of caveats as the peer implementation does', () => {
    fc.assert(
      fc.property(rootKeys, bytes(80), caveats, (rootKey, identifier, conditions) => {
        const theirs = peer.newMacaroon({ identifier, rootKey, version: 2, location: '' });
        for (const condition of conditions) theirs.addFirstPartyCaveat(condition);
        const ours = mintMacaroon(rootKey, { location: '', identifier, caveats: conditions });
        expect(ours.signature).toEqual(theirs.signature);
      }),
    );
  });

  it('rejects a macaroon of which any one bit was changed', () => {
    const rootKey = new Uint8Array(32).fill(7);
    const identifier = utf8ToBytes('id');
    const encoded = encodeMacaroon(
      mintMacaroon(rootKey, { location: '', identifier, caveats: ['a=1', 'b=2'] }),
    );
    for (let bit = 0; bit < encoded.length * 8; bit++) {
      const changed = encoded.slice();
      changed[bit >> 3] ^= 1 << (bit & 7);
      let accepted = false;
      try {
        const macaroon = decodeMacaroon(changed);
        accepted = hasValidSignature(macaroon, rootKey);
      } catch (error) {
        expect(error).toBeInstanceOf(PaymentRefusal);
      }
      expect(accepted).toBe(false);
    }
  });

  it('drops no caveat unnoticed: a shorter list does not verify', () => {
    const rootKey = new Uint8Array(32).fill(7);
    const macaroon = attenuate(
      mintMacaroon(rootKey, { location: '', identifier: utf8ToBytes('id'), caveats: ['a=1'] }),
      'b=2',
    );
    expect(hasValidSignature({ ...macaroon, caveats: ['a=1'] }, rootKey)).toBe(false);
    expect(hasValidSignature(macaroon, rootKey)).toBe(true);
  });

  it('meets hostile bytes with nothing but a typed refusal', () => {
    const valid = encodeMacaroon(
      mintMacaroon(new Uint8Array(32), { location: 'l', identifier: utf8ToBytes('id'), caveats: ['a=1'] }),
    );
    const mutated = fc
      .tuple(fc.nat(valid.length - 1), fc.nat(255), fc.nat(valid.length))
      .map(([index, value, length]) => {
        const copy = valid.slice(0, length || valid.length);
        if (index < copy.length) copy[index] = value;
        return copy;
      });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated), input => {
        try {
          decodeMacaroon(input);
        } catch (error) {
          expect(error).toBeInstanceOf(PaymentRefusal);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['more bytes than the bound', new Uint8Array(MACAROON_BYTES_MAX + 1), /4097 bytes/],
    ['version 1', utf8ToBytes('0011identifier x'), /version 2/],
    ['nothing', new Uint8Array(0), /cut short/],
    ['a length beyond the bound', Uint8Array.of(2, 2, 0xff, 0xff, 0xff, 0x7f), /beyond the bound/],
  ])('refuses %s', (_name, input, detail) => {
    expect(() => decodeMacaroon(input)).toThrow(detail);
  });

  it('refuses more caveats than the bound, trailing bytes and third-party caveats', () => {
    const rootKey = new Uint8Array(32);
    const base = { location: '', identifier: utf8ToBytes('id') };
    const many = mintMacaroon(rootKey, { ...base, caveats: Array(CAVEATS_MAX + 1).fill('a=1') });
    expect(() => decodeMacaroon(encodeMacaroon(many))).toThrow(/more than 64 caveats/);
    const one = encodeMacaroon(mintMacaroon(rootKey, { ...base, caveats: [] }));
    expect(() => decodeMacaroon(Uint8Array.of(...one, 0))).toThrow(/bytes follow/);
    const third = peer.newMacaroon({ identifier: base.identifier, rootKey, version: 2, location: '' });
    third.addThirdPartyCaveat(rootKey, 'elsewhere', 'https://example.com');
    expect(() => decodeMacaroon(third.exportBinary())).toThrow(/third-party/);
  });
});
