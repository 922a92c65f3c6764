import { Inject, Injectable } from '@nestjs/common';
import type { Admission, ProveReply, ProveRequest } from '@svc/contracts';
import { MeasurementRegistry } from '@svc/platform';
import { hashChainAir, parseChainInput } from '@svc/stark-air';
import {
  assertProverMemory,
  estimateProverMemoryBytes,
  type ProverBackend,
  proveHashChain,
} from '@svc/stark-prover';
import { proofRootHash, type ValidVerdict, verify, type VerifierBackend } from '@svc/stark-verifier';
import { PROVER_BACKEND, VERIFIER_BACKEND } from '../engine.js';
import { ProofStore } from '../proofs/proof-store.js';
import { engineProblemOf } from './engine-problem.js';
import { ProofQueue } from './proof-queue.js';

const PARAMETER_SET = 'P100';
const PRIME_FIELD = '2^64 - 2^32 + 1';
const DOES_NOT_PROVE =
  'The proof shows that some input leads a Poseidon2 sponge to `inputDigest`, and that its iteration ends in `output`. ' +
  'That the input is your traceData shows when you compute `inputDigest` from it yourself (`svc verify --trace-data`). ' +
  'It hides nothing, and says nothing about where traceData comes from.';

/** `POST /v1/zk/prove`: admits, proves, verifies what it proved, and keeps the proof. */
@Injectable()
export class ProveService {
  private readonly queue = new ProofQueue();

  constructor(
    private readonly store: ProofStore,
    private readonly measurements: MeasurementRegistry,
    @Inject(PROVER_BACKEND) private readonly prover: ProverBackend,
    @Inject(VERIFIER_BACKEND) private readonly verifier: VerifierBackend,
  ) {}

  /** @throws ProblemError VALIDATION_FAILED or UNPROCESSABLE with the bound, OVERLOADED; before any work or payment */
  admit({ traceData, degree, friBlowup }: ProveRequest): Admission {
    const traceLength = Math.max(degree, hashChainAir.traceLengthMin);
    const memory = { ...hashChainAir, traceLength, blowupFactor: friBlowup };
    try {
      parseChainInput(traceData, traceLength);
      assertProverMemory(memory);
    } catch (error) {
      throw engineProblemOf(error, { degree, friBlowup });
    }
    this.queue.assertRoom();
    return { traceLength, memoryBytes: estimateProverMemoryBytes(memory) };
  }

  async prove(request: ProveRequest): Promise<ProveReply> {
    const { traceLength } = this.admit(request);
    const { reply, proof } = await this.queue
      .run(traceLength * request.friBlowup, () => this.proveNow(request))
      .catch(error => Promise.reject(engineProblemOf(error, request)));
    const { airId, publicInputs } = reply;
    const proofId = await this.store.keep({ airId, publicInputs, proof });
    return { ...reply, proofId, proof };
  }

  private async proveNow({ traceData, degree, friBlowup }: ProveRequest) {
    const provingAt = performance.now();
    const proved = await proveHashChain({
      traceData,
      degree,
      friBlowup,
      parameterSet: PARAMETER_SET,
      backend: this.prover,
    });
    const proverLatencyMs = performance.now() - provingAt;
    const { proof, airId } = proved;
    const publicInputs = hashChainAir.publicInputsToJson(proved.publicInputs) as ProveReply['publicInputs'];

    const verifyingAt = performance.now();
    const verdict = verify(
      { proof, airId, publicInputs, traceLength: proved.traceLength },
      {},
      this.verifier,
    );
    const verificationLatencyMs = performance.now() - verifyingAt;
    if (!verdict.valid) throw new UnsoundProverError(verdict.reason);
    this.measurements.record('proverLatencyMs', proverLatencyMs);
    return {
      proof,
      reply: {
        proofRootHash: proofRootHash(proof),
        verificationLatencyMs: milliseconds(verificationLatencyMs),
        fieldOps: proved.fieldOps,
        primeField: PRIME_FIELD,
        status: 'VERIFIED_VALID' as const,
        airId,
        publicInputs,
        starkRootCommitment: proved.starkRootCommitment,
        ...securityFigures(verdict),
        proverLatencyMs: milliseconds(proverLatencyMs),
        proofBytes: proof.length,
        friQueryProofBytes: proved.friBytes,
        degree,
        friBlowup,
        traceLength: proved.traceLength,
        proves: 'computation' as const,
        doesNotProve: DOES_NOT_PROVE,
      },
    };
  }
}

/** The prover made a proof that its own verifier rejects: our fault, and nothing is delivered. */
class UnsoundProverError extends Error {
  constructor(reason: string) {
    super(`the prover's own proof was rejected: ${reason}`);
    this.name = 'UnsoundProverError';
  }
}

function securityFigures({ securityBits, conjecturedSecurityBits, parameterSet }: ValidVerdict) {
  return { securityBits, conjecturedSecurityBits, parameterSet };
}

const milliseconds = (value: number) => Math.round(value * 1_000) / 1_000;
