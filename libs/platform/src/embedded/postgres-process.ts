import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { EmbeddedPostgresError } from './data-folder.js';
import { endWithUs } from './process-identity.js';
import type { PostgresAccount } from './postgres-account.js';
import { exitOf, hasEnded, type ServerProcess } from './supervisor.js';

const READY = 'database system is ready to accept connections';
const PORT_TAKEN = 'could not create any TCP/IP sockets';
const PORT_ATTEMPTS_MAX = 5;
/** What a killed server leaves behind ends by itself, at the next pause of what it is at. */
const STILL_IN_USE = 'is still in use';
const STILL_IN_USE_MS_MAX = 10_000;
const STILL_IN_USE_POLL_MS = 200;
const STOP_FAST_MS = 10_000;
const STOP_IMMEDIATE_MS = 5_000;
const LOG_LINES_KEPT = 40;

/** A small footprint: no parallel, replication or I/O workers, and little shared memory. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '32MB',
  max_connections: '60',
  io_method: 'sync',
  max_parallel_workers: '0',
  max_logical_replication_workers: '0',
  max_wal_senders: '0',
  wal_level: 'minimal',
  autovacuum_max_workers: '1',
  autovacuum_worker_slots: '1',
  jit: 'off',
  huge_pages: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

interface Settings {
  readonly databaseDir: string;
  readonly account: PostgresAccount;
  readonly port?: number;
  readonly fsync: boolean;
  readonly logger: Logger;
}

/**
 * Makes a database, whole or not at all: in a folder beside its place, which is renamed at the end.
 * @throws EmbeddedPostgresError
 */
export async function initialiseCluster(
  initdb: string,
  databaseDir: string,
  account: PostgresAccount,
  password: string,
): Promise<void> {
  const suffix = randomBytes(6).toString('hex');
  const partial = `${databaseDir}.partial-${suffix}`;
  const passwordFile = join(tmpdir(), `.initdb-${suffix}`);
  try {
    await mkdir(partial, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
    if (account.ids) {
      await chown(partial, account.ids.uid, account.ids.gid);
      await chown(passwordFile, account.ids.uid, account.ids.gid);
    }
    const { code, output } = await runToEnd(initdb, initdbArguments(partial, passwordFile), account);
    if (code !== 0) {
      throw new EmbeddedPostgresError(
        `The database in ${databaseDir} could not be made: ${lastReason(output)}.`,
      );
    }
    await rename(partial, databaseDir);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(passwordFile, { force: true });
  }
}

function initdbArguments(folder: string, passwordFile: string): string[] {
  return [
    `--pgdata=${folder}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
}

/** A running server; its end is ours to bring about. */
export class PostgresProcess implements ServerProcess {
  private stopping: Promise<void> | undefined;

  private constructor(
    readonly child: ChildProcess,
    readonly port: number,
  ) {}

  /** Starts the server on a free port and resolves when it accepts connections. */
  static async start(postgres: string, settings: Settings): Promise<PostgresProcess> {
    const beganMs = performance.now();
    for (let portsTaken = 0; ;) {
      const port = settings.port ?? (await freePort());
      const { child, output } = await launch(postgres, port, settings);
      if (child) return new PostgresProcess(child, port);
      const says = (what: string) => output.some(line => line.includes(what));
      if (settings.port === undefined && says(PORT_TAKEN) && ++portsTaken < PORT_ATTEMPTS_MAX) continue;
      if (says(STILL_IN_USE) && performance.now() - beganMs < STILL_IN_USE_MS_MAX) {
        await delay(STILL_IN_USE_POLL_MS);
        continue;
      }
      throw new EmbeddedPostgresError(
        `Postgres does not start in ${settings.databaseDir}: ${lastReason(output)}.`,
      );
    }
  }

  stop(): Promise<void> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  private async end(): Promise<void> {
    const { child } = this;
    if (hasEnded(child)) return;
    const harder = setTimeout(() => child.kill('SIGQUIT'), STOP_FAST_MS);
    const hardest = setTimeout(() => child.kill('SIGKILL'), STOP_FAST_MS + STOP_IMMEDIATE_MS);
    child.kill('SIGINT');
    await exitOf(child);
    clearTimeout(harder);
    clearTimeout(hardest);
  }
}

function launch(
  postgres: string,
  port: number,
  settings: Settings,
): Promise<{ child?: ChildProcess; output: string[] }> {
  const flags = Object.entries({ ...SETTINGS, port: String(port), fsync: settings.fsync ? 'on' : 'off' });
  const args = ['-D', settings.databaseDir, ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  // A session of its own: a terminal's Ctrl-C reaches us alone, and we stop it when the services are drained.
  const child = spawn(postgres, args, {
    ...settings.account.ids,
    cwd: '/',
    env: environmentOfPostgres(),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  endWithUs(child, 'SIGINT');
  const output: string[] = [];
  return new Promise((resolve, reject) => {
    child.once('error', error =>
      reject(new EmbeddedPostgresError(`Postgres cannot be run: ${error.message}.`, { cause: error })),
    );
    // When all that it wrote is read.
    child.once('close', () => resolve({ output }));
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      for (const line of chunk.split('\n').filter(text => text !== '')) {
        output.push(line);
        if (output.length > LOG_LINES_KEPT) output.shift();
        logLine(line, settings.logger);
        if (line.includes(READY)) resolve({ child, output });
      }
    });
  });
}

/** Only what the server needs: our own environment may hold secrets. */
const environmentOfPostgres = () => ({ PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' });

function runToEnd(
  program: string,
  args: string[],
  account: PostgresAccount,
): Promise<{ code: number | null; output: string[] }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...account.ids,
      cwd: '/',
      env: environmentOfPostgres(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.once('error', error =>
      reject(new EmbeddedPostgresError(`${program} cannot be run: ${error.message}.`, { cause: error })),
    );
    child.once('close', code => resolve({ code, output: text.split('\n').filter(line => line !== '') }));
  });
}

function logLine(line: string, logger: Logger): void {
  if (/ (FATAL|PANIC): /.test(line)) logger.error({ postgres: line }, 'Postgres reports an error');
  else if (/ WARNING: /.test(line)) logger.warn({ postgres: line }, 'Postgres warns');
  else logger.debug({ postgres: line }, 'Postgres');
}

/** The last complaint of a program, without its time stamp. */
function lastReason(output: readonly string[]): string {
  const complaint = output.findLast(line => /(FATAL|PANIC|error|could not)/.test(line)) ?? output.at(-1);
  return (complaint ?? 'it said nothing')
    .replace(/^.*?(FATAL|PANIC|initdb: error): +/, '')
    .replace(/\.$/, '');
}

/** A TCP port on 127.0.0.1 that was free a moment ago; its taker must bear losing it to another. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no TCP port could be bound');
  return address.port;
}
