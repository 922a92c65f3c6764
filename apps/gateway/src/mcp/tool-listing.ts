import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import {
  TOOL_NAMES,
  toolDefinition,
  toolInputSchema,
  type ToolName,
  toolOutputSchema,
  type ToolSchema,
} from '@svc/contracts';
import { priceOf } from '@svc/protocols';

/** The key below `_meta` under which a tool says what a call costs, and where it is sold over HTTP. */
export const PRICE_META = 'svc/price';

/** The tools of the catalogue as `tools/list` shows them. */
export function listedTools(): Tool[] {
  return TOOL_NAMES.map(name => {
    const { description, latencyMs } = toolDefinition(name);
    const { priceUsd, amountSats, amountMicroUsd } = priceOf(`tool.${name}`);
    return {
      name,
      title: titleOf(name),
      description,
      inputSchema: toolInputSchema(name) as Tool['inputSchema'],
      outputSchema: contentSchema(toolOutputSchema(name)) as Tool['outputSchema'],
      annotations: { openWorldHint: false, destructiveHint: false },
      _meta: {
        [PRICE_META]: {
          ...{ costUsd: priceUsd, amountSats, amountMicroUsd: String(amountMicroUsd) },
          ...{ available: true, httpPath: `/v1/tools/${name}` },
          ...(latencyMs === undefined ? {} : { latencyMs }),
        },
      },
    };
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

const titleOf = (name: ToolName): string =>
  name.replaceAll('_', ' ').replace(/^./, first => first.toUpperCase());
