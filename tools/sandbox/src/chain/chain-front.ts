import {
  Agent,
  createServer,
  type IncomingMessage,
  request as ask,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { JsonRpc } from './json-rpc.js';

/** Whoever asks these asks how things stand now, by the clock of the newest block. */
const ASKS_NOW = /"eth_(?:call|estimateGas|createAccessList|simulateV1|getBlockByNumber)"/;
/** How old the newest block may be to them. */
const BLOCK_AGE_MS_MAX = 500;
const BODY_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Stands before anvil, and has its clock go on. anvil makes a block for a transaction alone, and checks what is asked
 * by the time of its newest block: on a chain where nobody has paid for a while, an authorization that is valid since a
 * moment would be refused, and refused for ever, since what is refused makes no block either. So a block is made when
 * somebody asks how things stand. One every few seconds, as real chains have it, would fill memory while nobody asks.
 */
export class ChainFront {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly rpc: JsonRpc;
  private freshUntilMs = 0;
  private mining: Promise<void> | undefined;

  private constructor(
    private readonly server: Server,
    private readonly upstream: string,
  ) {
    this.rpc = new JsonRpc(upstream);
    server.on('request', (request, response) => {
      this.forward(request, response).catch(() => response.destroy());
    });
  }

  /**
   * @param port to listen on; 0 for `kept`, or any where that is taken
   * @param kept the port of last time, 0 for none
   * @throws Error for a port that is taken
   */
  static async start(upstream: string, port: number, kept: number): Promise<ChainFront> {
    const server = createServer();
    try {
      await listen(server, port === 0 ? kept : port);
    } catch (error) {
      if (port !== 0 || kept === 0) throw error;
      await listen(server, 0);
    }
    return new ChainFront(server, upstream);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => this.server.close(resolve));
    this.server.closeAllConnections();
    this.agent.destroy();
    await closed;
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end();
    if (ASKS_NOW.test(body.toString('latin1'))) await this.haveNewBlock();
    const { 'content-type': type } = request.headers;
    const headers = {
      'content-length': body.length,
      ...(type === undefined ? {} : { 'content-type': type }),
    };
    const { method } = request;
    const onward = ask(this.upstream, { method, headers, agent: this.agent }, answer => {
      const { 'content-type': answerType } = answer.headers;
      response.writeHead(answer.statusCode!, answerType === undefined ? {} : { 'content-type': answerType });
      answer.once('error', () => response.destroy()).pipe(response);
    });
    // anvil is gone: who asks finds the same as if it stood here itself.
    onward.once('error', () => response.destroy());
    onward.end(body);
  }

  /** Together for all who ask within the time that a block counts as new. */
  private haveNewBlock(): Promise<void> {
    if (performance.now() < this.freshUntilMs) return Promise.resolve();
    this.mining ??= this.rpc
      .call('evm_mine')
      .then(() => {
        this.freshUntilMs = performance.now() + BLOCK_AGE_MS_MAX;
      })
      // The question itself is answered, or finds anvil gone.
      .catch(() => undefined)
      .finally(() => {
        this.mining = undefined;
      });
    return this.mining;
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if ((size += chunk.length) > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
