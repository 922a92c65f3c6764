import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { ServiceName } from '@svc/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ToolCallHooks } from '../tools/tool-calls.js';

/** A tool as MCP lists and calls it. */
export interface McpTool {
  readonly listed: Tool;
  /** Where the same is sold, or given, over HTTP. */
  readonly path: string;
  /** Services without which no call of it is answered. */
  readonly needs: readonly ServiceName[];
  /** Where that hangs on the arguments. */
  pathOf?(input: unknown): string;
  /** Members of its answers that are never left out. */
  readonly kept: readonly string[];
  /** Of them those whose lists are cut last. */
  readonly first?: readonly string[];
  /** Puts what matters most in front of what may be cut. */
  arranged?(answer: Record<string, unknown>): Record<string, unknown>;
  /**
   * Sells one call: the bytes of its JSON answer, with status and headers set on the reply.
   * @throws ProblemError what the call over HTTP is refused with
   */
  answer(input: unknown, request: FastifyRequest, reply: FastifyReply, hooks: ToolCallHooks): Promise<Buffer>;
}
