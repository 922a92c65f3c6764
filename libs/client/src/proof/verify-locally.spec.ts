import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { ProveResult } from '../api-types.js';
import { decodeBase64 } from '../challenge/byte-text.js';
import { inputDigestOf, verifyLocally } from './verify-locally.js';

/** An answer of `POST /v1/zk/prove` to `{"traceData":"hello","degree":64,"friBlowup":32}`. */
const answer = JSON.parse(
  readFileSync(new URL('../../testing/fixtures/answer.json', import.meta.url), 'utf8'),
) as ProveResult;
const { proof, publicInputs, airId, traceLength } = answer;
const claim = { proof, publicInputs, airId, traceLength };
const bytes = decodeBase64(proof) as Uint8Array;

describe('verifyLocally', () => {
  test('accepts a recorded answer, and finds what the answer says', () => {
    expect(verifyLocally({ ...claim, traceData: 'hello' })).toMatchObject({
      valid: true,
      traceLength: 64,
      friBlowup: 32,
      securityBits: answer.securityBits,
      conjecturedSecurityBits: answer.conjecturedSecurityBits,
      parameterSet: answer.parameterSet,
      proofRootHash: answer.proofRootHash,
      starkRootCommitment: answer.starkRootCommitment,
      boundToTraceData: true,
    });
  });

  test('takes the proof as bytes too, and says when it was not compared with an input', () => {
    expect(verifyLocally({ ...claim, proof: bytes })).toMatchObject({ valid: true, boundToTraceData: false });
  });

  test.each([
    ['another text of the same length', 'hellp', 'another input of the same length'],
    ['a text of another length', 'hello!', 'is about 5 bytes, traceData has 6'],
    ['the same bytes as hexadecimal', '0x68656c6c6f', 'is about text, traceData is hex'],
    ['an input that cannot be proved', '0x123', 'even number of hexadecimal digits'],
  ])('rejects a valid proof that is about something else than %s', (_, traceData, detail) => {
    expect(verifyLocally({ ...claim, traceData })).toMatchObject({
      valid: false,
      reason: 'trace-data-mismatch',
      detail: expect.stringContaining(detail),
    });
  });

  test('rejects a proof of a shorter chain than was asked for', () => {
    expect(verifyLocally({ ...claim, traceLength: 65_536 })).toMatchObject({
      reason: 'trace-length-mismatch',
    });
  });

  test('rejects public inputs that were changed, even where the input stays the same', () => {
    const output = [...(publicInputs['output'] as string[])];
    output[0] = '0x0000000000000001';
    expect(verifyLocally({ ...claim, publicInputs: { ...publicInputs, output } }).valid).toBe(false);
  });

  test.each([
    ['an AIR that does not exist', { airId: 'hash-chain/v9' }, 'unknown-air'],
    ['another context domain', { contextDomain: 'x' }, undefined],
    ['more security than the proof has', { securityBitsMin: 101 }, 'insufficient-security'],
    [
      'more conjectured security than the proof has',
      { conjecturedSecurityBitsMin: 200 },
      'insufficient-security',
    ],
    ['a proof that is not base64', { proof: '***' }, 'not-base64'],
    ['an empty proof', { proof: '' }, 'truncated'],
    ['public inputs of another shape', { publicInputs: { a: 1 } }, 'invalid-public-inputs'],
  ])('rejects %s', (_, change, reason) => {
    const verdict = verifyLocally({ ...claim, ...change });
    expect(verdict).toMatchObject({ valid: false, ...(reason === undefined ? {} : { reason }) });
  });

  test('rejects a proof with any one bit flipped, and never throws', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), bit => {
        const broken = bytes.slice();
        broken[bit >> 3] ^= 1 << (bit & 7);
        expect(verifyLocally({ ...claim, proof: broken }).valid).toBe(false);
      }),
      { numRuns: 12 },
    );
  });
});

describe('a hash chain over M31', () => {
  const chain = JSON.parse(
    readFileSync(new URL('../../testing/fixtures/hash-chain-m31.json', import.meta.url), 'utf8'),
  ) as Pick<ProveResult, 'proof' | 'publicInputs' | 'airId' | 'traceLength'>;

  test('is compared with its input over its own field', () => {
    const lax = { ...chain, securityBitsMin: 0 };
    expect(verifyLocally({ ...lax, traceData: 'hello' })).toMatchObject({
      valid: true,
      parameterSet: 'm31-fast',
      boundToTraceData: true,
    });
    expect(verifyLocally({ ...lax, traceData: 'hellp' })).toMatchObject({
      valid: false,
      reason: 'trace-data-mismatch',
      detail: expect.stringContaining('another input of the same length'),
    });
    expect(inputDigestOf('hello', 'm31')).toEqual(chain.publicInputs['inputDigest']);
  });

  test('of a set below the default is no proof unless less is asked for', () => {
    expect(verifyLocally(chain)).toMatchObject({ valid: false, reason: 'insufficient-security' });
  });
});

describe('inputDigestOf', () => {
  test('is the digest that the answer states for its input', () => {
    expect(inputDigestOf('hello')).toEqual(publicInputs['inputDigest']);
  });

  test('separates text from the same bytes in hexadecimal, and an input from its padding', () => {
    const digests = ['hello', '0x68656c6c6f', '0x68656c6c6f00', 'hello\0'].map(text =>
      inputDigestOf(text).join(),
    );
    expect(new Set(digests).size).toBe(4);
  });
});
