import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { INVALID_PARAMS, JsonRpcFault, RESOURCE_NOT_FOUND } from '../src/mcp/json-rpc.js';
import { type McpCall, type McpCatalogue, wholeList } from '../src/mcp/mcp-catalogue.js';

/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** Eight silent samples. */
const WAV = wav(8);
const NOTHING = { type: 'object', properties: {} };

const text = (said: string) => ({ type: 'text', text: said });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, said: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: said },
});

type ToolFixture = (call: McpCall, args: Record<string, any>) => Promise<object> | object; // eslint-disable-line @typescript-eslint/no-explicit-any -- as the suite sends them

const TOOLS: Readonly<Record<string, ToolFixture>> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  test_tool_with_logging: async ({ notify }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await notify({ method: 'notifications/message', params: { level: 'info', data } });
    }
    return { content: [text('Logged')] };
  },
  test_tool_with_progress: async ({ notify, progressToken }) => {
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await notify({ method: 'notifications/progress', params });
      }
    }
    return { content: [text(String(progressToken))] };
  },
  test_sampling: async ({ ask }, { prompt }) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: String(prompt) } }];
    const { content } = await ask<{ content: { text: string } }>(
      { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } },
      CreateMessageResultSchema,
    );
    return { content: [text(`LLM response: ${content.text}`)] };
  },
  test_elicitation: (call, { message }) =>
    elicit(call, 'User response', String(message), {
      properties: {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      },
      required: ['username', 'email'],
    }),
  test_elicitation_sep1034_defaults: call =>
    elicit(call, 'Elicitation completed', 'Defaults', {
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    }),
  test_elicitation_sep1330_enums: call =>
    elicit(call, 'Elicitation completed', 'Enums', { properties: ENUMS }),
};

const OPTIONS = ['option1', 'option2', 'option3'];
const titled = (ordinal: string) => [
  { const: 'value1', title: `First ${ordinal}` },
  { const: 'value2', title: `Second ${ordinal}` },
  { const: 'value3', title: `Third ${ordinal}` },
];
const ENUMS = {
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    ...{ type: 'string', enum: ['opt1', 'opt2', 'opt3'] },
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

async function elicit({ ask }: McpCall, said: string, message: string, schema: object): Promise<object> {
  const { action, content } = await ask<{ action: string; content?: unknown }>(
    {
      method: 'elicitation/create',
      params: { message, requestedSchema: { type: 'object', ...schema } as never },
    },
    ElicitResultSchema,
  );
  return { content: [text(`${said}: action=${action}, content=${JSON.stringify(content ?? {})}`)] };
}

const RESOURCES: Readonly<Record<string, object>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched' },
};

function read({ params }: McpCall): object {
  const uri = String(params.uri);
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const said = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text: said }] };
  }
  if (!Object.hasOwn(RESOURCES, uri)) throw new JsonRpcFault(RESOURCE_NOT_FOUND, 'Resource not found');
  return { contents: [{ uri, ...RESOURCES[uri] }] };
}

const user = (content: object) => ({ role: 'user', content });
const PROMPTS: Readonly<
  Record<string, { args: string[]; messages: (args: Record<string, string>) => object[] }>
> = {
  test_simple_prompt: { args: [], messages: () => [user(text('This is a simple prompt for testing.'))] },
  test_prompt_with_arguments: {
    args: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    args: ['resourceUri'],
    messages: ({ resourceUri }) => [
      user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ],
  },
  test_prompt_with_image: {
    args: [],
    messages: () => [user(image), user(text('Please analyze the image above.'))],
  },
};

function prompt({ params }: McpCall): object {
  const { name, arguments: args = {} } = params as { name: string; arguments?: Record<string, string> };
  if (!Object.hasOwn(PROMPTS, name)) throw new JsonRpcFault(INVALID_PARAMS, 'Unknown prompt');
  return { messages: PROMPTS[name].messages(args) };
}

function callTool(call: McpCall): Promise<object> | object {
  const { name, arguments: args = {} } = call.params as { name: string; arguments?: Record<string, unknown> };
  if (!Object.hasOwn(TOOLS, name)) throw new JsonRpcFault(INVALID_PARAMS, 'Unknown tool');
  return TOOLS[name](call, args);
}

/** What the public conformance suite calls, on the transport and behind the guards of the product. */
export const conformanceCatalogue: McpCatalogue = {
  serverInfo: { name: 'fixtures of the conformance suite', version: '1' },
  capabilities: { tools: {}, prompts: {}, completions: {}, logging: {}, resources: { subscribe: true } },
  methods: {
    'tools/list': wholeList(ListToolsRequestSchema, {
      tools: Object.keys(TOOLS).map(name => ({ name, description: name, inputSchema: NOTHING })),
    }),
    'tools/call': { schema: CallToolRequestSchema, answer: callTool },
    'resources/list': wholeList(ListResourcesRequestSchema, {
      resources: Object.keys(RESOURCES).map(uri => ({ uri, name: uri, description: uri })),
    }),
    'resources/templates/list': wholeList(ListResourceTemplatesRequestSchema, {
      resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
    }),
    'resources/read': { schema: ReadResourceRequestSchema, answer: read },
    'resources/subscribe': { schema: SubscribeRequestSchema, answer: () => ({}) },
    'resources/unsubscribe': { schema: UnsubscribeRequestSchema, answer: () => ({}) },
    'prompts/list': wholeList(ListPromptsRequestSchema, {
      prompts: Object.entries(PROMPTS).map(([name, { args }]) => ({
        ...{ name, description: name },
        arguments: args.map(argument => ({ name: argument, description: argument, required: true })),
      })),
    }),
    'prompts/get': { schema: GetPromptRequestSchema, answer: prompt },
    'completion/complete': {
      schema: CompleteRequestSchema,
      answer: () => ({ completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } }),
    },
  },
};

/** 16-bit mono PCM. */
function wav(samples: number): string {
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples * 2, 40);
  return bytes.toString('base64');
}
