import { Controller } from '@nestjs/common';
import {
  type ParsedRequestOf,
  type ReplyOf,
  toolCallContract,
  type ToolProgress,
  type ToolReply,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { ToolKeys } from './tool-keys.js';
import { ToolService } from './tool.service.js';

const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract.snn;

@Controller()
export class ToolNatsController {
  constructor(
    private readonly keys: ToolKeys,
    private readonly tools: ToolService,
  ) {}

  @Handle(admitTool)
  admitTool({ tool, input }: ParsedRequestOf<typeof admitTool>): ReplyOf<typeof admitTool> {
    this.tools.read(tool, input).admit();
    return {};
  }

  @Handle(callTool)
  callTool({ tool, input, idemKey }: ParsedRequestOf<typeof callTool>): Promise<ToolReply> {
    const call = this.tools.read(tool, input);
    return this.keys.run({ idemKey, request: { tool, input: call.request } }, call.run(idemKey));
  }

  @Handle(toolProgress)
  toolProgress({ idemKey, afterSeq, waitMs }: ParsedRequestOf<typeof toolProgress>): Promise<ToolProgress> {
    return this.keys.progress(idemKey, afterSeq, waitMs);
  }

  @Handle(toolOutcome)
  toolOutcome({ idemKey }: ParsedRequestOf<typeof toolOutcome>): Promise<ReplyOf<typeof toolOutcome>> {
    return this.keys.outcome(idemKey);
  }

  @Handle(revokeTool)
  revokeTool({ idemKey }: ParsedRequestOf<typeof revokeTool>): ReplyOf<typeof revokeTool> {
    return this.keys.revoke(idemKey);
  }
}
