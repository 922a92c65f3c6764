import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { TOOL_CATALOG_VERSION } from '@svc/contracts';
import { SERVICE_DESCRIPTION, SERVICE_NAME } from '../gateway-index/gateway-index.js';
import { ListedTools } from './listed-tools.js';
import { type McpCatalogue, type McpMethod, wholeList } from './mcp-catalogue.js';
import { PROMPT_METHODS } from './mcp-prompts.js';
import { McpResources } from './mcp-resources.js';
import { ToolCalling } from './tool-calling.js';

/** What the gateway offers over MCP. */
@Injectable()
export class ProductionCatalogue implements McpCatalogue {
  readonly serverInfo = {
    name: 'svc-gateway',
    title: SERVICE_NAME,
    version: TOOL_CATALOG_VERSION,
    description: SERVICE_DESCRIPTION,
  };
  readonly capabilities = {
    tools: { listChanged: true },
    resources: {},
    prompts: {},
    completions: {},
    // Lightning is left out of what tools are sold for in this scheme: L402 over HTTP pays by it.
    experimental: { payment: { methods: ['stripe', 'evm'], intents: ['charge'] } },
  };
  readonly instructions =
    'Every call of a tool costs what its _meta["svc/price"] says. Call without a payment to get its terms, pay, and call again with the same arguments; or send X-SVC-KEY. An answer is short: evidence names the proof that covers it, shortened names what was left out, and whole is the resource of all of it; _meta["svc/evidence"] "inline" asks for all of it at once, with the evidence (auditProof) that says what it does not prove. Begin with svc://docs/mcp.';
  readonly methods: Readonly<Record<string, McpMethod>>;

  constructor(resources: McpResources, tools: ListedTools, calling: ToolCalling) {
    this.methods = {
      'tools/list': {
        schema: ListToolsRequestSchema,
        answer: call => wholeList(ListToolsRequestSchema, { tools: tools.now() }).answer(call),
      },
      'tools/call': { schema: CallToolRequestSchema, answer: call => calling.call(call) },
      ...resources.methods,
      ...PROMPT_METHODS,
    };
  }
}
