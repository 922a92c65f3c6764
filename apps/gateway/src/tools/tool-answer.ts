import { auditContract, shownToolInput, type ToolName, type ToolReply, toolDefinition } from '@svc/contracts';
import { type BusClient, problem } from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import { createHash } from 'node:crypto';

const PROOF_DOES_NOT_PROVE =
  'That the inputs are true: the proof that the answer names shows what was computed from them, and says so itself.';
const ANSWER_DOES_NOT_PROVE =
  'That what the answer says is right: only that it was given then, and is unchanged.';

/**
 * The answer of a tool: the outputs of the catalogue, what it repeats of a proof of its own, and the evidence that covers
 * all of that but what opens the proof.
 * @throws ProblemError INTERNAL where the outputs are none of the catalogue; those of `prover.attest`
 */
export async function attestedAnswer(
  bus: BusClient,
  tool: ToolName,
  input: Readonly<Record<string, unknown>>,
  { output, opening, ...proof }: ToolReply,
  signal?: AbortSignal,
): Promise<object> {
  const parsed = toolDefinition(tool).output.safeParse(output);
  if (!parsed.success) throw problem('INTERNAL', 'The tool gave no answer that its catalogue allows');
  const answer = { ...parsed.data, ...proof };
  const isProof = proof.proofId !== undefined;
  const auditProof = await bus.call(
    auditContract.attest,
    {
      proves: isProof ? 'computation' : 'commitment',
      doesNotProve: isProof ? PROOF_DOES_NOT_PROVE : ANSWER_DOES_NOT_PROVE,
      requestDigest: digestOf(shownToolInput(tool, input)),
      resultDigest: digestOf(answer),
    },
    signal ? { signal } : {},
  );
  // Where the tool makes no STARK of its own, the newest root is that of its evidence.
  const starkRoot = proof.starkRoot ?? auditProof.root;
  return { ...answer, starkRoot, ...(opening ? { opening } : {}), auditProof };
}

/** SHA-256 of the canonical JSON, as whoever checks the evidence takes it. */
const digestOf = (value: unknown): Uint8Array =>
  createHash('sha256').update(canonicalJson(value), 'utf8').digest();
