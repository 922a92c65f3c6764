import { Controller } from '@nestjs/common';
import type { ToolReply } from '@svc/contracts';
import { type AskedTool, PostgresToolCalls, type ToolCallRequest, toolCallHandlers } from '@svc/platform';
import { ProximityTool } from './proximity-tool.js';

@Controller()
export class ToolNatsController extends toolCallHandlers('acoustic') {
  constructor(
    readonly keys: PostgresToolCalls,
    private readonly proximity: ProximityTool,
  ) {
    super();
  }

  admit({ tool, input }: AskedTool): Promise<void> {
    return this.proximity.admit(this.proximity.read(tool, input));
  }

  run({ tool, input, idemKey }: ToolCallRequest): Promise<ToolReply> {
    return this.proximity.run(this.proximity.read(tool, input), idemKey);
  }
}
