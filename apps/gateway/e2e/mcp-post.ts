/** What a request of MCP came to: the answer, and what was said before it. */
export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Of the stream, or the one of a JSON answer; none of an answer that is no message. */
  readonly messages: Record<string, any>[]; // eslint-disable-line @typescript-eslint/no-explicit-any -- any message
  readonly text: string;
}

export const BOTH_TYPES = 'application/json, text/event-stream';

interface PostOptions {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  /** Told of the answer as far as it has come, whenever more of it comes. */
  readonly onText?: (text: string) => void;
}

/** Posts one message as a client of the Streamable HTTP transport does. */
export async function postMcp(
  url: string,
  message: unknown,
  { headers = {}, signal, onText = () => undefined }: PostOptions = {},
): Promise<McpAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: BOTH_TYPES, ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
    signal,
  });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? [])
    onText((text += decoder.decode(chunk as Uint8Array, { stream: true })));
  return { status: response.status, headers: response.headers, text, messages: messagesOf(response, text) };
}

function messagesOf({ headers }: Response, text: string): McpAnswer['messages'] {
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return [JSON.parse(text)];
  if (!type.startsWith('text/event-stream')) return [];
  const lines = text.split('\n').filter(line => line.startsWith('data: '));
  return lines.map(line => JSON.parse(line.slice('data: '.length)));
}

/** A request of JSON-RPC. */
export const rpc = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** The first request of a session. */
export const initialize = (protocolVersion = '2025-11-25', capabilities: object = {}) =>
  rpc('initialize', { protocolVersion, capabilities, clientInfo: { name: 'a client', version: '1' } }, 0);

export type Message = ReturnType<typeof rpc>;
type Meta = Record<string, unknown>;

/** What each request since 2026-07-28 says of its client. */
export const envelope = (declaresPayment = false): Meta => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'a client', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': declaresPayment ? { experimental: { payment: {} } } : {},
});

/** A message and its headers as a client of either protocol sends them: of the handshake, or of the envelope. */
export function spokenIn(
  protocol: '2025-11-25' | '2026-07-28',
  message: Message,
  headers: Record<string, string>,
): { message: Message; headers: Record<string, string> } {
  if (protocol === '2025-11-25') return { message, headers };
  const { 'mcp-session-id': sessionId = '', ...others } = headers;
  const { _meta, ...params } = (message.params ?? {}) as { name?: unknown; _meta?: Meta };
  return {
    message: {
      ...message,
      params: { ...params, _meta: { ..._meta, ...envelope(sessionId.startsWith('mpp.')) } },
    },
    headers: {
      ...{ 'mcp-protocol-version': protocol, 'mcp-method': message.method },
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
      ...others,
    },
  };
}

/** Without what the newer protocol has on every result. */
export function withoutStamps(answer: McpAnswer['messages'][number]): McpAnswer['messages'][number] {
  const { result } = answer;
  if (!result) return answer;
  const { resultType: _type, _meta = {}, ...outputs } = result;
  const { 'io.modelcontextprotocol/serverInfo': _server, ...meta } = _meta;
  return { ...answer, result: { ...outputs, ...(Object.keys(meta).length > 0 && { _meta: meta }) } };
}
