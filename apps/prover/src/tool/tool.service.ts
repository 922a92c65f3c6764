import { Injectable } from '@nestjs/common';
import { SpatialProveRequest, StarkProveRequest, type ToolName, type ToolReply, TOOLS } from '@svc/contracts';
import { parseOrProblem, problem } from '@svc/platform';
import { type ProofCaller, StarkProveService } from '../prove/stark-prove.service.js';

/** A call of a tool whose inputs have been read. */
export interface ToolCall {
  /** The inputs, as they are proved: under one idempotency key always the same. */
  readonly request: unknown;
  /** @throws ProblemError UNPROCESSABLE with the bound, QUEUE_FULL; before any work or payment */
  admit(): Promise<void>;
  /** @throws ProblemError; the signal's reason */
  run(caller: ProofCaller): Promise<ToolReply>;
}

/** The tools that this service runs. Their evidence comes with the whole answer, from whoever gives that. */
@Injectable()
export class ToolService {
  constructor(private readonly statements: StarkProveService) {}

  /** @throws ProblemError VALIDATION_FAILED; NOT_YET_AVAILABLE for a tool of another service */
  read(tool: ToolName, input: unknown): ToolCall {
    switch (tool) {
      case 'zk_prove_spatial':
        return this.spatialCall(parseOrProblem(SpatialProveRequest, input));
      case 'generate_goldilocks_stark_proof':
        return this.commitmentCall(parseOrProblem(TOOLS[tool].input, input));
      default:
        throw problem('NOT_YET_AVAILABLE', `The prover does not run the tool ${tool}`);
    }
  }

  private spatialCall(request: SpatialProveRequest): ToolCall {
    return {
      request,
      admit: async () => void this.statements.admitSpatial(request),
      run: async caller => {
        const made = await this.statements.makeSpatial(request, caller);
        const { verified, starkRootCommitment, primeField, latencyMs, securityBits, paymentReceipt } = made;
        const output = {
          ...{ verified, starkRootCommitment, primeField, latencyMs, securityBits, paymentReceipt },
        };
        return { output, ...evidenceOf(made) };
      },
    };
  }

  private commitmentCall(input: object): ToolCall {
    const request = parseOrProblem(StarkProveRequest, {
      ...input,
      statement: 'binding',
    }) as StarkProveRequest;
    return {
      request,
      admit: async () => void (await this.statements.admit(request)),
      run: async caller => {
        const made = await this.statements.make(request, caller);
        const { verified, fieldPrimeHex, executionTimeMs, starkRootCommitment } = made;
        const { friQueryProofBytes, securityLevelBits, paymentReceipt } = made;
        const output = {
          ...{ verified, fieldPrimeHex, executionTimeMs, starkRootCommitment },
          ...{ friQueryProofBytes, securityLevelBits, paymentReceipt },
        };
        return { output, ...evidenceOf(made) };
      },
    };
  }
}

/** What an answer repeats of a proof beside the outputs. */
function evidenceOf(made: {
  readonly starkRootCommitment: string;
  readonly proofId: string;
  readonly airId: string;
  readonly publicInputs: NonNullable<ToolReply['publicInputs']>;
  readonly contextDomain: string;
  readonly opening?: Record<string, string>;
}): Omit<ToolReply, 'output'> {
  const { starkRootCommitment: starkRoot, proofId, airId, publicInputs, contextDomain, opening } = made;
  return { starkRoot, proofId, airId, publicInputs, contextDomain, ...(opening ? { opening } : {}) };
}
