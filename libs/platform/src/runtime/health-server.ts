import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readiness } from './service-definition.js';

/**
 * The probes of a service without HTTP of its own: `/livez` answers as long as the event loop turns,
 * `/readyz` is 503 with the failed checks while a dependency is away or the service drains.
 */
export class HealthServer {
  private readonly server: Server;

  constructor(private readonly readiness: () => Promise<Readiness>) {
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.headersTimeout = 5_000;
    this.server.requestTimeout = 5_000;
  }

  /** @param port 0 for any free one; resolves with the port that was bound */
  async listen(port: number, host = '0.0.0.0'): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, resolve);
    });
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise(resolve => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, { status: 'GET only' });
    switch (request.url?.split('?', 1)[0]) {
      case '/livez':
        return send(response, 200, { status: 'ok' });
      case '/readyz': {
        const { ready, checks } = await this.readiness();
        return send(response, ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', checks });
      }
      default:
        return send(response, 404, { status: 'not found' });
    }
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
