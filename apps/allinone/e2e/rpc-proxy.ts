import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `lose-sent`: a transaction is handed on, its answer is lost, and nothing can be asked from then on. `drop-sent`: a
 * transaction is lost on its way. `hold-sent`: it is handed on, and its answer waits for ever; `hold-unsent`: it is not
 * handed on either. `no-tries`: a transfer cannot be tried before it is sent. `closed`: nothing is answered.
 */
export type ProxyMode =
  'open' | 'no-tries' | 'lose-sent' | 'drop-sent' | 'hold-sent' | 'hold-unsent' | 'closed';

/** Of `transferWithAuthorization`, with the signature in one piece or in three. */
const TRANSFERS = ['cf092995', 'e3ee160e'];

/** Stands between payments and the chain's node, and loses what a network may lose. */
export class RpcProxy {
  private current: ProxyMode = 'open';
  private isCut = false;
  /** Transactions that it has seen. */
  sentCount = 0;

  private constructor(
    private readonly server: Server,
    private readonly upstream: string,
  ) {
    server.on('request', (request, response) => void this.forward(request, response));
  }

  static async start(upstream: string): Promise<RpcProxy> {
    const server = createServer();
    const proxy = new RpcProxy(server, upstream);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  set mode(mode: ProxyMode) {
    this.current = mode;
    this.isCut = mode === 'closed';
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const sends = body.includes('eth_sendRawTransaction');
    if (sends) this.sentCount++;
    if (this.current === 'no-tries' && TRANSFERS.some(selector => body.includes(selector))) {
      const { id } = JSON.parse(body) as { id: number };
      const error = { code: -32_000, message: 'the node is too busy' };
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    }
    if (sends && this.current === 'hold-unsent') return;
    if (this.isCut || (sends && this.current === 'drop-sent')) return void response.destroy();
    const answer = await fetch(this.upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }).catch(() => undefined);
    // The node is gone, and whoever asks sees that.
    if (!answer) return void response.destroy();
    const text = await answer.text();
    if (sends && this.current === 'hold-sent') return;
    if (sends && this.current === 'lose-sent') {
      this.isCut = true;
      return void response.destroy();
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  }
}
