import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { hashChainAir } from '@svc/stark-air';
import { proveHashChain } from '@svc/stark-prover';
import { verify, type VerifierBackend } from '@svc/stark-verifier';
import { PROVER_BACKENDS, type ProverBackends, VERIFIER_BACKEND } from './engine.js';

const ROWS = 64;
/** Repeated so that node compiles part of the verifier; the first proofs of full size still take longer than later ones. */
const VERIFICATIONS = 20;

/**
 * Makes and verifies one small proof before the service takes calls: kernels that do not work on
 * this machine end the start instead of the first paid call.
 */
@Injectable()
export class SelfCheck implements OnApplicationBootstrap {
  constructor(
    @Inject(PROVER_BACKENDS) private readonly provers: ProverBackends,
    @Inject(VERIFIER_BACKEND) private readonly verifier: VerifierBackend,
  ) {}

  /** @throws Error when the proof does not verify */
  async onApplicationBootstrap(): Promise<void> {
    const { proof, airId, publicInputs } = await proveHashChain({
      traceData: 'self-check',
      degree: ROWS,
      backend: this.provers.small,
    });
    const claim = {
      proof,
      airId,
      publicInputs: hashChainAir.publicInputsToJson(publicInputs),
      traceLength: ROWS,
    };
    for (let run = 0; run < VERIFICATIONS; run++) {
      const verdict = verify(claim, {}, this.verifier);
      if (!verdict.valid) throw new Error(`the engine's self-check failed: ${verdict.reason}`);
    }
  }
}
