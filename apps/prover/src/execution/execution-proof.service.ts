import { Injectable } from '@nestjs/common';
import {
  EXECUTION_BYTES_MAX,
  type ExecutionProof,
  type executionProofContract,
  type ParsedRequestOf,
} from '@svc/contracts';
import { problem } from '@svc/platform';
import { hashChainAir } from '@svc/stark-air';
import { ProofMaker } from '../prove/proof-maker.js';
import { planProof } from '../prove/proof-plan.js';

type ExecutionRequest = ParsedRequestOf<typeof executionProofContract.proveExecution>;

const PARAMETER_SET = 'P100';
/**
 * What takes the least time for a contract of some hundred bytes, at 100 proven bits: 6 ms of proving and 2 of verifying, on
 * two idle cores. At 8, the proof is a fifth smaller and takes 2 ms more.
 */
const FRI_BLOWUP = 4;
const DOES_NOT_PROVE =
  'The proof shows that some bytes lead a Poseidon2 sponge to `inputDigest`. That they are the bytes of the contract shows ' +
  'when you compute `inputDigest` from them yourself. It does not show that what they say is true, or was carried out.';

/** STARKs over the canonical bytes of what sagas execute: a hash chain as short as absorbs them. */
@Injectable()
export class ExecutionProofService {
  constructor(private readonly maker: ProofMaker) {}

  /** @throws ProblemError VALIDATION_FAILED, QUEUE_FULL; the signal's reason; CallGoneError */
  async prove(
    { idemKey, statement, contextDomain }: ExecutionRequest,
    signal?: AbortSignal,
  ): Promise<ExecutionProof> {
    const byteCount = statement.length;
    if (byteCount === 0 || byteCount > EXECUTION_BYTES_MAX) {
      const message = `must hold 1 to ${EXECUTION_BYTES_MAX} bytes`;
      throw problem('VALIDATION_FAILED', `statement ${message}`, {
        errors: [{ path: 'statement', message, bound: EXECUTION_BYTES_MAX, got: byteCount }],
      });
    }
    const plan = planProof({
      airId: hashChainAir.id,
      witness: { traceData: `0x${Buffer.from(statement).toString('hex')}` },
      parameterSet: PARAMETER_SET,
      friBlowup: FRI_BLOWUP,
      contextDomain,
      doesNotProve: DOES_NOT_PROVE,
    });
    const { proofId, starkRootCommitment, publicInputs, traceLength, securityBits, proverLatencyMs } =
      await this.maker.make(plan, { signal, idemKey });
    return {
      proofId,
      starkRoot: starkRootCommitment,
      airId: hashChainAir.id,
      contextDomain,
      publicInputs,
      traceLength,
      securityBits,
      proverLatencyMs,
    };
  }
}
