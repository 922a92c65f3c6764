import { Injectable } from '@nestjs/common';
import {
  auditContract,
  type AuditProof,
  shownToolInput,
  toolDefinition,
  type ToolName,
  type ToolReply,
} from '@svc/contracts';
import { BusClient, problem } from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import { createHash } from 'node:crypto';

const PROOF_DOES_NOT_PROVE =
  'That the inputs are true: the proof that the answer names shows what was computed from them, and says so itself.';
const ANSWER_DOES_NOT_PROVE =
  'That what the answer says is right: only that it was given then, and is unchanged.';

/** How long the evidence of an answer is given again to whoever gets the very same answer, milliseconds. */
const SHARED_FOR_MS = 60_000;
/** Answers of which the evidence is remembered. */
const REMEMBERED_MAX = 256;

interface Remembered {
  readonly evidence: Promise<AuditProof>;
  readonly atMs: number;
}

/**
 * Evidence for the answers of tools. It speaks of request and answer, and of nobody who asked: calls with the same inputs
 * and the same answer, within a minute, have the same evidence, which is made once.
 */
@Injectable()
export class ToolEvidence {
  private readonly remembered = new Map<string, Remembered>();

  constructor(private readonly bus: BusClient) {}

  /**
   * The answer of a tool: the outputs of the catalogue, what it repeats of a proof of its own, and the evidence that covers
   * all of that but what opens the proof.
   * @throws ProblemError INTERNAL where the outputs are none of the catalogue; those of `prover.attest`
   */
  async answer(
    tool: ToolName,
    input: Readonly<Record<string, unknown>>,
    { output, opening, ...proof }: ToolReply,
    signal?: AbortSignal,
  ): Promise<object> {
    const parsed = toolDefinition(tool).output.safeParse(output);
    if (!parsed.success) throw problem('INTERNAL', 'The tool gave no answer that its catalogue allows');
    const answer = { ...parsed.data, ...proof };
    const isProof = proof.proofId !== undefined;
    const auditProof = await this.evidenceOf(
      {
        proves: isProof ? 'computation' : 'commitment',
        doesNotProve: isProof ? PROOF_DOES_NOT_PROVE : ANSWER_DOES_NOT_PROVE,
        requestDigest: digestOf(shownToolInput(tool, input)),
        resultDigest: digestOf(answer),
      },
      signal,
    );
    signal?.throwIfAborted();
    // Where the tool makes no STARK of its own, the newest root is that of its evidence.
    const starkRoot = proof.starkRoot ?? auditProof.root;
    return { ...answer, starkRoot, ...(opening ? { opening } : {}), auditProof };
  }

  private evidenceOf(claim: Claim, signal?: AbortSignal): Promise<AuditProof> {
    // A proof has its own randomness: nobody else gets the same answer.
    if (claim.proves === 'computation')
      return this.bus.call(auditContract.attest, claim, signal ? { signal } : {});
    const key = Buffer.concat([claim.requestDigest, claim.resultDigest]).toString('base64');
    const known = this.remembered.get(key);
    if (known && Date.now() - known.atMs < SHARED_FOR_MS) return known.evidence;
    // Not with the signal: others may wait for the same.
    const evidence = this.bus.call(auditContract.attest, claim);
    this.remember(key, { evidence, atMs: Date.now() });
    return evidence;
  }

  private remember(key: string, entry: Remembered): void {
    this.remembered.delete(key);
    this.remembered.set(key, entry);
    if (this.remembered.size > REMEMBERED_MAX) {
      this.remembered.delete(this.remembered.keys().next().value as string);
    }
    // What failed is asked for anew by the next.
    entry.evidence.catch(() => {
      if (this.remembered.get(key) === entry) this.remembered.delete(key);
    });
  }
}

interface Claim {
  readonly proves: 'commitment' | 'computation';
  readonly doesNotProve: string;
  readonly requestDigest: Uint8Array;
  readonly resultDigest: Uint8Array;
}

/** SHA-256 of the canonical JSON, as whoever checks the evidence takes it. */
const digestOf = (value: unknown): Uint8Array =>
  createHash('sha256').update(canonicalJson(value), 'utf8').digest();
