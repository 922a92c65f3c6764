import { readFileSync } from 'node:fs';
import { type ExecutionClaim, verifyExecutionProof } from './verify-execution.js';

/** A contract, and its proof as `GET /v1/stark/proofs/:proofId` gives it. */
const { contract, starkRoot, stored } = JSON.parse(
  readFileSync(new URL('../../testing/fixtures/execution.json', import.meta.url), 'utf8'),
) as { contract: Record<string, unknown>; starkRoot: string; stored: Omit<ExecutionClaim, 'statement'> };
const claim: ExecutionClaim = { ...stored, statement: contract, starkRoot };
const TEXT = '{"contractId":"c-1","streamIndex":7,"tier":"mesh"}';

describe('verifyExecutionProof', () => {
  test('accepts the proof of a contract, as JSON in any order of members or as its bytes', () => {
    const accepted = { valid: true, securityBits: expect.any(Number), starkRootCommitment: starkRoot };
    expect(verifyExecutionProof(claim)).toMatchObject(accepted);
    const turned = Object.fromEntries(Object.entries(contract).reverse());
    expect(verifyExecutionProof({ ...claim, statement: turned })).toMatchObject(accepted);
    const bytes = new TextEncoder().encode(TEXT);
    expect(verifyExecutionProof({ ...claim, statement: bytes, starkRoot: undefined })).toMatchObject(
      accepted,
    );
  });

  test.each<[string, Partial<ExecutionClaim>, string]>([
    ['another contract', { statement: { ...contract, streamIndex: 8 } }, 'trace-data-mismatch'],
    ['a contract with a member more', { statement: { ...contract, x: 1 } }, 'trace-data-mismatch'],
    [
      'bytes that differ in white space',
      { statement: new TextEncoder().encode(`${TEXT} `) },
      'trace-data-mismatch',
    ],
    ['no contract', { statement: new Uint8Array() }, 'trace-data-mismatch'],
    ['what no canonical JSON is', { statement: { n: Number.NaN } }, 'malformed-statement'],
    ['another root', { starkRoot: `0x${'00'.repeat(32)}` }, 'stark-root-mismatch'],
    ['a tag that the answer states', { contextDomain: 'svc/other/v1' }, 'context-mismatch'],
    ['another AIR', { airId: 'binding/v1' }, 'unknown-air'],
    ['more security than it has', { securityBitsMin: 120 }, 'insufficient-security'],
    ['a proof that was taken back', { revokedAt: '2026-11-22T05:00:00.000Z' }, 'revoked'],
  ])('rejects %s', (_, change, reason) => {
    expect(verifyExecutionProof({ ...claim, ...change })).toMatchObject({ valid: false, reason });
  });

  test('rejects a proof under another tag, where nothing states one', () => {
    const other = { ...claim, contextDomain: undefined, expectedContextDomain: 'svc/other/v1' };
    expect(verifyExecutionProof(other).valid).toBe(false);
    expect(verifyExecutionProof({ ...claim, contextDomain: undefined }).valid).toBe(true);
  });
});
