import { Injectable } from '@nestjs/common';
import { auditedPart, canonicalDigest } from '@svc/audit-proof';
import { type AttestRequest, auditContract, type StarkAuditProof } from '@svc/contracts';
import type { JsonObject, JsonValue } from '@svc/durability';
import { BusClient, problem } from '@svc/platform';

/** What is said of an answer beside the answer itself. */
export interface AnswerClaim {
  /** As the service read it, defaults filled in, private inputs left out. */
  readonly request: JsonValue;
  readonly proves: AttestRequest['proves'];
  readonly doesNotProve: string;
  readonly rulesetId?: string;
  readonly rules?: AttestRequest['rules'];
}

/** Evidence for the answers of tools, from the prover. It has no effect that could be taken back: it says what was answered. */
@Injectable()
export class AnswerEvidence {
  constructor(private readonly bus: BusClient) {}

  /** @throws ProblemError SERVICE_UNAVAILABLE, OVERLOADED, TIMEOUT: nothing is lost, it is asked for again */
  async attest(answer: JsonObject, claim: AnswerClaim, signal?: AbortSignal): Promise<StarkAuditProof> {
    const { request, rules, ...said } = claim;
    const auditProof = await this.bus.call(
      auditContract.attest,
      {
        ...said,
        ...(rules && { rules: [...rules] }),
        requestDigest: canonicalDigest(request),
        resultDigest: canonicalDigest(auditedPart(answer)),
      },
      signal ? { signal } : {},
    );
    if (auditProof.version === 2)
      throw problem('INTERNAL', 'The evidence of an answer that was paid for is not proved');
    return auditProof;
  }

  /** The answer with its evidence. @throws ProblemError as {@link attest} */
  async with(answer: JsonObject, claim: AnswerClaim): Promise<JsonObject> {
    return { ...answer, auditProof: (await this.attest(answer, claim)) as unknown as JsonObject };
  }
}
