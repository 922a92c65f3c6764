import { Controller } from '@nestjs/common';
import type { ToolReply } from '@svc/contracts';
import { type AskedTool, type ToolCallKeys, type ToolCallRequest, toolCallHandlers } from '@svc/platform';
import { IdempotentCalls } from '../execution/idempotent-calls.js';
import { ToolService } from './tool.service.js';

@Controller()
export class ToolNatsController extends toolCallHandlers('prover') {
  readonly keys: ToolCallKeys;

  constructor(
    private readonly calls: IdempotentCalls,
    private readonly tools: ToolService,
  ) {
    super();
    this.keys = {
      outcome: idemKey => calls.outcome<ToolReply>(idemKey, 'tool'),
      progress: (idemKey, afterSeq, waitMs) => calls.progress(idemKey, afterSeq, waitMs),
      revoke: idemKey => calls.revoke(idemKey, 'tool'),
    };
  }

  async admit({ tool, input }: AskedTool): Promise<void> {
    await this.tools.read(tool, input).admit();
  }

  run({ tool, input, idemKey, receipt }: ToolCallRequest): Promise<ToolReply> {
    const call = this.tools.read(tool, input);
    // Not the receipt: it says who paid, and not what for.
    return this.calls.run(
      { idemKey, kind: 'tool', request: { tool, input: call.request } },
      (signal, onStage) => call.run({ signal, receipt, idemKey, onStage }),
    );
  }
}
