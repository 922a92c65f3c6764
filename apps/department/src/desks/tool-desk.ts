import { Injectable } from '@nestjs/common';
import { auditedPart } from '@svc/audit-proof';
import {
  shownToolInput,
  TOOL_RUNNERS,
  toolCallContract,
  toolDefinition,
  type ToolName,
  type ToolReply,
} from '@svc/contracts';
import { evidenceOf } from '@svc/edge';
import { BusClient, problem } from '@svc/platform';
import { followProgress } from './call-progress.js';
import type { CapabilityAnswer, CapabilityCall } from './capability-call.js';

const PROOF_DOES_NOT_PROVE =
  'That the inputs are true: the proof that the answer names shows what was computed from them, and says so itself.';
const ANSWER_DOES_NOT_PROVE =
  'That what the answer says is right: only that it was given then, and is unchanged.';

/** Has tools of the catalogue run by their services, each task under a key of its own. */
@Injectable()
export class ToolDesk {
  constructor(private readonly bus: BusClient) {}

  async admit(tool: ToolName, input: Record<string, unknown>): Promise<void> {
    if (toolDefinition(tool).isAlwaysAdmitted) return;
    await this.bus.call(runnerOf(tool).admitTool, { tool, input });
  }

  /** @throws ProblemError; CONFLICT with a time to come again where the key runs elsewhere */
  async run(tool: ToolName, idemKey: string, call: CapabilityCall): Promise<CapabilityAnswer> {
    const { input, receipt, accountId, baseUrl, signal, onStage } = call;
    const asked = { tool, input, idemKey, receipt, accountId, baseUrl };
    const { toolProgress } = runnerOf(tool);
    const following = followProgress(
      (question, ended) => this.bus.call(toolProgress, { ...question, idemKey }, { signal: ended }),
      { onStage },
    );
    let reply: ToolReply;
    try {
      reply = await this.bus.call(runnerOf(tool).callTool, asked, { signal });
    } finally {
      following.abort();
    }
    onStage('attest');
    return this.answer(tool, input, reply, signal);
  }

  /** The outputs of the catalogue, what they repeat of a proof, and the evidence that covers all of that. */
  private async answer(
    tool: ToolName,
    input: Record<string, unknown>,
    { output, opening, ...proof }: ToolReply,
    signal: AbortSignal,
  ): Promise<CapabilityAnswer> {
    const parsed = toolDefinition(tool).output.safeParse(output);
    if (!parsed.success) throw problem('INTERNAL', 'The tool gave no answer that its catalogue allows');
    const answer = { ...parsed.data, ...proof };
    const isProof = proof.proofId !== undefined;
    const auditProof = await evidenceOf(
      this.bus,
      auditedPart(answer) as object,
      {
        proves: isProof ? 'computation' : 'commitment',
        doesNotProve: isProof ? PROOF_DOES_NOT_PROVE : ANSWER_DOES_NOT_PROVE,
        request: shownToolInput(tool, input),
      },
      signal,
    );
    // Where the tool makes no STARK of its own, the newest root is that of its evidence.
    const starkRoot = proof.starkRoot ?? auditProof.root;
    return { result: { ...answer, starkRoot, auditProof }, charged: true, ...(opening && { opening }) };
  }
}

const runnerOf = (tool: ToolName) => toolCallContract[TOOL_RUNNERS[tool]];
