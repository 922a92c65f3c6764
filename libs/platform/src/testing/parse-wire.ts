import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A statement that a connection had Postgres parse; one that has no name is parsed each time. */
export interface Parsed {
  readonly connection: number;
  readonly name: string;
  readonly sql: string;
}

/** A statement that a connection had Postgres execute. */
export interface Executed {
  readonly connection: number;
  readonly sql: string;
  /** Its last parameter, as text; undefined where it has none. */
  readonly last: string | undefined;
}

const HEADER_BYTES = 5;
const [PARSE, BIND, QUERY] = ['P', 'B', 'Q'].map(letter => letter.charCodeAt(0));

/** A wire to Postgres that reads along what is sent to be parsed and to be executed (messages `P`, `B` and `Q` of the protocol, 55.2). */
export class ParseWire {
  readonly parsed: Parsed[] = [];
  readonly executed: Executed[] = [];
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
        for (const message of messages.read(chunk)) {
          if ('name' in message) this.parsed.push({ connection, ...message });
          else this.executed.push({ connection, ...message });
        }
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
  private readonly textOf = new Map<string, string>();

  /** The statements that are to be parsed, with their names, and those that are to be executed. */
  read(chunk: Buffer): (Omit<Parsed, 'connection'> | Omit<Executed, 'connection'>)[] {
    const found: (Omit<Parsed, 'connection'> | Omit<Executed, 'connection'>)[] = [];
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const letterBytes = this.isStarted ? 1 : 0;
      if (this.rest.length < letterBytes + 4) return found;
      const end = letterBytes + this.rest.readUInt32BE(letterBytes);
      if (this.rest.length < end) return found;
      const body = this.rest.subarray(HEADER_BYTES, end);
      if (this.isStarted && this.rest[0] === PARSE) {
        const [name, sql] = body.toString('utf8').split('\0');
        this.textOf.set(name, sql);
        found.push({ name, sql });
      } else if (this.isStarted && this.rest[0] === BIND) {
        const [portal, name] = body.toString('latin1').split('\0', 2);
        const last = lastOf(body.subarray(portal.length + name.length + 2));
        found.push({ sql: this.textOf.get(name) ?? '', last });
      } else if (this.isStarted && this.rest[0] === QUERY) {
        found.push({ sql: body.toString('utf8', 0, body.length - 1), last: undefined });
      }
      this.isStarted = true;
      this.rest = this.rest.subarray(end);
    }
  }
}

/** The last parameter of a message `B`, behind its names. */
function lastOf(body: Buffer): string | undefined {
  let at = 2 + 2 * body.readUInt16BE(0);
  let last: string | undefined;
  const count = body.readUInt16BE(at);
  at += 2;
  for (let i = 0; i < count; i++) {
    const length = body.readInt32BE(at);
    at += 4;
    last = length < 0 ? undefined : body.toString('utf8', at, at + length);
    at += Math.max(0, length);
  }
  return last;
}

const WRITES = /\b(INSERT INTO|UPDATE \w+\s+(\w+ )?SET|DELETE FROM|buy_by_key|settle_held|count_requests)\b/;

/**
 * Commits that were waited for: of a statement that writes by itself, or of a transaction that wrote; not of what said that it need
 * not reach the disk.
 */
export function awaitedCommits(executed: readonly Executed[]): number {
  const open = new Map<number, { writes: boolean; isLazy: boolean }>();
  let commits = 0;
  for (const { connection, sql, last } of executed) {
    const isLazy = /synchronous_commit/.test(sql)
      ? last !== 'false'
      : /buy_by_key|settle_held/.test(sql) && last === 'true';
    const transaction = open.get(connection);
    if (/^(START TRANSACTION|BEGIN)/.test(sql)) open.set(connection, { writes: false, isLazy: false });
    else if (/^(COMMIT|ROLLBACK)/.test(sql)) {
      if (transaction?.writes && !transaction.isLazy && sql.startsWith('COMMIT')) commits++;
      open.delete(connection);
    } else if (transaction) {
      transaction.writes ||= WRITES.test(sql);
      transaction.isLazy ||= isLazy;
    } else if (WRITES.test(sql) && !isLazy) commits++;
  }
  return commits;
}
