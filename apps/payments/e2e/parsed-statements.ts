import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A statement that a connection had Postgres parse; one that has no name is parsed each time. */
export interface Parsed {
  readonly connection: number;
  readonly name: string;
  readonly sql: string;
}

const HEADER_BYTES = 5;

/** A wire to Postgres that reads along what is sent to be parsed (message `P` of the protocol, 55.2). */
export class ParseWire {
  readonly parsed: Parsed[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private connections = 0;

  constructor(private readonly target: URL) {
    this.server = createServer(near => {
      const connection = ++this.connections;
      const far = connect(Number(this.target.port), this.target.hostname);
      for (const socket of [near, far]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => (near.destroy(), far.destroy()));
      }
      const messages = new ClientMessages();
      near.on('data', chunk => {
        for (const [name, sql] of messages.read(chunk)) this.parsed.push({ connection, name, sql });
        far.write(chunk);
      });
      far.pipe(near);
    });
  }

  /** @returns the URL of the target by this wire */
  async open(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as { port: number }).port);
    return url.href;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/** What a client sends, cut into messages. */
class ClientMessages {
  private rest = Buffer.alloc(0);
  /** The first message has no letter. */
  private isStarted = false;

  /** Name and text of each statement that is to be parsed. */
  read(chunk: Buffer): [name: string, sql: string][] {
    const found: [string, string][] = [];
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const letterBytes = this.isStarted ? 1 : 0;
      if (this.rest.length < letterBytes + 4) return found;
      const end = letterBytes + this.rest.readUInt32BE(letterBytes);
      if (this.rest.length < end) return found;
      if (this.isStarted && this.rest[0] === 0x50) {
        const [name, sql] = this.rest.toString('utf8', HEADER_BYTES, end).split('\0');
        found.push([name, sql]);
      }
      this.isStarted = true;
      this.rest = this.rest.subarray(end);
    }
  }
}
