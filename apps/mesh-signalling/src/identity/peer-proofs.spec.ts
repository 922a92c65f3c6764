import { parsePeerKey, rendezvousText } from '@svc/mesh';
import { ProblemError } from '@svc/platform';
import fc from 'fast-check';
import { ECDH, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { PeerProofs, type SignedRequest } from './peer-proofs.js';

const NOW_MS = 1_800_000_000_000;
const FINGERPRINT = Array.from({ length: 32 }, () => 'AB').join(':');
const NONCE = '00112233445566778899aabbccddeeff';

interface Keys {
  readonly publicKey: string;
  sign(text: string): string;
}

function ed25519(): Keys {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  return {
    publicKey: spki.subarray(-32).toString('hex'),
    sign: text => sign(null, Buffer.from(text), privateKey).toString('hex'),
  };
}

function secp256k1(dsaEncoding: 'der' | 'ieee-p1363' = 'ieee-p1363', isLong = false): Keys {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  return {
    publicKey: pointOf(publicKey, isLong),
    sign: text => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding }).toString('hex'),
  };
}

function pointOf(key: KeyObject, isLong: boolean): string {
  const point = key.export({ format: 'der', type: 'spki' }).subarray(-65);
  if (isLong) return point.toString('hex');
  return ECDH.convertKey(point, 'secp256k1', undefined, 'hex', 'compressed') as string;
}

const target = parsePeerKey(ed25519().publicKey);
const REQUEST: SignedRequest = {
  ...{ method: 'POST', path: '/v1/mesh/rendezvous', sdp: 'v=0\r\n' },
  ...{ fingerprint: FINGERPRINT, targetKey: target },
};
const textOf = ({ targetKey, ...request }: SignedRequest, nonce = NONCE, timestampMs = NOW_MS) =>
  rendezvousText({ ...request, targetKey: targetKey?.hex, nonce, timestampMs });

const proofs = new PeerProofs();
const claimOf = (keys: Keys, { text = textOf(REQUEST), nonce = NONCE, timestamp = NOW_MS } = {}) => ({
  ...{ peerPublicKey: keys.publicKey, signature: keys.sign(text), nonce, timestamp },
});

function reasonOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.payload.extensions?.reason ?? error.code;
  }
  return 'PROVED';
}

const KINDS: [string, () => Keys][] = [
  ['Ed25519', ed25519],
  ['secp256k1', secp256k1],
  ['secp256k1 in DER', () => secp256k1('der')],
  ['secp256k1 with a key of 65 bytes', () => secp256k1('ieee-p1363', true)],
];

describe.each(KINDS)('a proof of identity by %s', (_, make) => {
  const keys = make();

  it('is believed, in every spelling of its parts', () => {
    const { signature, ...claim } = claimOf(keys);
    for (const spelled of [
      { ...claim, signature },
      { ...claim, signature: `0x${signature.toUpperCase()}`, nonce: `0x${NONCE.toUpperCase()}` },
      { ...claim, signature, peerPublicKey: `0x${keys.publicKey.toUpperCase()}` },
    ]) {
      const { peer, shown } = proofs.require(spelled, REQUEST, NOW_MS);
      const { hex, hash } = parsePeerKey(keys.publicKey);
      expect(peer).toEqual({ publicKey: hex, keyHash: hash, identity: 'verified' });
      expect(shown.use).toEqual({ keyHash: Buffer.from(hash, 'hex'), nonce: Buffer.from(NONCE, 'hex') });
      expect(shown.proof).toEqual({
        ...{ peerPublicKey: hex, signature: spelled.signature, nonce: NONCE, timestamp: NOW_MS },
        ...{ method: 'POST', path: '/v1/mesh/rendezvous', target: target.hex },
      });
    }
  });

  it.each([
    ['another method', { ...REQUEST, method: 'GET' }],
    ['another path', { ...REQUEST, path: '/v1/mesh/inbox' }],
    ['another description', { ...REQUEST, sdp: 'v=0\n' }],
    ['another certificate', { ...REQUEST, fingerprint: FINGERPRINT.replace('AB', 'AC') }],
    ['another target', { ...REQUEST, targetKey: parsePeerKey(ed25519().publicKey) }],
    ['no target', { ...REQUEST, targetKey: undefined }],
  ])('is not believed of %s', (_name, request) => {
    expect(reasonOf(() => proofs.identify(claimOf(keys), request, NOW_MS))).toBe('SIGNATURE_INVALID');
  });

  it('is not believed of another key, nonce or time', () => {
    const claim = claimOf(keys);
    for (const changed of [
      { ...claim, peerPublicKey: make().publicKey },
      { ...claim, nonce: `1${NONCE.slice(1)}` },
      { ...claim, timestamp: NOW_MS + 1 },
    ]) {
      expect(reasonOf(() => proofs.identify(changed, REQUEST, NOW_MS))).toBe('SIGNATURE_INVALID');
    }
  });

  it('is not believed with any of its signature changed', () => {
    const claim = claimOf(keys);
    fc.assert(
      fc.property(fc.nat(claim.signature.length - 1), fc.integer({ min: 1, max: 15 }), (at, by) => {
        const digit = (parseInt(claim.signature[at], 16) ^ by).toString(16);
        const signature = claim.signature.slice(0, at) + digit + claim.signature.slice(at + 1);
        expect(reasonOf(() => proofs.identify({ ...claim, signature }, REQUEST, NOW_MS))).toBe(
          'SIGNATURE_INVALID',
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe('a claim of identity', () => {
  const keys = ed25519();

  it.each([
    [-60_000, 'PROVED'],
    [60_000, 'PROVED'],
    [-60_001, 'TIMESTAMP_UNTIMELY'],
    [60_001, 'TIMESTAMP_UNTIMELY'],
  ])('of %i ms from now is %s', (aside, outcome) => {
    const timestamp = NOW_MS + aside;
    const claim = claimOf(keys, { timestamp, text: textOf(REQUEST, NONCE, timestamp) });
    expect(reasonOf(() => proofs.identify(claim, REQUEST, NOW_MS))).toBe(outcome);
  });

  it('without a signature is of an unverified peer, which is not enough where one is needed', () => {
    const claim = { peerPublicKey: keys.publicKey };
    expect(proofs.identify(claim, REQUEST, NOW_MS)).toEqual({
      peer: { ...peerOf(keys), identity: 'unverified' },
    });
    expect(reasonOf(() => proofs.require(claim, REQUEST, NOW_MS))).toBe('SIGNATURE_MISSING');
  });

  it('is refused where its key is nobody’s, signed or not', () => {
    for (const peerPublicKey of ['00'.repeat(32), `02${'ff'.repeat(32)}`, randomBytes(65).toString('hex')]) {
      for (const claim of [{ peerPublicKey }, { ...claimOf(keys), peerPublicKey }])
        expect(reasonOf(() => proofs.identify(claim, REQUEST, NOW_MS))).toBe('UNPROCESSABLE');
    }
  });

  it('of a key of one kind is not shown by a signature of the other', () => {
    const claim = { ...claimOf(keys), peerPublicKey: secp256k1().publicKey };
    expect(reasonOf(() => proofs.identify(claim, REQUEST, NOW_MS))).toBe('SIGNATURE_INVALID');
  });
});

function peerOf({ publicKey }: Keys) {
  const { hex, hash } = parsePeerKey(publicKey);
  return { publicKey: hex, keyHash: hash };
}
