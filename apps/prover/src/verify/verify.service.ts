import { Inject, Injectable } from '@nestjs/common';
import type { ParsedRequestOf, proverContract, VerifyProofResult } from '@svc/contracts';
import { problem } from '@svc/platform';
import { airIds } from '@svc/stark-air';
import { type Verdict, verify, type VerifierBackend } from '@svc/stark-verifier';
import { VERIFIER_BACKEND } from '../engine.js';

/** `POST /v1/stark/verify-proof`: a proof that is merely false is an answer, not an error. */
@Injectable()
export class VerifyService {
  constructor(@Inject(VERIFIER_BACKEND) private readonly backend: VerifierBackend) {}

  /** @throws ProblemError UNPROCESSABLE for an AIR that is not known here */
  verify(call: ParsedRequestOf<typeof proverContract.verifyProof>): VerifyProofResult {
    const { airId, policy, ...claim } = call;
    const bound = airIds();
    if (!bound.includes(airId)) {
      throw problem('UNPROCESSABLE', `airId ${JSON.stringify(airId)} is not one of ${bound.join(', ')}`, {
        errors: [{ path: 'airId', message: 'is not a known AIR', bound, got: airId }],
      });
    }
    const startedAt = performance.now();
    const verdict = verify({ airId, ...claim }, policy, this.backend);
    const verificationLatencyMs = Math.round((performance.now() - startedAt) * 1_000) / 1_000;
    const { valid, securityBits, conjecturedSecurityBits } = verdict;
    return {
      valid,
      airId,
      ...particularsOf(verdict),
      securityBits,
      conjecturedSecurityBits,
      verificationLatencyMs,
    };
  }
}

/** What the proof is about where it holds, and why not where it does not. */
function particularsOf(verdict: Verdict) {
  if (!verdict.valid) {
    const { reason, detail } = verdict;
    return { reason: detail ? `${reason}: ${detail}` : reason };
  }
  const { traceLength, blowupFactor, parameterSet, profile, zeroKnowledge, doesNotProve } = verdict;
  const about = { traceLength, friBlowup: blowupFactor, parameterSet, profile, zeroKnowledge };
  return doesNotProve === undefined ? about : { ...about, doesNotProve };
}
