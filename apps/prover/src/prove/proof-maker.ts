import { Inject, Injectable } from '@nestjs/common';
import { type Checked, VerifierThreads } from '@svc/audit-proof/node';
import type { Admission, PublicInputs } from '@svc/contracts';
import { MeasurementRegistry } from '@svc/platform';
import { prove, type ProverStage } from '@svc/stark-prover';
import {
  type ProofClaim,
  proofRootHash,
  type Verdict,
  verify,
  type VerifierBackend,
} from '@svc/stark-verifier';
import { CoreTurns } from '../core-turns.js';
import { PROVER_BACKENDS, type ProverBackends, VERIFIER_BACKEND } from '../engine.js';
import { ProofStore } from '../proofs/proof-store.js';
import { engineProblemOf } from './engine-problem.js';
import type { ProofPlan } from './proof-plan.js';
import { ProofQueue, type SizeClass } from './proof-queue.js';

/** Whoever waits for a proof: what it wants to hear of it, and how it ends it. */
export interface ProofObserver {
  readonly signal?: AbortSignal;
  /** The idempotent call that the proof is for, where it is for one. */
  readonly idemKey?: string;
  /** Waits until there is room, however long: whoever asks bounds how many of its proofs wait. */
  readonly waitsForRoom?: boolean;
  /** Called when the proof's turn has come, and waited for; where it rejects, the proof is not made. */
  readonly onStart?: () => void | Promise<void>;
  readonly onStage?: (stage: ProverStage | 'verify') => void;
}

/** A proof that was made and verified here, and what was measured. */
export interface Evidence {
  readonly proof: Uint8Array;
  readonly proofRootHash: string;
  readonly starkRootCommitment: string;
  readonly publicInputs: PublicInputs;
  readonly opening?: Record<string, string>;
  readonly securityBits: number;
  readonly conjecturedSecurityBits: number;
  readonly parameterSet: string;
  readonly traceLength: number;
  readonly fieldOps: number;
  readonly friQueryProofBytes: number;
  readonly proverLatencyMs: number;
  readonly verificationLatencyMs: number;
}

/** Makes the proofs of this service: queues, proves, verifies what it proved, keeps it. */
@Injectable()
export class ProofMaker {
  private readonly queue = new ProofQueue();

  constructor(
    private readonly store: ProofStore,
    private readonly measurements: MeasurementRegistry,
    @Inject(PROVER_BACKENDS) private readonly provers: ProverBackends,
    @Inject(VERIFIER_BACKEND) private readonly verifier: VerifierBackend,
    private readonly cores: CoreTurns,
    private readonly threads: VerifierThreads,
  ) {}

  /** The class of proofs that a plan's is one of. */
  sizeClassOf(plan: ProofPlan): SizeClass {
    return this.queue.sizeClassOf(plan);
  }

  /** @throws ProblemError QUEUE_FULL, before any work or payment */
  admit(plan: ProofPlan): Admission {
    const waitMs = Math.round(this.queue.assertRoom(plan));
    return { traceLength: plan.parameters.traceLength, memoryBytes: plan.memoryBytes, waitMs };
  }

  /**
   * @throws ProblemError of the engine or QUEUE_FULL; the signal's reason, between two batches of work; CallGoneError where
   * its call ended meanwhile
   */
  async make(plan: ProofPlan, observer: ProofObserver = {}): Promise<Evidence & { proofId: string }> {
    const { signal, idemKey, waitsForRoom } = observer;
    const evidence = await this.queue
      .run(plan, sizeClass => this.makeInTurn(plan, sizeClass, observer), { signal, waitsForRoom })
      .catch(error => {
        signal?.throwIfAborted();
        throw engineProblemOf(error, {
          degree: plan.parameters.traceLength,
          friBlowup: plan.parameters.blowupFactor,
        });
      });
    const { proof, publicInputs } = evidence;
    const { air, contextDomain } = plan;
    const proofId = await this.store.keep({ airId: air.id, publicInputs, contextDomain, proof, idemKey });
    return { ...evidence, proofId };
  }

  private makeInTurn(plan: ProofPlan, sizeClass: SizeClass, observer: ProofObserver): Promise<Evidence> {
    const make = () => this.makeNow(plan, sizeClass, observer);
    return sizeClass === 'small' ? this.cores.run('proof', make) : make();
  }

  private async makeNow(plan: ProofPlan, sizeClass: SizeClass, observer: ProofObserver): Promise<Evidence> {
    const { air, parameters, contextDomain, definition } = plan;
    const { signal, onStage } = observer;
    await observer.onStart?.();
    const provingAt = performance.now();
    const witness = plan.prepare ? await plan.prepare(signal) : plan.witness;
    const backend = this.provers[sizeClass];
    const proved = await prove({ air, witness, parameters, contextDomain, backend, signal, onStage });
    const proverLatencyMs = performance.now() - provingAt;
    const { proof } = proved;
    const publicInputs = air.publicInputsToJson(proved.publicInputs) as PublicInputs;

    onStage?.('verify');
    const { traceLength } = parameters;
    const own = definition ? { air: definition.canonical } : {};
    const claim = { proof, airId: air.id, ...own, publicInputs, contextDomain, traceLength };
    // Reading a definition again takes up to a fifth of a second, which is not the event loop's.
    const { verdict, ms: verificationLatencyMs } = definition
      ? await this.threads.verify(claim, ANY_SECURITY)
      : this.verifyHere(claim);
    if (!verdict.valid) throw new UnsoundProverError(verdict.reason);
    this.measurements.record('proverLatencyMs', proverLatencyMs);
    return {
      proof,
      proofRootHash: proofRootHash(proof, this.verifier),
      starkRootCommitment: proved.starkRootCommitment,
      publicInputs,
      ...(air.opening ? { opening: air.opening(witness) } : {}),
      securityBits: verdict.securityBits,
      conjecturedSecurityBits: verdict.conjecturedSecurityBits,
      parameterSet: verdict.parameterSet,
      traceLength,
      fieldOps: proved.fieldOps,
      friQueryProofBytes: proved.friBytes,
      proverLatencyMs: milliseconds(proverLatencyMs),
      verificationLatencyMs: milliseconds(verificationLatencyMs),
    };
  }

  private verifyHere(claim: ProofClaim): Checked<Verdict> {
    const startedAt = performance.now();
    const verdict = verify(claim, ANY_SECURITY, this.verifier);
    return { verdict, ms: performance.now() - startedAt };
  }
}

/** Whoever asked has chosen the set, one of few proven bits too: the proof must hold, and what it claims is reported. */
const ANY_SECURITY = { securityBitsMin: 0 };

/** The prover made a proof that its own verifier rejects: our fault, and nothing is delivered. */
class UnsoundProverError extends Error {
  constructor(reason: string) {
    super(`the prover's own proof was rejected: ${reason}`);
    this.name = 'UnsoundProverError';
  }
}

const milliseconds = (value: number) => Math.round(value * 1_000) / 1_000;
