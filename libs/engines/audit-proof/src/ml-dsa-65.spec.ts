import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { readFileSync } from 'node:fs';
import { signingKeyFromSeed } from './root-signature.js';

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const acvp: {
  keyGen: { tcId: number; seed: string; pk: string; sk: string }[];
  sigGen: { tcId: number; sk: string; message: string; signature: string; rnd: string | null }[];
  sigVer: {
    pk: string;
    tests: { tcId: number; testPassed: boolean; reason: string; message: string; signature: string }[];
  };
} = read('./ml-dsa-65.acvp.vectors.json');
const wycheproof: {
  publicKeys: string[];
  tests: {
    tcId: number;
    comment: string;
    key: number;
    msg: string;
    ctx: string;
    sig: string;
    result: string;
  }[];
} = read('./ml-dsa-65.wycheproof.vectors.json');

it.each(acvp.keyGen)('makes the keys of ACVP case $tcId from their seed', ({ seed, pk, sk }) => {
  const { publicKey, secretKey } = signingKeyFromSeed(hexToBytes(seed));
  expect(publicKey).toEqual(hexToBytes(pk));
  expect(secretKey).toEqual(hexToBytes(sk));
});

it.each(acvp.sigGen)('signs ACVP case $tcId to the byte', ({ sk, message, signature, rnd }) => {
  const extraEntropy = rnd === null ? (false as const) : hexToBytes(rnd);
  expect(ml_dsa65.internal.sign(hexToBytes(message), hexToBytes(sk), { extraEntropy })).toEqual(
    hexToBytes(signature),
  );
});

it.each(acvp.sigVer.tests)('gives the verdict of ACVP case $tcId: $reason', test => {
  const { message, signature, testPassed } = test;
  const verdict = ml_dsa65.internal.verify(
    hexToBytes(signature),
    hexToBytes(message),
    hexToBytes(acvp.sigVer.pk),
  );
  expect(verdict).toBe(testPassed);
});

it('puts the context before the message as FIPS 204 says (algorithms 2 and 3)', () => {
  const [{ pk, sk }] = acvp.keyGen;
  const context = utf8ToBytes('svc/stark-root/v1');
  const message = utf8ToBytes('a root');
  const formatted = concatBytes(Uint8Array.of(0, context.length), context, message);
  const signature = ml_dsa65.sign(message, hexToBytes(sk), { context, extraEntropy: false });
  expect(ml_dsa65.internal.sign(formatted, hexToBytes(sk), { extraEntropy: false })).toEqual(signature);
  expect(ml_dsa65.internal.verify(signature, formatted, hexToBytes(pk))).toBe(true);
  expect(ml_dsa65.verify(signature, message, hexToBytes(pk))).toBe(false);
});

it.each(wycheproof.tests)('gives the verdict of Wycheproof case $tcId: $comment', test => {
  const { key, msg, ctx, sig, result } = test;
  const verdict = () => {
    try {
      const context = hexToBytes(ctx);
      return ml_dsa65.verify(hexToBytes(sig), hexToBytes(msg), hexToBytes(wycheproof.publicKeys[key]), {
        context,
      });
    } catch {
      // Lengths that no key, signature or context has.
      return false;
    }
  };
  expect(verdict()).toBe(result === 'valid');
});
