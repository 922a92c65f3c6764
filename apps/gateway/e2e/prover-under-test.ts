import { Controller } from '@nestjs/common';
import {
  type ParsedRequestOf,
  ProofId,
  proverContract,
  type StoredProof,
  type VerifyProofResult,
} from '@svc/contracts';
import { currentTrace, currentTurn, Handle, problem } from '@svc/platform';

export const STORED_PROOF_ID = ProofId.parse('prf_AAAAAAAAAAAAAAAAAAAAAA');
/** Of the same proof, made for what was taken back later. */
export const REVOKED_PROOF_ID = ProofId.parse('prf_RRRRRRRRRRRRRRRRRRRRRR');
export const STORED_PROOF = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
/** Trace ids in which a verification reached the service. */
export const tracesSeen: string[] = [];
/** For whom each was done. */
export const turnsSeen: ReturnType<typeof currentTurn>[] = [];

/** Answers the prover's subjects so that what crosses the gateway can be compared byte by byte. */
@Controller()
export class ProverUnderTest {
  /** `reason` repeats what came in: the proof's length and sum, and the public inputs. */
  @Handle(proverContract.verifyProof)
  verifyProof(request: ParsedRequestOf<typeof proverContract.verifyProof>): VerifyProofResult {
    tracesSeen.push(currentTrace().traceId);
    turnsSeen.push(currentTurn());
    if (request.airId === 'unknown/v1') throw problem('UNPROCESSABLE', 'airId unknown/v1 is not known');
    if (request.airId === 'broken/v1') throw new Error('connection string postgres://user:hunter2@db');
    const sum = request.proof.reduce((total, byte) => total + byte, 0);
    return {
      valid: false,
      reason: `${request.proof.length} bytes, sum ${sum}, ${JSON.stringify(request.publicInputs)}`,
      airId: request.airId,
      securityBits: 0,
      conjecturedSecurityBits: 0,
      verificationLatencyMs: 0,
    };
  }

  @Handle(proverContract.fetchProof)
  fetchProof({ proofId }: ParsedRequestOf<typeof proverContract.fetchProof>): StoredProof {
    const isRevoked = proofId === REVOKED_PROOF_ID;
    if (proofId !== STORED_PROOF_ID && !isRevoked)
      throw problem('NOT_FOUND', `No proof ${proofId} is stored`);
    return {
      proofId,
      airId: 'hash-chain/v1',
      publicInputs: { length: 5 },
      contextDomain: 'dé mo/1%\n',
      createdAt: '2026-04-02T00:00:00.000Z',
      ...(isRevoked ? { revokedAt: '2026-04-03T00:00:00.000Z' } : {}),
      proof: STORED_PROOF,
    };
  }
}
