import fc from 'fast-check';
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { ProofError } from './proof-error.js';
import {
  type AnswerClaim,
  answerText,
  isTimely,
  type RendezvousClaim,
  rendezvousText,
} from './signed-text.js';

const FINGERPRINT = Array.from({ length: 32 }, (_, i) =>
  (i * 8 + 7).toString(16).padStart(2, '0').toUpperCase(),
).join(':');
const KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
const GX = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const GY = '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8';
/** SHA-256 of the empty string and of `abc`: FIPS 180-2 appendix B.1, and RFC 6234. */
const OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

const claim: RendezvousClaim = {
  method: 'POST',
  path: '/v1/mesh/rendezvous',
  sdp: 'abc',
  fingerprint: FINGERPRINT,
  targetKey: KEY,
  nonce: '000102030405060708090a0b0c0d0e0f',
  timestampMs: 1_767_225_600_000,
};
const answer: AnswerClaim = {
  sessionId: 'mesh_AAAAAAAAAAAAAAAAAAAAAA',
  sdpOffer: 'abc',
  sdpAnswer: '',
  fingerprint: FINGERPRINT,
  answererKey: KEY,
  expiresAtMs: 1_767_225_630_000,
};

describe('rendezvousText', () => {
  it('is eight lines', () => {
    expect(rendezvousText(claim)).toBe(
      `svc-mesh-v1\nPOST\n/v1/mesh/rendezvous\n${OF_ABC}\n${FINGERPRINT}\n${KEY}\n000102030405060708090a0b0c0d0e0f\n1767225600000`,
    );
  });

  it('says of what is not there that it is not', () => {
    const { sdp: _s, fingerprint: _f, targetKey: _t, ...rest } = claim;
    expect(rendezvousText({ ...rest, method: 'GET', path: '/v1/mesh/inbox' })).toBe(
      `svc-mesh-v1\nGET\n/v1/mesh/inbox\n${OF_NOTHING}\n-\n-\n000102030405060708090a0b0c0d0e0f\n1767225600000`,
    );
  });

  it('is the same for every spelling of a key, a nonce and a fingerprint', () => {
    const spelled = {
      ...claim,
      targetKey: `0x${KEY.toUpperCase()}`,
      nonce: `0x${claim.nonce.toUpperCase()}`,
      fingerprint: FINGERPRINT.toLowerCase(),
    };
    expect(rendezvousText(spelled)).toBe(rendezvousText(claim));
    const textFor = (targetKey: string) => rendezvousText({ ...claim, targetKey });
    expect(textFor(`04${GX}${GY}`)).toBe(textFor(`02${GX}`));
  });

  it('digests the description as UTF-8', () => {
    const sdp = 's=Bär \u{1f43b}\r\n';
    const expected = createHash('sha256').update(sdp, 'utf8').digest('hex');
    expect(rendezvousText({ ...claim, sdp }).split('\n')[3]).toBe(expected);
  });

  it('holds with the key of RFC 8032, TEST 1, as anybody signs it', () => {
    const secret = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
    const der = Buffer.from(`302e020100300506032b657004220420${secret}`, 'hex');
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(privateKey);
    expect(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')).toBe(KEY);
    const signature = sign(null, Buffer.from(rendezvousText(claim)), privateKey);
    expect(verify(null, Buffer.from(rendezvousText(claim)), publicKey, signature)).toBe(true);
    const other = Buffer.from(rendezvousText({ ...claim, fingerprint: FINGERPRINT.replace('07', '08') }));
    expect(verify(null, other, publicKey, signature)).toBe(false);
  });

  it.each([
    ['METHOD', { method: 'post' }],
    ['METHOD', { method: 'POST\n/' }],
    ['METHOD', { method: '/\nPOST' }],
    ['METHOD', { method: '' }],
    ['METHOD', { method: 'A'.repeat(17) }],
    ['PATH', { path: 'v1' }],
    ['PATH', { path: '/v1\n' }],
    ['PATH', { path: 'x\n/v1' }],
    ['PATH', { path: '/a b' }],
    ['PATH', { path: '/ä' }],
    ['PATH', { path: `/${'a'.repeat(2_048)}` }],
    ['DESCRIPTION', { sdp: 'a\ud800b' }],
    ['FINGERPRINT', { fingerprint: FINGERPRINT.slice(3) }],
    ['FINGERPRINT', { fingerprint: `${FINGERPRINT}:00` }],
    ['FINGERPRINT', { fingerprint: `-\n${FINGERPRINT}` }],
    ['FINGERPRINT', { fingerprint: '-' }],
    ['KEY', { targetKey: '-' }],
    ['KEY', { targetKey: KEY.slice(2) }],
    ['NONCE', { nonce: claim.nonce.slice(1) }],
    ['NONCE', { nonce: `0\n${claim.nonce}` }],
    ['NONCE', { nonce: `${claim.nonce}0` }],
    ['NONCE', { nonce: `0x0x${claim.nonce}` }],
    ['NONCE', { nonce: `000x${claim.nonce.slice(2)}` }],
    ['NONCE', { nonce: `${claim.nonce}\n` }],
    ['TIMESTAMP', { timestampMs: -1 }],
    ['TIMESTAMP', { timestampMs: 0.5 }],
    ['TIMESTAMP', { timestampMs: NaN }],
    ['TIMESTAMP', { timestampMs: 8_640_000_000_000_001 }],
  ] as const)('refuses as its %s %j', (part, change) => {
    expect(() => rendezvousText({ ...claim, ...change })).toThrow(
      expect.objectContaining({ name: 'ProofError', part }),
    );
  });

  it.each([
    { method: 'A', path: '/', timestampMs: 0 },
    { method: 'A'.repeat(16), path: `/${'a'.repeat(2_047)}`, timestampMs: 8_640_000_000_000_000 },
  ])('takes the least and the most of each part', ends => {
    const lines = rendezvousText({ ...claim, ...ends }).split('\n');
    expect([lines[1], lines[2], lines[7]]).toEqual([ends.method, ends.path, String(ends.timestampMs)]);
  });

  it('differs where claims differ, and has eight lines whatever they hold', () => {
    const anyClaim = fc.record(
      {
        method: fc.constantFrom('GET', 'POST', 'DELETE'),
        path: fc.oneof(fc.string(), fc.constantFrom('/', '/a', '/a\n', '/-')).map(text => `/${text}`),
        sdp: fc.oneof(fc.constantFrom('', 'a', '-'), fc.string()),
        fingerprint: fc.constantFrom(FINGERPRINT, FINGERPRINT.replace('07', '08')),
        targetKey: fc.constantFrom(KEY, `02${GX}`, `03${GX}`),
        nonce: fc.constantFrom('0'.repeat(32), 'f'.repeat(32)),
        timestampMs: fc.nat(3),
      },
      { requiredKeys: ['method', 'path', 'nonce', 'timestampMs'] },
    );
    const textOf = (claim: RendezvousClaim) => {
      try {
        return rendezvousText(claim);
      } catch (error) {
        if (error instanceof ProofError) return undefined;
        throw error;
      }
    };
    fc.assert(
      fc.property(anyClaim, anyClaim, (a, b) => {
        const [ofA, ofB] = [textOf(a), textOf(b)];
        if (ofA !== undefined) expect(ofA.split('\n')).toHaveLength(8);
        if (ofA !== undefined && ofA === ofB) expect(sameParts(a, b)).toBe(true);
      }),
    );
  });
});

/** No description at all and an empty one are digested alike. */
function sameParts(a: RendezvousClaim, b: RendezvousClaim): boolean {
  const names = ['method', 'path', 'fingerprint', 'targetKey', 'nonce', 'timestampMs'] as const;
  return names.every(name => a[name] === b[name]) && (a.sdp ?? '') === (b.sdp ?? '');
}

describe('answerText', () => {
  it('is seven lines', () => {
    expect(answerText(answer)).toBe(
      `svc-mesh-answer-v1\nmesh_AAAAAAAAAAAAAAAAAAAAAA\n${OF_ABC}\n${OF_NOTHING}\n${FINGERPRINT}\n${KEY}\n1767225630000`,
    );
  });

  it.each(['a', 'a'.repeat(128)])('takes the session id %s', sessionId => {
    expect(answerText({ ...answer, sessionId }).split('\n')[1]).toBe(sessionId);
  });

  it('says that the service answers', () => {
    const { answererKey: _, ...byService } = answer;
    expect(answerText(byService).split('\n')[5]).toBe('-');
  });

  it.each([
    ['SESSION_ID', { sessionId: '' }],
    ['SESSION_ID', { sessionId: 'mesh_\nA' }],
    ['SESSION_ID', { sessionId: '\n' }],
    ['SESSION_ID', { sessionId: 'A\n' }],
    ['SESSION_ID', { sessionId: '\nA' }],
    ['SESSION_ID', { sessionId: 'a'.repeat(129) }],
    ['DESCRIPTION', { sdpOffer: '\udc00' }],
    ['DESCRIPTION', { sdpAnswer: '\udc00' }],
    ['FINGERPRINT', { fingerprint: '' }],
    ['KEY', { answererKey: '' }],
    ['TIMESTAMP', { expiresAtMs: Infinity }],
  ] as const)('refuses as its %s %j', (part, change) => {
    expect(() => answerText({ ...answer, ...change })).toThrow(
      expect.objectContaining({ name: 'ProofError', part }),
    );
  });
});

describe('isTimely', () => {
  const now = 1_767_225_600_000;
  it.each([
    [-60_001, false],
    [-60_000, true],
    [0, true],
    [60_000, true],
    [60_001, false],
    [NaN, false],
  ])('of a timestamp %d ms from now is %s', (ms, timely) => {
    expect(isTimely(now + ms, now)).toBe(timely);
  });
});
