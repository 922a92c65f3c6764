import { z } from 'zod';
import { defineRoutes } from './route.js';
import { ToolCatalog, type ToolDefinition, ToolName, TOOLS } from './tool-catalog.contract.js';
import { IdempotencyHeaders } from './wire-format.js';

const tools: readonly ToolDefinition[] = Object.values(TOOLS);

/** Body of `POST /v1/tools/:name`: the inputs of the named tool. */
export const ToolInput = z
  .union(tools.map(tool => tool.input))
  .meta({ id: 'ToolInput', description: 'The inputs of the named tool' });
/** Response of `POST /v1/tools/:name`. */
export const ToolOutput = z
  .union(tools.map(tool => tool.output))
  .meta({ id: 'ToolOutput', description: 'The outputs of the named tool' });

/** A JSON-RPC 2.0 message of the Model Context Protocol. */
export const JsonRpcMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string().max(128), z.int()]).optional(),
    method: z.string().max(128).optional(),
  })
  .meta({ id: 'JsonRpcMessage' });

export const toolsRoutes = defineRoutes({
  catalog: {
    operationId: 'tools.catalog',
    method: 'GET',
    path: '/mcp.json',
    summary: 'The tool catalogue',
    tag: 'Tools',
    access: 'free',
    available: false,
    replies: { 200: { description: 'The catalogue', schema: ToolCatalog } },
  },
  mcp: {
    operationId: 'tools.mcp',
    method: 'POST',
    path: '/mcp',
    summary: 'Model Context Protocol, streamable HTTP',
    tag: 'Tools',
    access: 'free',
    available: true,
    description: 'The protocol itself is free; each tool call has the price of the tool.',
    body: { schema: JsonRpcMessage },
    bodyBytesMax: 1_048_576,
    replies: {
      200: {
        description: 'The answer',
        schema: JsonRpcMessage,
        mediaType: 'application/json, text/event-stream',
      },
      202: { description: 'A notification was taken' },
    },
  },
  call: {
    operationId: 'tools.call',
    method: 'POST',
    path: '/v1/tools/:name',
    summary: 'Call a tool of the catalogue',
    tag: 'Tools',
    access: 'paid',
    available: true,
    params: z.object({ name: ToolName }),
    headers: IdempotencyHeaders,
    body: { schema: ToolInput },
    bodyBytesMax: 2_097_152,
    replies: { 200: { description: 'The outputs of the tool', schema: ToolOutput } },
    problems: ['UNPROCESSABLE', 'CONFLICT', 'NOT_FOUND'],
  },
});
