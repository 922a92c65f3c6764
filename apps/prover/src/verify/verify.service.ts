import { Injectable } from '@nestjs/common';
import { ThreadTasksError, VerifierThreads } from '@svc/audit-proof/node';
import type { ParsedRequestOf, proverContract, VerifyProofResult } from '@svc/contracts';
import { problem } from '@svc/platform';
import { airIds, isOwnAirId } from '@svc/stark-air';
import type { Verdict } from '@svc/stark-verifier';
import { definitionText } from '../prove/own-statement.js';

const BUSY_RETRY_SECONDS = 1;

/** `POST /v1/stark/verify-proof`: a proof that is merely false is an answer, not an error. */
@Injectable()
export class VerifyService {
  constructor(private readonly threads: VerifierThreads) {}

  /** @throws ProblemError UNPROCESSABLE for an AIR that is not known here; OVERLOADED */
  async verify(call: ParsedRequestOf<typeof proverContract.verifyProof>): Promise<VerifyProofResult> {
    const { airId, policy, air, ...claim } = call;
    const bound = airIds();
    if (!isOwnAirId(airId) && !bound.includes(airId)) {
      throw problem('UNPROCESSABLE', `airId ${JSON.stringify(airId)} is not one of ${bound.join(', ')}`, {
        errors: [{ path: 'airId', message: 'is not a known AIR', bound, got: airId }],
      });
    }
    const text = air === undefined ? {} : { air: definitionText(air) };
    const { verdict, ms } = await checked(this.threads.verify({ airId, ...text, ...claim }, policy));
    const { valid, securityBits, conjecturedSecurityBits } = verdict;
    return {
      valid,
      airId,
      ...particularsOf(verdict),
      securityBits,
      conjecturedSecurityBits,
      verificationLatencyMs: milliseconds(ms),
    };
  }
}

/** What a thread has checked. @throws ProblemError OVERLOADED where as many checks wait as may, or this one's thread was lost */
export async function checked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ThreadTasksError)) throw error;
    throw problem('OVERLOADED', `Nothing was verified: ${error.message}`, {
      retryAfterSeconds: BUSY_RETRY_SECONDS,
      cause: error,
    });
  }
}

/** A time as answers say it, to the microsecond. */
export const milliseconds = (ms: number): number => Math.round(ms * 1_000) / 1_000;

/** What the proof is about where it holds, and why not where it does not. */
function particularsOf(verdict: Verdict) {
  if (!verdict.valid) {
    const { reason, detail } = verdict;
    return { reason: detail ? `${reason}: ${detail}` : reason };
  }
  const { traceLength, blowupFactor, parameterSet, profile, zeroKnowledge } = verdict;
  const { doesNotProve, definitionExpected, formatVersion } = verdict;
  return {
    ...{ traceLength, friBlowup: blowupFactor, parameterSet, profile, zeroKnowledge },
    ...(formatVersion === undefined ? {} : { formatVersion }),
    ...(definitionExpected === undefined ? {} : { definitionExpected }),
    ...(doesNotProve === undefined ? {} : { doesNotProve }),
  };
}
