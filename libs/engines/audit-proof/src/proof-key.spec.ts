import { encodeHeader, PARAMETER_SETS, parametersOf } from '@svc/stark-verifier';
import { toBase64 } from './byte-text.js';
import { keyedSignatureFault, type ProofKey, SIGNATURE_VALIDITY_DAYS } from './proof-key.js';
import { type SignedStatement, signingKeyFromSeed, signProof } from './root-signature.js';

const DAY = 86_400;
const seconds = (date: string) => Date.parse(date) / 1_000;
const OLD = signingKeyFromSeed(new Uint8Array(32).fill(1));
const NEW = signingKeyFromSeed(new Uint8Array(32).fill(2));
const keyOf = (kid: string, { publicKey }: typeof OLD, more: Partial<ProofKey> = {}): ProofKey => ({
  kid,
  alg: 'ML-DSA-65',
  publicKey: toBase64(publicKey),
  notBefore: '2026-01-01T00:00:00Z',
  notAfter: null,
  revokedAt: null,
  ...more,
});

/** What a key signs on a day, for as long as signatures hold. */
function signedOn(date: string, { secretKey }: typeof OLD) {
  const statement: SignedStatement = {
    proof: encodeHeader(parametersOf(PARAMETER_SETS.P100, 4096, 8, true)),
    airId: 'rules/v1',
    publicInputs: { root: ['1', '2', '3', '4'], leafCount: 7 },
    contextDomain: 'svc/audit/v1',
    expiresAtSeconds: seconds(date) + SIGNATURE_VALIDITY_DAYS * DAY,
  };
  const signature = signProof(statement, secretKey, false);
  return (keys: readonly ProofKey[], now: string, kid = 'old') =>
    keyedSignatureFault(statement, signature, kid, keys, seconds(now));
}

it('outlives the rotation of its key: what was signed before holds to the end of its own validity', () => {
  const before = [keyOf('old', OLD)];
  const after = [
    keyOf('new', NEW, { notBefore: '2026-06-01T00:00:00Z' }),
    keyOf('old', OLD, { notAfter: '2026-06-02T00:00:00Z' }),
  ];
  const early = signedOn('2026-03-01', OLD);
  const last = signedOn('2026-06-01', OLD);
  expect(early(before, '2026-05-31')).toBeUndefined();
  for (const fault of [early, last]) {
    expect(fault(after, '2026-06-02')).toBeUndefined();
    expect(fault(after, '2027-02-28')).toBeUndefined();
  }
  expect(early(after, '2027-03-02')).toBe('expired');
  expect(signedOn('2026-06-01', NEW)(after, '2026-06-02', 'new')).toBeUndefined();
});

it('is refused where a key that has ended signs on, whenever it is looked at', () => {
  const keys = [keyOf('old', OLD, { notAfter: '2026-06-02T00:00:00Z' })];
  expect(signedOn('2026-06-02', OLD)(keys, '2026-06-02')).toBeUndefined();
  expect(signedOn('2026-06-03', OLD)(keys, '2026-06-03')).toBe('key-expired');
  expect(signedOn('2026-06-03', OLD)(keys, '2026-06-01')).toBe('key-expired');
  const unreadable = [keyOf('old', OLD, { notAfter: 'never' })];
  expect(signedOn('2026-06-01', OLD)(unreadable, '2026-06-01')).toBe('key-expired');
});

it('is refused for everything that a revoked key has signed, earlier signatures too', () => {
  const keys = [keyOf('old', OLD, { revokedAt: '2026-06-02T00:00:00Z' }), keyOf('new', NEW)];
  expect(signedOn('2026-03-01', OLD)(keys, '2026-06-03')).toBe('key-revoked');
  expect(signedOn('2026-03-01', OLD)(keys, '2026-06-01')).toBe('key-revoked');
  expect(signedOn('2026-03-01', NEW)(keys, '2026-06-03', 'new')).toBeUndefined();
  const odd = [keyOf('old', OLD, { revokedAt: 1 as never })];
  expect(signedOn('2026-03-01', OLD)(odd, '2026-06-03')).toBe('key-revoked');
});

it('is held against the key that it names, if that is one of ML-DSA-65', () => {
  const fault = signedOn('2026-03-01', OLD);
  expect(fault([keyOf('other', OLD)], '2026-03-02')).toBe('unknown-key');
  expect(fault([keyOf('old', OLD, { alg: 'Ed25519' })], '2026-03-02')).toBe('unknown-key');
  expect(fault([keyOf('old', OLD, { alg: 'Ed25519' }), keyOf('old', OLD)], '2026-03-02')).toBeUndefined();
  expect(fault([keyOf('old', NEW)], '2026-03-02')).toBe('bad-signature');
  expect(fault([keyOf('old', OLD, { publicKey: 'AAAA' })], '2026-03-02')).toBe('malformed-key');
  expect(fault([keyOf('old', OLD, { publicKey: '*' })], '2026-03-02')).toBe('unknown-key');
  expect(fault([null as never], '2026-03-02')).toBe('unknown-key');
});
