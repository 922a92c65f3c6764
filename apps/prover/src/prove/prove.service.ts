import { Injectable } from '@nestjs/common';
import type { Admission, ProveReply, ProveRequest } from '@svc/contracts';
import { AuditService } from '../audit/audit.service.js';
import { hashChainAir, parseChainInput } from '@svc/stark-air';
import { engineProblemOf } from './engine-problem.js';
import { type Evidence, ProofMaker, type ProofObserver } from './proof-maker.js';
import { planProof, type ProofPlan } from './proof-plan.js';

const PARAMETER_SET = 'P100';
const PRIME_FIELD = '2^64 - 2^32 + 1';
const DOES_NOT_PROVE =
  'The proof shows that some input leads a Poseidon2 sponge to `inputDigest`, and that its iteration ends in `output`. ' +
  'That the input is your traceData shows when you compute `inputDigest` from it yourself (`svc verify --trace-data`). ' +
  'It hides nothing, and says nothing about where traceData comes from.';

/** `POST /v1/zk/prove`: a hash chain over the trace data. */
@Injectable()
export class ProveService {
  constructor(
    private readonly maker: ProofMaker,
    private readonly audits: AuditService,
  ) {}

  /** @throws ProblemError VALIDATION_FAILED or UNPROCESSABLE with the bound, QUEUE_FULL; before any work or payment */
  admit(request: ProveRequest): Admission {
    return this.maker.admit(this.plan(request));
  }

  async prove(request: ProveRequest, observer?: ProofObserver): Promise<ProveReply> {
    const evidence = await this.maker.make(this.plan(request), observer);
    return this.audits.withEvidence(request, replyOf(request, evidence));
  }

  /** @throws ProblemError VALIDATION_FAILED or UNPROCESSABLE with the bound */
  plan({ traceData, degree, friBlowup }: ProveRequest): ProofPlan {
    try {
      // The length is what was asked for: data that the chain does not absorb is refused, not given more rows.
      parseChainInput(traceData, Math.max(degree, hashChainAir.traceLengthMin));
    } catch (error) {
      throw engineProblemOf(error, { degree, friBlowup, sent: { traceData } });
    }
    return planProof({
      airId: hashChainAir.id,
      witness: { traceData },
      parameterSet: PARAMETER_SET,
      friBlowup,
      degree,
      doesNotProve: DOES_NOT_PROVE,
    });
  }
}

function replyOf(
  { degree, friBlowup }: ProveRequest,
  { proof, ...evidence }: Evidence & { proofId: string },
): ProveReply {
  const { opening: _none, ...figures } = evidence;
  return {
    ...figures,
    primeField: PRIME_FIELD,
    status: 'VERIFIED_VALID',
    airId: hashChainAir.id,
    proofBytes: proof.length,
    degree,
    friBlowup,
    proves: 'computation',
    doesNotProve: DOES_NOT_PROVE,
    proof,
  };
}
