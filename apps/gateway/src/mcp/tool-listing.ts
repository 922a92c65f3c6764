import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import {
  toolDefinition,
  toolInputSchema,
  type ToolName,
  toolOutputSchema,
  type ToolSchema,
} from '@svc/contracts';
import { priceOf } from '@svc/protocols';

/** The key below `_meta` under which a tool says what a call costs, and where it is sold over HTTP. */
export const PRICE_META = 'svc/price';

/** What `tools/list` shows of a tool. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolSchema;
  readonly outputSchema: ToolSchema;
  /** In the price list; what has none costs nothing. */
  readonly operationId?: string;
  readonly path: string;
  readonly latencyMs?: number | undefined;
}

export const listedTool = ({
  name,
  description,
  inputSchema,
  outputSchema,
  operationId,
  path,
  latencyMs,
}: ShownTool): Tool => ({
  ...{ name, title: titleOf(name), description },
  inputSchema: inputSchema as Tool['inputSchema'],
  outputSchema: contentSchema(outputSchema) as Tool['outputSchema'],
  annotations: { openWorldHint: false, destructiveHint: false },
  _meta: {
    [PRICE_META]: {
      ...costOf(operationId),
      httpPath: path,
      ...(latencyMs === undefined ? {} : { latencyMs }),
    },
  },
});

/** A tool of the list, with whether the services that a call of it needs answer now. */
export const withAvailability = (tool: Tool, available: boolean): Tool => ({
  ...tool,
  _meta: { ...tool._meta, [PRICE_META]: { ...(tool._meta![PRICE_META] as object), available } },
});

function costOf(operationId?: string) {
  if (operationId === undefined) return { costUsd: '0', amountSats: 0, amountMicroUsd: '0' };
  const { priceUsd, amountSats, amountMicroUsd } = priceOf(operationId);
  return { costUsd: priceUsd, amountSats, amountMicroUsd: String(amountMicroUsd) };
}

/** A tool of the catalogue as `tools/list` shows it. */
export function listedToolOf(name: ToolName): Tool {
  const { description, latencyMs } = toolDefinition(name);
  return listedTool({
    ...{ name, description, latencyMs, operationId: `tool.${name}`, path: `/v1/tools/${name}` },
    inputSchema: toolInputSchema(name),
    outputSchema: toolOutputSchema(name),
  });
}

/**
 * The schema of a tool's structured content, whole or as it fits. Clients hold what an error has in its structured content
 * against it too, and x402 has its terms there: so either all the outputs are there, or the terms of a payment, or a problem.
 */
function contentSchema({ required = [], ...schema }: ToolSchema): object {
  return {
    ...schema,
    properties: {
      ...Object.fromEntries(
        Object.entries(schema.properties).map(([name, member]) => [name, linkable(member)]),
      ),
      ...LINKED_MEMBERS,
    },
    anyOf: [{ required }, { required: ['x402Version', 'accepts'] }, { required: ['problem'] }],
  };
}

/** A member that has evidence of its own says which in the answer that fits, and has it in the whole one. */
function linkable(member: Readonly<Record<string, unknown>>): object {
  const { properties, required } = member as Partial<ToolSchema>;
  if (!properties?.auditProof) return member;
  return {
    ...member,
    properties: { ...properties, evidence: EVIDENCE },
    required: required?.filter(name => name !== 'auditProof'),
  };
}

const EVIDENCE = {
  type: 'object',
  description: 'Which proof covers it; bytes and sha256 are those of the proof itself',
  properties: {
    root: { type: 'string' },
    proofId: { type: 'string' },
    uri: { type: 'string' },
    bytes: { type: 'integer' },
    sha256: { type: 'string' },
  },
  required: ['root'],
};

/** What an answer has beside the outputs where it is given as it fits. */
const LINKED_MEMBERS = {
  evidence: EVIDENCE,
  whole: { type: 'string', description: 'Resource of the whole answer, to the account that has paid by key' },
  shortened: {
    type: 'array',
    description: 'Lists that are cut: the first items are shown. Shown is 0 of a member that is left out',
    items: {
      type: 'object',
      properties: { path: { type: 'string' }, shown: { type: 'integer' }, of: { type: 'integer' } },
      required: ['path', 'shown', 'of'],
    },
  },
};

const titleOf = (name: string): string =>
  name.replaceAll('_', ' ').replace(/^./, first => first.toUpperCase());
