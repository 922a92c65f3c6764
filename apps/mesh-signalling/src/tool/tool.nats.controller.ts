import { Controller } from '@nestjs/common';
import {
  type ParsedRequestOf,
  type ReplyOf,
  toolCallContract,
  type ToolProgress,
  type ToolReply,
} from '@svc/contracts';
import { Handle, PostgresToolCalls } from '@svc/platform';
import { MeshTool } from './mesh-tool.js';

const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract['mesh-signalling'];

@Controller()
export class ToolNatsController {
  constructor(
    private readonly mesh: MeshTool,
    private readonly calls: PostgresToolCalls,
  ) {}

  @Handle(admitTool)
  admitTool({ tool, input }: ParsedRequestOf<typeof admitTool>): ReplyOf<typeof admitTool> {
    this.mesh.read(tool, input);
    return {};
  }

  @Handle(callTool)
  async callTool({ tool, input, idemKey }: ParsedRequestOf<typeof callTool>): Promise<ToolReply> {
    return this.mesh.run(this.mesh.read(tool, input), idemKey);
  }

  /** A run that has died is not told from one that runs: whoever asks is to call again, and gets the same. */
  @Handle(toolOutcome)
  async toolOutcome({ idemKey }: ParsedRequestOf<typeof toolOutcome>): Promise<ReplyOf<typeof toolOutcome>> {
    const outcome = await this.calls.outcome(idemKey);
    return outcome.state === 'running' ? { state: 'unknown' } : outcome;
  }

  @Handle(toolProgress)
  async toolProgress({
    idemKey,
    afterSeq,
    waitMs,
  }: ParsedRequestOf<typeof toolProgress>): Promise<ToolProgress> {
    return this.calls.progress(idemKey, afterSeq, waitMs);
  }

  @Handle(revokeTool)
  async revokeTool({ idemKey }: ParsedRequestOf<typeof revokeTool>): Promise<ReplyOf<typeof revokeTool>> {
    return { was: await this.mesh.revoke(idemKey) };
  }
}
