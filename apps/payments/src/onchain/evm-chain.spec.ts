import { describe, expect, it } from '@jest/globals';
import { findX402Network } from '@svc/protocols';
import {
  type Hex,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
  toHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { EvmChain } from './evm-chain.js';

const { usdc } = findX402Network('eip155:84532')!;
const token = { chainId: 84_532, ...usdc };
/** Its node is nowhere: what is told here is told without one. */
const chain = new EvmChain('http://127.0.0.1:1', token);
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const wallet = privateKeyToAccount(`0x${'5d'.repeat(32)}`);
const message = {
  from: wallet.address,
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: 1_000n,
  validAfter: 0n,
  validBefore: 2_000_000_000n,
  nonce: toHex(7, { size: 32 }),
} as const;
const authorization = {
  ...message,
  value: '1000',
  validAfter: '0',
  validBefore: '2000000000',
};
const sign = (nonce: Hex) =>
  wallet.signTypedData({
    domain: {
      name: token.name,
      version: token.version,
      chainId: token.chainId,
      verifyingContract: token.address as Hex,
    },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: { ...message, nonce },
  });

const bodyOf = (signature: Hex) => signature.slice(2, 130);
/** The other signature that recovers to the same key. */
const highOf = (signature: Hex): Hex => {
  const s = ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.endsWith('1b') ? '1c' : '1b';
  return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}${v}`;
};

describe("a key's signature of an authorization", () => {
  it('is its payer’s, whichever v it has', async () => {
    const seen = new Set<string>();
    for (let nonce = 0; seen.size < 2; nonce++) {
      const signed = { ...authorization, nonce: toHex(nonce, { size: 32 }) };
      const signature = await sign(signed.nonce);
      seen.add(signature.slice(130));
      expect(await chain.isSignedByKey(signed, signature)).toBe(true);
      expect(await chain.isSignedByKey(authorization, signature)).toBe(signed.nonce === authorization.nonce);
    }
    expect([...seen].sort()).toEqual(['1b', '1c']);
  });

  it.each<[string, (signature: Hex) => Hex]>([
    ['with the larger of the two s', highOf],
    ['with 0 and 1 for v', of => `0x${bodyOf(of)}${of.endsWith('1b') ? '00' : '01'}`],
    ['with v for a chain (EIP-155)', of => `0x${bodyOf(of)}25`],
    [
      'in 64 bytes (EIP-2098)',
      of => serializeCompactSignature(signatureToCompactSignature(parseSignature(of))),
    ],
    ['with a byte behind it', of => `${of}00`],
    ['with a byte before it', of => `0x00${of.slice(2)}`],
    ['without a point on the curve', of => `0x${'ff'.repeat(32)}${of.slice(66)}`],
    ['of one byte', () => '0x1b'],
  ])('%s is not one that the token takes', async (_name, spelled) => {
    expect(await chain.isSignedByKey(authorization, spelled(await sign(authorization.nonce)))).toBe(false);
  });
});
