import { blake3Hash } from '@svc/kernels';
import { rulesAir } from '@svc/stark-air';
import { encodeHeader, PARAMETER_SETS, parametersOf } from '@svc/stark-verifier';
import { fromBase64, fromHex, toBase64, toHex } from './byte-text.js';
import {
  signatureFault,
  signedMessage,
  signedRootMessage,
  type SignedStatement,
  signingKeyFromSeed,
  signProof,
} from './root-signature.js';

const PARAMETERS = parametersOf(PARAMETER_SETS.P100, 4096, 8, true);
const PUBLIC_INPUTS = { root: ['1', '2', '3', '0xffffffff00000000'], leafCount: 7 };
/** Only its header is read by a signature; whether the rest is a proof, the verifier says. */
const STATEMENT: SignedStatement = {
  proof: Buffer.concat([encodeHeader(PARAMETERS), Buffer.from('the rest of a proof')]),
  airId: 'rules/v1',
  publicInputs: PUBLIC_INPUTS,
  contextDomain: 'svc/audit/v1',
  expiresAtSeconds: 1_900_000_000,
};
const { publicKey, secretKey } = signingKeyFromSeed(new Uint8Array(32).fill(7));
const NOW = 1_800_000_000;

it('signs tag, AIR, parameters, context, public inputs, proof and expiry, laid out as documented', () => {
  const u32 = (value: number) => Buffer.from(new Uint32Array([value]).buffer);
  const { proof } = STATEMENT;
  const elements = rulesAir.publicInputElements(rulesAir.publicInputsFromJson(PUBLIC_INPUTS));
  expect(elements).toEqual([1n, 2n, 3n, 0xffff_ffff_0000_0000n, 7n]);
  const expected = Buffer.concat([
    Buffer.from('\x11svc/stark-root/v1\x08rules/v1', 'latin1'),
    blake3Hash(Buffer.concat([proof.subarray(0, 20), u32(12), Buffer.from('svc/audit/v1')])),
    blake3Hash(Buffer.concat([u32(5), Buffer.from(new BigUint64Array(elements).buffer)])),
    blake3Hash(proof),
    Buffer.from(new BigUint64Array([1_900_000_000n]).buffer),
  ]);
  expect(Buffer.from(signedMessage(STATEMENT)!)).toEqual(expected);
});

it('signs of a root that has no proof: tag, elements, leaves and expiry, laid out as documented', () => {
  const expected = Buffer.concat([
    Buffer.from('\x11svc/audit-root/v2', 'latin1'),
    Buffer.from(new BigUint64Array([1n, 2n, 3n, 0xffff_ffff_0000_0000n]).buffer),
    Buffer.from(new Uint32Array([7]).buffer),
    Buffer.from(new BigUint64Array([1_900_000_000n]).buffer),
  ]);
  const root = [1n, 2n, 3n, 0xffff_ffff_0000_0000n];
  expect(Buffer.from(signedRootMessage({ root, leafCount: 7, expiresAtSeconds: 1_900_000_000 }))).toEqual(
    expected,
  );
});

it('says the same of public inputs however their numbers are spelled', () => {
  const spelled = { ...PUBLIC_INPUTS, root: ['0x1', '2', '0x0003', '18446744069414584320'] };
  expect(signedMessage({ ...STATEMENT, publicInputs: spelled })).toEqual(signedMessage(STATEMENT));
});

it('holds for what was signed until it expires, and for nothing else', () => {
  const signature = signProof(STATEMENT, secretKey, false);
  const fault = (more: Partial<SignedStatement>, now = NOW) =>
    signatureFault({ ...STATEMENT, ...more }, signature, publicKey, now);
  expect(fault({})).toBeUndefined();
  expect(fault({}, 1_899_999_999)).toBeUndefined();
  expect(fault({}, 1_900_000_000)).toBe('expired');
  const proof = Uint8Array.from(STATEMENT.proof);
  proof[proof.length - 1] ^= 1;
  const longer = Buffer.from(STATEMENT.proof);
  longer[14] += 1;
  for (const more of [
    { proof },
    { proof: longer },
    { contextDomain: 'svc/audit/v2' },
    { contextDomain: undefined },
    { publicInputs: { ...PUBLIC_INPUTS, leafCount: 8 } },
    { publicInputs: { ...PUBLIC_INPUTS, root: ['1', '2', '4', '0'] } },
    { expiresAtSeconds: 1_900_000_001 },
  ]) {
    expect(fault(more)).toBe('bad-signature');
  }
  expect(signatureFault(STATEMENT, signature, publicKey, NOW, 'svc/other/v1')).toBe('bad-signature');
  const other = signingKeyFromSeed(new Uint8Array(32).fill(8));
  expect(signatureFault(STATEMENT, signature, other.publicKey, NOW)).toBe('bad-signature');
});

it('says of malformed input what is wrong with it, and throws for none', () => {
  const signature = signProof(STATEMENT, secretKey, new Uint8Array(32).fill(1));
  const fault = (more: object, s = signature, key = publicKey) =>
    signatureFault({ ...STATEMENT, ...more }, s, key, NOW);
  expect(fault({})).toBeUndefined();
  expect(fault({}, signature.subarray(1))).toBe('malformed-signature');
  expect(fault({}, signature, publicKey.subarray(1))).toBe('malformed-key');
  for (const more of [
    { proof: new Uint8Array(19) },
    { proof: new Uint8Array(40) },
    { airId: 'rules/v2' },
    { publicInputs: null },
    { publicInputs: { ...PUBLIC_INPUTS, root: ['1'] } },
    { contextDomain: 'é'.repeat(200) },
    { contextDomain: '\ud800' },
    { expiresAtSeconds: NaN },
    { expiresAtSeconds: 1.5 },
    { expiresAtSeconds: -1 },
  ]) {
    expect(fault(more)).toBe('malformed-statement');
  }
});

it('reads bytes back from their text, and only from well-formed text', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(fromHex(toHex(bytes), 256)).toEqual(bytes);
  expect(fromBase64(toBase64(bytes))).toEqual(bytes);
  expect(fromBase64(Buffer.from(bytes).toString('base64url'))).toEqual(bytes);
  for (const text of ['00', '0x0', '0xAA', '0x00', '0xgg', 7, undefined])
    expect(fromHex(text, 2)).toBeUndefined();
  for (const text of ['a', '=', 'a*', 'ab=c', 7, null]) expect(fromBase64(text)).toBeUndefined();
});
