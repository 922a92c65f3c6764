import { Controller } from '@nestjs/common';
import type { ToolReply } from '@svc/contracts';
import { type AskedTool, type ToolCallRequest, toolCallHandlers } from '@svc/platform';
import { ToolKeys } from './tool-keys.js';
import { ToolService } from './tool.service.js';

@Controller()
export class ToolNatsController extends toolCallHandlers('snn') {
  constructor(
    readonly keys: ToolKeys,
    private readonly tools: ToolService,
  ) {
    super();
  }

  admit({ tool, input }: AskedTool): void {
    this.tools.read(tool, input).admit();
  }

  run({ tool, input, idemKey }: ToolCallRequest): Promise<ToolReply> {
    const call = this.tools.read(tool, input);
    return this.keys.run({ idemKey, request: { tool, input: call.request } }, call.run(idemKey));
  }
}
