import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, type ReplyOf, toolCallContract, TOOLS, type ToolReply } from '@svc/contracts';
import type { JsonObject } from '@svc/durability';
import { Handle, parseOrProblem } from '@svc/platform';
import { OwnTools } from './own-tools.js';

const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract.payments;

/** Of whose calls a tombstone says, where a key is revoked before its call came. */
const UNKNOWN_TOOL = 'create_purchase_link';

/** The tools of this service for whoever sells them one call at a time. */
@Controller()
export class ToolNatsController {
  constructor(private readonly tools: OwnTools) {}

  @Handle(admitTool)
  async admitTool({ tool, input }: ParsedRequestOf<typeof admitTool>): Promise<ReplyOf<typeof admitTool>> {
    parseOrProblem(TOOLS[tool].input, input);
    await this.tools.admit(tool);
    return {};
  }

  @Handle(callTool)
  callTool({ tool, input, ...call }: ParsedRequestOf<typeof callTool>): Promise<ToolReply> {
    return this.tools.run({ tool, input: parseOrProblem(TOOLS[tool].input, input) as JsonObject, ...call });
  }

  @Handle(toolOutcome)
  async toolOutcome({ idemKey }: ParsedRequestOf<typeof toolOutcome>): Promise<ReplyOf<typeof toolOutcome>> {
    return { state: await this.tools.stateOf(idemKey) };
  }

  @Handle(toolProgress)
  toolProgress({ idemKey, waitMs }: ParsedRequestOf<typeof toolProgress>) {
    return this.tools.progressOf(idemKey, waitMs);
  }

  @Handle(revokeTool)
  async revokeTool({ idemKey }: ParsedRequestOf<typeof revokeTool>): Promise<ReplyOf<typeof revokeTool>> {
    return { was: await this.tools.revokeKey(idemKey, UNKNOWN_TOOL) };
  }
}
