import { ThreadTasks, type TurnOf } from '@svc/kernels/node';
import type { ProofClaim, Verdict, VerifierPolicy } from '@svc/stark-verifier';
import type { KeyFault } from '../proof-key.js';
import type { SignatureFault } from '../root-signature.js';
import type { AuditClaim, AuditPolicy, AuditVerdict } from '../verify-audit-proof.js';
import type { SignedClaim, VerifierReply, VerifierTask } from './verifier-thread.js';

export type { SignedClaim } from './verifier-thread.js';

/** What a check came to, and how long it took without its wait, milliseconds. */
export interface Checked<V> {
  readonly verdict: V;
  readonly ms: number;
}

export interface VerifierThreadsOptions {
  /** Checks of one caller that wait for the one that is under way, where no other's do; of all, twice as many. */
  readonly waitingMax?: number;
  /** Most take milliseconds, some a tenth of a second. */
  readonly taskMsMax?: number;
  /** Whose turn a check takes that is asked for now: callers take turns. Nobody's where it is not said. */
  readonly turnOf?: TurnOf;
}

/**
 * Checks proofs and signatures of strangers in a thread of its own: each takes milliseconds, and a flood of them would keep
 * whoever shares the event loop waiting. The thread has a lower priority than those that make proofs.
 *
 * @example
 * const threads = new VerifierThreads();
 * const { verdict } = await threads.verify({ proof, airId, publicInputs });
 */
export class VerifierThreads {
  private readonly threads: ThreadTasks<VerifierTask, VerifierReply>;

  constructor({ waitingMax = 32, taskMsMax = 8_000, turnOf }: VerifierThreadsOptions = {}) {
    /** The built thread, from the sources as from the built package. */
    const thread = new URL('../../dist/node/verifier-thread.js', import.meta.url);
    const bounds = { threadsMax: 1, waitingMax, taskMsMax, turnOf };
    this.threads = new ThreadTasks({ thread, tasks: 'verifications', ...bounds });
  }

  /** @throws ThreadTasksError where it was not checked, here as below */
  verify(claim: ProofClaim, policy?: VerifierPolicy): Promise<Checked<Verdict>> {
    return this.run(claim.proof, proof => ({ kind: 'proof', claim: { ...claim, proof }, policy }));
  }

  verifyAudit(claim: AuditClaim, policy?: AuditPolicy): Promise<Checked<AuditVerdict>> {
    const task = (proof?: Uint8Array) => ({ kind: 'audit' as const, claim: { ...claim, proof }, policy });
    return this.run(claim.proof, task);
  }

  /** Why a signature over a proof does not hold now; undefined if it does. */
  signatureFault(claim: SignedClaim): Promise<Checked<KeyFault | SignatureFault | undefined>> {
    const signature = Uint8Array.from(claim.signature);
    return this.run(claim.proof, proof => ({ kind: 'signature', claim: { ...claim, signature, proof } }));
  }

  /** Ends the thread; what waits or is being checked is refused as CLOSED. */
  close(): Promise<void> {
    return this.threads.close();
  }

  /** The proof is copied alone: a message of the bus that it is a part of would be copied whole. */
  private async run<Proof extends Uint8Array | undefined, V>(
    proof: Proof,
    task: (proof: Proof) => VerifierTask,
  ): Promise<Checked<V>> {
    const own = proof && Uint8Array.from(proof);
    return (await this.threads.run(task(own as Proof), { transfer: own ? [own.buffer] : [] })) as Checked<V>;
  }
}
