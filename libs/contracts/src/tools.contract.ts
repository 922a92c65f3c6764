import { z } from 'zod';
import { AuditProof } from './audit-proof.js';
import { PublicInputs } from './prover.contract.js';
import { defineRoutes } from './route.js';
import { ToolCatalog, type ToolDefinition, ToolName, TOOLS } from './tool-catalog.contract.js';
import { IdempotencyHeaders } from './wire-format.js';
import { ExecuteResult } from './x402.contract.js';

const tools: readonly ToolDefinition[] = Object.values(TOOLS);

/** Name of the answer of a tool: `ZkProveSpatialAnswer`. */
const answerId = (tool: string): string =>
  `${tool.replace(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase())}Answer`;

/** Body of `POST /v1/tools/:name`: the inputs of the named tool. */
export const ToolInput = z
  .union(tools.map(tool => tool.input))
  .meta({ id: 'ToolInput', description: 'The inputs of the named tool' });
/** What an answer has beside the outputs of the catalogue. */
export const toolEvidence = {
  starkRoot: z.string().optional().meta({
    description: 'Root of the STARK that was made: of the tool, else of the evidence',
  }),
  proofId: z.string().optional().meta({
    description: 'Proof of the tool, where it makes one: /v1/stark/proofs/:proofId',
  }),
  airId: z.string().optional().meta({ description: 'The AIR of that proof' }),
  publicInputs: PublicInputs.optional().meta({
    description:
      'What that proof states in public: the box and the commitment, or the inputs and the commitment',
  }),
  contextDomain: z.string().optional().meta({ description: 'The tag that it was made under; empty: none' }),
  opening: z.record(z.string(), z.string()).optional().meta({
    description: 'What opens the commitment of that proof; keep it to yourself',
  }),
  auditProof: AuditProof.optional().meta({ description: 'Evidence of the whole answer but the opening' }),
} as const;

/** Response of `POST /v1/tools/:name`. */
export const ToolOutput = z
  .union(
    // Named, because some makers of clients lose what an unnamed member of a union nests.
    Object.entries<ToolDefinition>(TOOLS).map(([name, { output }]) =>
      output.extend(toolEvidence).meta({ id: answerId(name) }),
    ),
  )
  .meta({ id: 'ToolOutput', description: 'The outputs of the named tool, and their evidence' });

/** A JSON-RPC 2.0 message of the Model Context Protocol. */
export const JsonRpcMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string().max(128), z.int()]).optional(),
    method: z.string().max(128).optional(),
  })
  .meta({ id: 'JsonRpcMessage' });

/** How the paths of MCP refuse: `id` is null where none could be read. */
const JsonRpcRefusal = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string().max(128), z.int(), z.null()]),
    error: z.object({ code: z.int(), message: z.string(), data: z.looseObject({}).optional() }),
  })
  .meta({ id: 'JsonRpcRefusal' });

/** What the paths of MCP take and answer. */
const MCP_MESSAGES = {
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
  refusal: JsonRpcRefusal,
} as const;

/** The stream that a client of MCP up to 2025-11-25 keeps open. */
const MCP_CHANGES = {
  description:
    'For clients of the versions up to 2025-11-25: `notifications/tools/list_changed` where `_meta["svc/price"].available` of a tool has changed, because a service that it needs has come or gone. Later versions subscribe with `subscriptions/listen`.',
  replies: {
    200: {
      description: 'The stream, until its client closes it',
      schema: JsonRpcMessage,
      mediaType: 'text/event-stream',
    },
  },
  problems: ['VALIDATION_FAILED', 'FORBIDDEN', 'NOT_FOUND', 'OVERLOADED'] as const,
};

export const toolsRoutes = defineRoutes({
  catalog: {
    operationId: 'tools.catalog',
    method: 'GET',
    path: '/mcp.json',
    summary: 'The tool catalogue',
    tag: 'Tools',
    access: 'free',
    replies: { 200: { description: 'The catalogue', schema: ToolCatalog } },
  },
  mcp: {
    operationId: 'tools.mcp',
    method: 'POST',
    path: '/mcp',
    summary: 'Model Context Protocol, streamable HTTP',
    tag: 'Tools',
    access: 'free',
    description: 'The protocol itself is free; each tool call has the price of the tool.',
    ...MCP_MESSAGES,
  },
  mcpPayment: {
    operationId: 'tools.mcp-payment',
    method: 'POST',
    path: '/mcp/mpp',
    summary: 'Model Context Protocol for clients of the Payment scheme',
    tag: 'Tools',
    access: 'free',
    description:
      'As /mcp. A call that is not paid for is the error −32042 with its challenges, and one whose payment does not hold −32043, whatever its client declares.',
    ...MCP_MESSAGES,
  },
  mcpChanges: {
    operationId: 'tools.mcp-changes',
    method: 'GET',
    path: '/mcp',
    summary: 'Changes of the list of tools',
    tag: 'Tools',
    access: 'free',
    ...MCP_CHANGES,
  },
  mcpPaymentChanges: {
    operationId: 'tools.mcp-payment-changes',
    method: 'GET',
    path: '/mcp/mpp',
    summary: 'Changes of the list of tools, for clients of the Payment scheme',
    tag: 'Tools',
    access: 'free',
    ...MCP_CHANGES,
  },
  call: {
    operationId: 'tools.call',
    method: 'POST',
    path: '/v1/tools/:name',
    summary: 'Call a tool of the catalogue',
    tag: 'Tools',
    access: 'paid',
    description:
      'Sold as the one call that it is: what fails is not charged, and the same payment with the same inputs gets the same answer again. m2m_license_contract alone runs as a saga, as `POST /v1/x402/execute` does: its answer names it, and may be 202 while it goes on.',
    params: z.object({ name: ToolName }),
    headers: IdempotencyHeaders,
    body: { schema: ToolInput },
    bodyBytesMax: 2_097_152,
    replies: {
      200: {
        description: 'The outputs of the tool, and their evidence',
        schema: ToolOutput,
        headers: {
          'Payment-Receipt': 'Receipt of the payment',
          'SVC-Receipt':
            'Signed receipt that binds request and answer: a compact JWS; not where a plan has paid',
          'X-SVC-KEY': 'Credit that the payment left over',
        },
      },
      202: {
        description: 'The saga of the tool goes on, or is stuck and will be resolved',
        schema: ExecuteResult,
        headers: { Location: 'The saga' },
      },
    },
    problems: ['UNPROCESSABLE', 'CONFLICT', 'NOT_FOUND', 'STREAM_INDEX_STALE', 'QUEUE_FULL', 'OVERLOADED'],
  },
});
