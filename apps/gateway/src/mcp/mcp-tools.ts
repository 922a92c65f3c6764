import { Injectable } from '@nestjs/common';
import { TOOL_NAMES, TOOL_RUNNERS, type ToolName, toolOutputSchema } from '@svc/contracts';
import { ToolCalls } from '../tools/tool-calls.js';
import { DeskTools } from './desk-tools.js';
import { OwnStatementTool } from './own-statement-tool.js';
import type { McpTool } from './mcp-tool.js';
import { listedToolOf } from './tool-listing.js';

/** All tools that MCP has: those of the catalogue in its order, those of the desks, and statements of the caller's. */
@Injectable()
export class McpTools {
  readonly byName: ReadonlyMap<string, McpTool>;

  constructor(
    private readonly calls: ToolCalls,
    desks: DeskTools,
    ownStatements: OwnStatementTool,
  ) {
    const tools = [...TOOL_NAMES.map(name => this.ofCatalogue(name)), ...desks.tools, ownStatements];
    this.byName = new Map(tools.map(tool => [tool.listed.name, tool]));
  }

  private ofCatalogue(name: ToolName): McpTool {
    const listed = listedToolOf(name);
    return {
      listed,
      path: `/v1/tools/${name}`,
      // Whatever runs it, payments takes the money, and the prover makes the evidence.
      needs: ['payments', 'prover', TOOL_RUNNERS[name]],
      kept: toolOutputSchema(name).required ?? [],
      answer: (input, request, reply, hooks) => this.calls.answer(name, input, request, reply, hooks),
    };
  }
}
