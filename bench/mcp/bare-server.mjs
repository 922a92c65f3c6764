import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createServer } from 'node:http';

/**
 * The floor: the SDK's server and transport as its documentation has them without sessions, with a tool that says what it is
 * told, for nothing. It listens on PORT until it is told to stop.
 */
const port = Number(process.env.PORT);
if (!Number.isInteger(port) || port < 1) throw new RangeError(`PORT is "${process.env.PORT}"`);

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

function echoServer() {
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'echo', inputSchema }] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: 'text', text: params.arguments.text }],
  }));
  return server;
}

const http = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(200).end();
  const server = echoServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: process.env.ANSWERS === 'json',
  });
  response.on('close', () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport);
  return transport.handleRequest(request, response);
});
process.on('SIGTERM', () => http.close(() => process.exit(0)).closeAllConnections());
http.listen(port, '127.0.0.1');
