import 'reflect-metadata';
import { toHex } from '@svc/audit-proof';
import type { ServiceEnvironment } from '@svc/platform';
import type { WasmBackend } from '@svc/stark-prover/node';
import { CoreTurns } from '../core-turns.js';
import { AuditService } from './audit.service.js';
import type { BatchProof } from './batch-proof.js';

/** Gives back what is to be committed to. */
const batches = {
  prove: async (statements: unknown[]) => statements,
  complete: async (statements: unknown[]) => statements,
} as unknown as BatchProof;
const service = new AuditService(batches, {} as WasmBackend, {} as ServiceEnvironment, new CoreTurns());
const answer = { proves: 'commitment', doesNotProve: 'That it is right.', request: {}, result: {} } as const;

it('refuses a document with an integer that its digest could not tell from its neighbours, naming it', () => {
  for (const path of ['request', 'result']) {
    expect(() => service.attestAnswer({ ...answer, [path]: { rows: [1, 2 ** 53] } })).toThrow(
      expect.objectContaining({
        code: 'UNPROCESSABLE',
        payload: expect.objectContaining({
          errors: [{ path, message: expect.stringContaining('rows.1 is an integer beyond 2^53') }],
        }),
      }),
    );
  }
});

it('commits to no opening of a commitment, and hands it on', async () => {
  const proof = new Uint8Array([1, 2, 3]);
  const reply = { airId: 'binding/v1', proof, proves: 'computation', doesNotProve: 'More.' } as const;
  const [one, other, chain] = await Promise.all([
    service.withEvidence({}, { ...reply, opening: { salt: '0x01' } }),
    service.withEvidence({}, { ...reply, opening: { salt: '0x02' } }),
    service.withEvidence({}, { ...reply, airId: 'hash-chain/v1', opening: { salt: '0x02' } }),
  ]);
  expect(one.opening).toEqual({ salt: '0x01' });
  expect(one.auditProof.resultDigest).toBe(other.auditProof.resultDigest);
  expect(chain.auditProof.resultDigest).not.toBe(one.auditProof.resultDigest);
  expect(one.auditProof.requestDigest).toHaveLength(toHex(new Uint8Array(32)).length);
});
