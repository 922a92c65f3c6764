import { Controller } from '@nestjs/common';
import {
  type ParsedRequestOf,
  type ReplyOf,
  toolCallContract,
  type ToolProgress,
  type ToolReply,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { IdempotentCalls } from '../execution/idempotent-calls.js';
import { ToolService } from './tool.service.js';

const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract.prover;

@Controller()
export class ToolNatsController {
  constructor(
    private readonly calls: IdempotentCalls,
    private readonly tools: ToolService,
  ) {}

  @Handle(admitTool)
  admitTool({ tool, input }: ParsedRequestOf<typeof admitTool>): ReplyOf<typeof admitTool> {
    this.tools.read(tool, input).admit();
    return {};
  }

  @Handle(callTool)
  callTool({ tool, input, idemKey, receipt }: ParsedRequestOf<typeof callTool>): Promise<ToolReply> {
    const call = this.tools.read(tool, input);
    // Not the receipt: it says who paid, and not what for.
    return this.calls.run(
      { idemKey, kind: 'tool', request: { tool, input: call.request } },
      (signal, onStage) => call.run({ signal, receipt, idemKey, onStage }),
    );
  }

  @Handle(toolProgress)
  toolProgress({ idemKey, afterSeq, waitMs }: ParsedRequestOf<typeof toolProgress>): Promise<ToolProgress> {
    return this.calls.progress(idemKey, afterSeq, waitMs);
  }

  @Handle(toolOutcome)
  toolOutcome({ idemKey }: ParsedRequestOf<typeof toolOutcome>): Promise<ReplyOf<typeof toolOutcome>> {
    return this.calls.outcome<ToolReply>(idemKey, 'tool');
  }

  @Handle(revokeTool)
  revokeTool({ idemKey }: ParsedRequestOf<typeof revokeTool>) {
    return this.calls.revoke(idemKey, 'tool');
  }
}
