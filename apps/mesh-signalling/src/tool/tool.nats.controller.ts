import { Controller } from '@nestjs/common';
import type { ToolReply } from '@svc/contracts';
import { type AskedTool, PostgresToolCalls, type ToolCallRequest, toolCallHandlers } from '@svc/platform';
import { MeshTool } from './mesh-tool.js';

@Controller()
export class ToolNatsController extends toolCallHandlers('mesh-signalling') {
  constructor(
    readonly keys: PostgresToolCalls,
    private readonly mesh: MeshTool,
  ) {
    super();
  }

  admit({ tool, input }: AskedTool): void {
    this.mesh.read(tool, input);
  }

  run({ tool, input, idemKey }: ToolCallRequest): Promise<ToolReply> {
    return this.mesh.run(this.mesh.read(tool, input), idemKey);
  }
}
