import { Controller } from '@nestjs/common';
import { TOOLS, type ToolReply } from '@svc/contracts';
import type { JsonObject } from '@svc/durability';
import {
  type AskedTool,
  parseOrProblem,
  type ToolCallKeys,
  type ToolCallRequest,
  toolCallHandlers,
} from '@svc/platform';
import { OwnTools } from './own-tools.js';

/** Of whose calls a tombstone says, where a key is revoked before its call came. */
const UNKNOWN_TOOL = 'create_purchase_link';

/** The tools of this service for whoever sells them one call at a time. */
@Controller()
export class ToolNatsController extends toolCallHandlers('payments') {
  readonly keys: ToolCallKeys;

  constructor(private readonly tools: OwnTools) {
    super();
    this.keys = {
      outcome: async idemKey => ({ state: await tools.stateOf(idemKey) }),
      progress: (idemKey, _afterSeq, waitMs) => tools.progressOf(idemKey, waitMs),
      revoke: async idemKey => ({ was: await tools.revokeKey(idemKey, UNKNOWN_TOOL) }),
    };
  }

  async admit({ tool, input }: AskedTool): Promise<void> {
    parseOrProblem(TOOLS[tool].input, input);
    await this.tools.admit(tool);
  }

  run({ tool, input, ...call }: ToolCallRequest): Promise<ToolReply> {
    return this.tools.run({ tool, input: parseOrProblem(TOOLS[tool].input, input) as JsonObject, ...call });
  }
}
