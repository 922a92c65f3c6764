import { Injectable } from '@nestjs/common';
import { auditedPart, canonicalDigest } from '@svc/audit-proof';
import {
  auditContract,
  shownToolInput,
  TOOL_PROGRESS_WAIT_MS_MAX,
  TOOL_RUNNERS,
  toolCallContract,
  toolDefinition,
  type ToolName,
  type ToolReply,
} from '@svc/contracts';
import { BusClient, problem } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { CapabilityAnswer, CapabilityCall } from './capability-call.js';

const PROOF_DOES_NOT_PROVE =
  'That the inputs are true: the proof that the answer names shows what was computed from them, and says so itself.';
const ANSWER_DOES_NOT_PROVE =
  'That what the answer says is right: only that it was given then, and is unchanged.';

/** Wait after an answer that came at once and told nothing, milliseconds. */
const ASK_AGAIN_MS = 250;

/** Has tools of the catalogue run by their services, each task under a key of its own. */
@Injectable()
export class ToolDesk {
  constructor(private readonly bus: BusClient) {}

  async admit(tool: ToolName, input: Record<string, unknown>): Promise<void> {
    if (toolDefinition(tool).isAlwaysAdmitted) return;
    await this.bus.call(this.runnerOf(tool).admitTool, { tool, input });
  }

  /** @throws ProblemError; CONFLICT with a time to come again where the key runs elsewhere */
  async run(tool: ToolName, idemKey: string, call: CapabilityCall): Promise<CapabilityAnswer> {
    const { input, receipt, accountId, baseUrl, signal, onStage } = call;
    const asked = { tool, input, idemKey, receipt, accountId, baseUrl };
    const following = this.follow(tool, idemKey, onStage);
    let reply: ToolReply;
    try {
      reply = await this.bus.call(this.runnerOf(tool).callTool, asked, { signal });
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
    const auditProof = await this.bus.call(
      auditContract.attest,
      {
        proves: isProof ? 'computation' : 'commitment',
        doesNotProve: isProof ? PROOF_DOES_NOT_PROVE : ANSWER_DOES_NOT_PROVE,
        requestDigest: canonicalDigest(shownToolInput(tool, input)),
        resultDigest: canonicalDigest(auditedPart(answer)),
      },
      { signal },
    );
    // Where the tool makes no STARK of its own, the newest root is that of its evidence.
    const starkRoot = proof.starkRoot ?? auditProof.root;
    return { result: { ...answer, starkRoot, auditProof }, charged: true, ...(opening && { opening }) };
  }

  /** Tells how far the call is. That a question fails is no matter of the task. */
  private follow(tool: ToolName, idemKey: string, onStage: CapabilityCall['onStage']): AbortController {
    const ended = new AbortController();
    void this.tell(tool, idemKey, onStage, ended.signal).catch(() => undefined);
    return ended;
  }

  private async tell(
    tool: ToolName,
    idemKey: string,
    onStage: CapabilityCall['onStage'],
    signal: AbortSignal,
  ): Promise<void> {
    const { toolProgress } = this.runnerOf(tool);
    let afterSeq = 0;
    for (;;) {
      const askedMs = performance.now();
      const asked = { idemKey, afterSeq, waitMs: TOOL_PROGRESS_WAIT_MS_MAX };
      const { seq, stage, progress, ended } = await this.bus.call(toolProgress, asked, { signal });
      if (signal.aborted || ended) return;
      if (seq > afterSeq) onStage(stage ?? 'work', progress);
      // Nobody there holds the question open: the call is on its way, or runs at another replica.
      else if (performance.now() - askedMs < ASK_AGAIN_MS) await delay(ASK_AGAIN_MS, undefined, { signal });
      afterSeq = Math.max(afterSeq, seq);
    }
  }

  private runnerOf(tool: ToolName) {
    const runner = TOOL_RUNNERS[tool];
    if (runner === undefined) throw problem('NOT_YET_AVAILABLE', `The tool ${tool} has no engine yet`);
    return toolCallContract[runner];
  }
}
