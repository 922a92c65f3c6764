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
      outputSchema: outputOrError(toolOutputSchema(name)) as Tool['outputSchema'],
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
 * The schema of a tool's structured content. Clients hold what an error has in its structured content against it too, and
 * x402 has its terms there: so either all the outputs are there, or the terms of a payment, or a problem.
 */
function outputOrError({ required = [], ...schema }: ToolSchema): object {
  return {
    ...schema,
    anyOf: [{ required }, { required: ['x402Version', 'accepts'] }, { required: ['problem'] }],
  };
}

const titleOf = (name: ToolName): string =>
  name.replaceAll('_', ' ').replace(/^./, first => first.toUpperCase());
