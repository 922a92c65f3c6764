import type { AnySchema } from '@modelcontextprotocol/sdk/server/zod-compat.js';
import type {
  Implementation,
  ProgressToken,
  ServerCapabilities,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { INVALID_PARAMS, JsonRpcFault } from './json-rpc.js';

/** What a method is told of the request that it answers. */
export interface McpCall {
  readonly params: Record<string, unknown>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Whether its client has said that it speaks the `Payment` scheme. */
  readonly declaresPayment: boolean;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborts when the client cancels, or hangs up. */
  readonly signal: AbortSignal;
  /** What the client calls progress by, where it wants to hear of it. */
  readonly progressToken?: ProgressToken;
  notify(notification: ServerNotification): Promise<void>;
  /** Asks the client something, within its own request; clients of 2026-07-28 and later cannot be asked. */
  ask<T>(request: ServerRequest, resultSchema: AnySchema): Promise<T>;
}

/** Answers one method. */
export interface McpMethod {
  /** The SDK's schema of the request, which has the method's name. */
  readonly schema: AnySchema;
  readonly answer: (call: McpCall) => Promise<object> | object;
}

/** What an MCP server offers beside the protocol's own `initialize` and `ping`. */
export interface McpCatalogue {
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
  readonly methods: Readonly<Record<string, McpMethod>>;
}

/** Answers a list that is sent whole: no cursor is ever given out. */
export function wholeList(schema: AnySchema, list: object): McpMethod {
  return {
    schema,
    answer: ({ params }) => {
      if (params.cursor === undefined) return list;
      throw new JsonRpcFault(INVALID_PARAMS, 'cursor: none was given out; the list is whole');
    },
  };
}
