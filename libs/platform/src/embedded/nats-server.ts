import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { ENVELOPE_BYTES_MAX } from '../messaging/envelope.js';
import { createLogger } from '../observability/logger.js';
import { findProgram } from './find-program.js';
import { endLeftover, endWithUs } from './process-identity.js';
import { exitOf, hasEnded, type ServerProcess, Supervisor } from './supervisor.js';

const READY = /Listening for client connections on [^\s:]+:(\d+)/;
const ALL_READY = 'Server is ready';
const STOP_GRACEFUL_MS = 5_000;
const LOG_LINES_KEPT = 40;

export interface NatsServerOptions {
  /** The program, as {@link findNatsServer} finds it. */
  readonly binary: string;
  /** Configuration, process number and JetStream's files lie in `<dataDir>/nats`. */
  readonly dataDir: string;
  /** Whoever presents it may speak; 64 random hexadecimal digits by default. */
  readonly token?: string;
  /** A free port by default. */
  readonly port?: number;
  readonly logger?: Logger;
  /** false: a server that dies stays down, as after the death of its owner. */
  readonly supervised?: boolean;
}

export interface NatsServer {
  readonly url: string;
  readonly token: string;
  readonly port: number;
  /** Of the server that runs now: it changes when one that died was started again. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** The path of the `nats-server` that is installed, or undefined. */
export const findNatsServer = (searchPath?: string): string | undefined =>
  findProgram('nats-server', searchPath);

/**
 * Starts a NATS server with JetStream, on loopback, open to the holder of the token alone. One that a
 * killed run left behind in the same folder is ended first, and one that dies is started again on the
 * same port.
 * @throws Error with the server's own last complaint when it does not start
 */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const logger = options.logger ?? createLogger('allinone');
  const home = join(resolve(options.dataDir), 'nats');
  const token = options.token ?? randomBytes(32).toString('hex');
  const configPath = join(home, 'server.conf');
  const pidPath = join(home, 'server.pid');
  await mkdir(home, { recursive: true, mode: 0o700 });
  const leftover = Number.parseInt(await readFile(pidPath, 'utf8').catch(() => ''), 10);
  if (leftover > 1 && (await endLeftover(leftover, configPath, STOP_GRACEFUL_MS))) {
    logger.warn({ pid: leftover }, 'Ended the nats-server that an earlier run left behind');
  }
  const start = async (port: number) => {
    // The token stands in a file of ours alone: command lines are public.
    await writeFile(configPath, configuration(home, pidPath, token, port), { mode: 0o600 });
    return launch(options.binary, configPath, logger);
  };
  const first = await start(options.port ?? -1);
  const { port } = first;
  const restart = options.supervised === false ? undefined : () => start(port);
  const supervisor = new Supervisor('nats-server', first, restart, logger);
  return {
    url: `nats://127.0.0.1:${port}`,
    token,
    port,
    get pid() {
      return supervisor.pid;
    },
    stop: async () => {
      await supervisor.stop();
      await rm(pidPath, { force: true });
    },
  };
}

function configuration(home: string, pidPath: string, token: string, port: number): string {
  return [
    'listen: "127.0.0.1:' + port + '"',
    `authorization { token: ${JSON.stringify(token)} }`,
    `max_payload: ${ENVELOPE_BYTES_MAX}`,
    `pid_file: ${JSON.stringify(pidPath)}`,
    `jetstream { store_dir: ${JSON.stringify(join(home, 'jetstream'))}, max_mem: 64MB, max_file: 1GB }`,
    '',
  ].join('\n');
}

function launch(
  binary: string,
  configPath: string,
  logger: Logger,
): Promise<ServerProcess & { port: number }> {
  // A session of its own, as Postgres has: Ctrl-C is ours to handle.
  const child = spawn(binary, ['--config', configPath], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  endWithUs(child, 'SIGTERM');
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    let port: number | undefined;
    child.once('error', error => reject(new Error(`${binary} cannot be run: ${error.message}`)));
    child.once('exit', () =>
      reject(new Error(`nats-server does not start: ${lines.at(-1) ?? 'it said nothing'}`)),
    );
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      for (const line of chunk.split('\n').filter(text => text !== '')) {
        lines.push(line);
        if (lines.length > LOG_LINES_KEPT) lines.shift();
        logger.debug({ nats: line }, 'nats-server');
        const match = READY.exec(line);
        if (match) port = Number(match[1]);
        if (line.includes(ALL_READY) && port !== undefined) resolve({ child, port, stop: () => end(child) });
      }
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const hardest = setTimeout(() => child.kill('SIGKILL'), STOP_GRACEFUL_MS);
  child.kill('SIGTERM');
  await exitOf(child);
  clearTimeout(hardest);
}
