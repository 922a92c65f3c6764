import { jest } from '@jest/globals';
import fc from 'fast-check';
import { createPublicKey, verify as nodeVerify } from 'node:crypto';
import { rendezvousText } from '@svc/mesh';
import type { PeerProof } from '../api-types.js';
import {
  createPeerIdentity,
  identityOfKeyPair,
  type PeerIdentity,
  signProof,
  verifyPeerProof,
} from './index.js';
import { generateKeyPair, verifyPeerSignature } from './peer-identity.js';

const NOW_MS = 1_800_000_000_000;
const path = '/v1/mesh/rendezvous';
const fingerprint = Array.from({ length: 32 }, () => 'AB').join(':');
const kinds = ['ed25519', 'secp256k1'] as const;

async function proofFor(identity: PeerIdentity, target: string): Promise<PeerProof> {
  const request = { method: 'POST', path, sdp: 'v=0', fingerprint, target } as const;
  return { ...(await signProof(identity, request, NOW_MS)), method: 'POST', path, target };
}

describe.each(kinds)('an identity of %s', kind => {
  it('is the same for the same seed, and another without one', async () => {
    const seed = new Uint8Array(32).fill(7);
    const [one, again, other] = await Promise.all([
      createPeerIdentity({ kind, seed }),
      createPeerIdentity({ kind, seed }),
      createPeerIdentity({ kind }),
    ]);
    expect([again.publicKey, again.keyHash]).toEqual([one.publicKey, one.keyHash]);
    expect(other.publicKey).not.toBe(one.publicKey);
    expect(one.publicKey).toMatch(kind === 'ed25519' ? /^[0-9a-f]{64}$/ : /^0[23][0-9a-f]{64}$/);
    await expect(createPeerIdentity({ kind, seed: new Uint8Array(31) })).rejects.toThrow(RangeError);
  });

  it('signs what its key verifies, and nothing else', async () => {
    const identity = await createPeerIdentity({ kind });
    const key = Buffer.from(identity.publicKey, 'hex');
    const signature = Buffer.from(await identity.sign('text'), 'hex');
    expect(verifyPeerSignature(kind, key, 'text', signature)).toBe(true);
    expect(verifyPeerSignature(kind, key, 'texts', signature)).toBe(false);
    fc.assert(
      fc.property(fc.nat(511), bit => {
        const changed = Uint8Array.from(signature);
        changed[bit >> 3] ^= 1 << (bit & 7);
        return !verifyPeerSignature(kind, key, 'text', changed);
      }),
      { numRuns: 20 },
    );
    expect(verifyPeerSignature(kind, key, 'text', new Uint8Array(3))).toBe(false);
    expect(verifyPeerSignature(kind, new Uint8Array(5), 'text', signature)).toBe(false);
  });
});

it('secp256k1: takes zero for no private key', async () => {
  const seed = new Uint8Array(32);
  await expect(createPeerIdentity({ kind: 'secp256k1', seed })).rejects.toThrow(RangeError);
});

it('a key of the platform cannot be read out, and signs as OpenSSL verifies', async () => {
  const keyPair = (await generateKeyPair())!;
  expect(keyPair.privateKey.extractable).toBe(false);
  const identity = await identityOfKeyPair(keyPair);
  const x = Buffer.from(identity.publicKey, 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signature = Buffer.from(await identity.sign('héllo'), 'hex');
  expect(nodeVerify(null, Buffer.from('héllo', 'utf8'), key, signature)).toBe(true);
});

it('where the platform has no Ed25519, the key is this process’s own', async () => {
  const refusal = new DOMException('no', 'NotSupportedError');
  const generateKey = jest.spyOn(crypto.subtle, 'generateKey').mockRejectedValue(refusal);
  try {
    const identity = await createPeerIdentity();
    const signature = Buffer.from(await identity.sign('text'), 'hex');
    expect(verifyPeerSignature('ed25519', Buffer.from(identity.publicKey, 'hex'), 'text', signature)).toBe(
      true,
    );
  } finally {
    generateKey.mockRestore();
  }
});

describe('a proof', () => {
  it.each(kinds)('of %s is taken for its own request and within its time, and shows its key', async kind => {
    const [identity, target] = [await createPeerIdentity({ kind }), (await createPeerIdentity()).publicKey];
    const proof = await proofFor(identity, target);
    const request = { method: 'POST', path, sdp: 'v=0', fingerprint, target } as const;
    const { publicKey, keyHash } = identity;
    for (const nowMs of [NOW_MS - 60_000, NOW_MS, NOW_MS + 60_000])
      expect(verifyPeerProof(proof, request, nowMs)).toEqual({ publicKey, keyHash });
    for (const nowMs of [NOW_MS - 60_001, NOW_MS + 60_001])
      expect(() => verifyPeerProof(proof, request, nowMs)).toThrow(
        expect.objectContaining({ code: 'PROOF_UNTIMELY' }),
      );
  });

  it('of any changed part is refused by its code, whatever stands there', async () => {
    const [identity, other] = [await createPeerIdentity(), await createPeerIdentity()];
    const target = other.publicKey;
    const proof = await proofFor(identity, target);
    const request = { method: 'POST', path, sdp: 'v=0', fingerprint, target } as const;
    const codeOf = (changed: object, asked: object = request) => {
      try {
        verifyPeerProof(changed as PeerProof, asked as typeof request, NOW_MS);
        return 'TAKEN';
      } catch (error) {
        return (error as { code?: string }).code ?? String(error);
      }
    };
    expect(codeOf(proof)).toBe('TAKEN');
    expect(codeOf(proof, { ...request, sdp: 'v=1' })).toBe('SIGNATURE_INVALID');
    expect(codeOf(proof, { ...request, fingerprint: fingerprint.replace('AB', 'AC') })).toBe(
      'SIGNATURE_INVALID',
    );
    expect(codeOf({ ...proof, peerPublicKey: other.publicKey })).toBe('SIGNATURE_INVALID');
    // A value that does not become text is refused like any other.
    expect(codeOf({ ...proof, method: { toString: undefined } })).toBe('PROOF_OF_OTHER_REQUEST');
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(proof)), fc.anything(), (name, value) => {
        fc.pre(value !== proof[name as keyof PeerProof]);
        const code = codeOf({ ...proof, [name]: value });
        return [
          'PROOF_OF_OTHER_REQUEST',
          'PROOF_OF_OTHER_TARGET',
          'PROOF_UNTIMELY',
          'SIGNATURE_INVALID',
        ].includes(code);
      }),
      { numRuns: 200 },
    );
  });

  it('has a nonce of its own each time, over the text that the service reads', async () => {
    const identity = await createPeerIdentity({ kind: 'secp256k1' });
    const proofs = await Promise.all(
      Array.from({ length: 8 }, () => signProof(identity, { method: 'GET', path: '/v1/mesh/inbox' }, NOW_MS)),
    );
    expect(new Set(proofs.map(({ nonce }) => nonce)).size).toBe(8);
    const [{ nonce, signature }] = proofs;
    const text = rendezvousText({ method: 'GET', path: '/v1/mesh/inbox', nonce, timestampMs: NOW_MS });
    const key = Buffer.from(identity.publicKey, 'hex');
    expect(verifyPeerSignature('secp256k1', key, text, Buffer.from(signature, 'hex'))).toBe(true);
  });
});
