import { Injectable } from '@nestjs/common';
import type { AttestRequest, AuditProof, FieldDisclosure } from '@svc/contracts';
import { BusClient } from '@svc/platform';

/** What is said of an answer beside the answer itself. */
export interface EvidenceClaim {
  readonly operationId: string;
  /** As the service read it, defaults filled in; a file is `<name>Sha256` in the place of its base64. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly doesNotProve: string;
  /** Version of the rules, `bullion-ring/v1`. */
  readonly rulesetId: string;
  readonly rules: NonNullable<AttestRequest['rules']>;
}

/** The members that evidence adds to an answer. */
export interface Evidence {
  readonly starkRoot: string;
  readonly disclosure: FieldDisclosure;
  readonly disclosureProof: AuditProof;
  readonly auditProof: AuditProof;
}

/** Evidence for the answers of this service, from the prover: of the rules that were applied, and of each field for itself. */
@Injectable()
export class AgentEvidence {
  constructor(private readonly bus: BusClient) {}

  /**
   * The answer with its evidence, whose digest covers every member of it.
   * @throws ProblemError SERVICE_UNAVAILABLE, OVERLOADED, TIMEOUT; UNPROCESSABLE for a value that no rule can compare
   */
  with<Answer extends object>(answer: Answer, claim: EvidenceClaim): Promise<Answer & Evidence> {
    void [this.bus, answer, claim];
    throw new Error('not written yet');
  }
}
