import { Injectable } from '@nestjs/common';
import {
  auditedPart,
  canonicalDigest,
  disclosedRootDigest,
  disclosedRootOf,
  DISCLOSURE_PROVES,
  DISCLOSURE_RULESET_ID,
  makeDisclosure,
} from '@svc/audit-proof';
import { type AttestRequest, auditContract, type AuditProof, type FieldDisclosure } from '@svc/contracts';
import { BusClient, problem } from '@svc/platform';
import { randomBytes } from 'node:crypto';

/** What is said of an answer beside the answer itself. */
export interface EvidenceClaim {
  readonly operationId: string;
  /** As the service read it, defaults filled in; a file is `<name>Sha256` in the place of its base64. */
  readonly request: Readonly<Record<string, unknown>>;
  /** One sentence, at most 1,500 characters; whoever is shown a single field is shown it too. */
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

const SALT_BYTES = 16;

/** Evidence for the answers of this service, from the prover: of the rules that were applied, and of each field for itself. */
@Injectable()
export class AgentEvidence {
  constructor(private readonly bus: BusClient) {}

  /**
   * The answer with its evidence, whose digest covers every member of it. Members that are undefined are left out.
   * @throws ProblemError SERVICE_UNAVAILABLE, OVERLOADED, TIMEOUT; UNPROCESSABLE for a value that no rule can compare or no
   * digest covers
   */
  async with<Answer extends object>(answer: Answer, claim: EvidenceClaim): Promise<Answer & Evidence> {
    const { disclosure, answers } = statementsOf(answer, claim);
    // What is not charged is evidence of a free call, and kept as long.
    const isFree = 'charged' in answer && answer.charged === false;
    const { auditProofs } = await this.bus.call(auditContract.attestAll, { answers, isFree });
    const [auditProof, disclosureProof] = auditProofs;
    if (!auditProof || disclosureProof?.root !== auditProof.root)
      throw problem('INTERNAL', 'The evidence of an answer is not in one batch');
    return { ...answer, starkRoot: auditProof.root, disclosure, disclosureProof, auditProof };
  }
}

function statementsOf(answer: object, claim: EvidenceClaim) {
  const { operationId, request, doesNotProve, rulesetId, rules } = claim;
  try {
    const disclosure = makeDisclosure(answer, operationId, () => randomBytes(SALT_BYTES));
    const disclosedDigest = disclosedRootDigest(disclosedRootOf(disclosure));
    const whole: AttestRequest = {
      proves: rules.length > 0 ? 'rules' : 'commitment',
      doesNotProve,
      requestDigest: canonicalDigest(request),
      resultDigest: canonicalDigest(auditedPart({ ...answer, disclosure })),
      rulesetId,
      rules: [...rules],
    };
    const fields: AttestRequest = {
      proves: DISCLOSURE_PROVES,
      doesNotProve: `More of a field than that it stood in one answer to ${operationId} with the others that are shown. Of the answer itself: ${doesNotProve}`,
      requestDigest: disclosedDigest,
      resultDigest: disclosedDigest,
      rulesetId: DISCLOSURE_RULESET_ID,
    };
    return { disclosure: { ...disclosure, fields: [...disclosure.fields] }, answers: [whole, fields] };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw problem('UNPROCESSABLE', `The answer has no digest: ${error.message}`, { cause: error });
  }
}
