import { describe, expect, it } from '@jest/globals';
import { messageOf, openOffer, type RecoveryOffer, sealOffer } from './recovery-challenge.js';

const KEY = new Uint8Array(32).fill(7);
const OFFER: RecoveryOffer = {
  ...{ nonce: '0123456789abcdef0123456789abcdef', expiresAtMs: 1_800_000_300_000 },
  ...{
    origin: 'https://pay.example:8443',
    address: `0x${'ab'.repeat(20)}`,
    accountId: `acct_${'a'.repeat(20)}`,
  },
};

describe('a challenge to who lost a key', () => {
  it('says back what it was, and nothing with any one character changed or under another key', () => {
    const challenge = sealOffer(KEY, OFFER);
    expect(openOffer(KEY, challenge)).toEqual(OFFER);
    expect(openOffer(new Uint8Array(32).fill(8), challenge)).toBeUndefined();
    // The last character of base64 has bits that say nothing.
    for (let index = 0; index < challenge.length - 1; index++) {
      const other = challenge[index] === 'A' ? 'B' : 'A';
      const changed = challenge.slice(0, index) + other + challenge.slice(index + 1);
      expect(openOffer(KEY, changed)).toBeUndefined();
    }
    for (const text of ['', '.', 'kr1', 'kr1.', `kr1.${'A'.repeat(43)}`])
      expect(openOffer(KEY, text)).toBeUndefined();
  });

  it('has a wallet sign for this site, this chain, this account and these minutes, in the words of EIP-4361', () => {
    const wallet = { address: '0xaBaBABababABabaBAbaBABABAbABabaBaBABabab', chainId: 8_453 };
    expect(messageOf(OFFER, wallet, 1_800_000_000_000)).toBe(
      [
        'pay.example:8443 wants you to sign in with your Ethereum account:',
        wallet.address,
        '',
        `Make a new key of ${OFFER.accountId}. Every key that it has ends at once.`,
        '',
        'URI: https://pay.example:8443/v1/account/recovery',
        'Version: 1',
        'Chain ID: 8453',
        'Nonce: 0123456789abcdef0123456789abcdef',
        'Issued At: 2027-01-15T08:00:00.000Z',
        'Expiration Time: 2027-01-15T08:05:00.000Z',
      ].join('\n'),
    );
  });
});
