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
