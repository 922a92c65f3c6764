import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const LISTENING = /Listening on (127\.0\.0\.1:\d+)/;
const START_MS_MAX = 20_000;
const END_MS_MAX = 5_000;
const POLL_MS = 20;
const OUTPUT_KEPT = 4_000;
/** Past states, of which nobody asks; anvil writes thousands of them to the disk otherwise, a MiB each. */
const STATES_KEPT = 32;

export interface AnvilOrder {
  readonly binary: string;
  /** Folder that it may write into; part of its command line, by which a left-over one is known. */
  readonly home: string;
  readonly chainId: number;
  /** How many accounts of the well-known test mnemonic have money for gas. */
  readonly accounts: number;
  /** A state that was dumped before, to go on from. */
  readonly stateFile?: string;
}

/** anvil does not start; the message has its own last words. */
export class AnvilError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AnvilError';
  }
}

/** A running anvil, on loopback. */
export class AnvilProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly pidFile: string,
    readonly rpcUrl: string,
  ) {}

  get pid(): number {
    return this.child.pid!;
  }

  /**
   * Starts it and resolves when it listens; one that a killed run left behind in the same folder is ended first.
   * @throws AnvilError
   */
  static async start(order: AnvilOrder): Promise<AnvilProcess> {
    const pidFile = join(order.home, 'anvil.pid');
    await endLeftOver(pidFile, order.home);
    // A session of its own: a terminal's Ctrl-C reaches us alone, and we end it when the services are drained.
    const child = spawn(order.binary, argumentsOf(order), {
      cwd: order.home,
      // Only what it needs: our own environment may hold secrets. It keeps its caches in its home.
      env: { HOME: order.home, PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const end = () => void child.kill('SIGTERM');
    process.once('exit', end);
    child.once('exit', () => process.removeListener('exit', end));
    const address = await listening(child);
    await writeFile(pidFile, String(child.pid), { mode: 0o600 });
    return new AnvilProcess(child, pidFile, `http://${address}`);
  }

  async end(): Promise<void> {
    const { child } = this;
    if (!hasEnded(child)) {
      const harder = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX);
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      clearTimeout(harder);
    }
    await rm(this.pidFile, { force: true });
  }
}

function argumentsOf({ home, chainId, accounts, stateFile }: AnvilOrder): string[] {
  return [
    ...['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId)],
    ...['--accounts', String(accounts), '--threads', '1', '--cache-path', join(home, 'cache')],
    ...['--prune-history', String(STATES_KEPT)],
    // No page in a browser may speak with it.
    '--no-cors',
    ...(stateFile === undefined ? [] : ['--load-state', stateFile]),
  ];
}

/** The address that anvil says it listens on. */
async function listening(child: ChildProcess): Promise<string> {
  const timeout = setTimeout(() => child.kill('SIGKILL'), START_MS_MAX);
  try {
    return await new Promise((resolve, reject) => {
      let output = '';
      const hear = (chunk: string) => {
        output = (output + chunk).slice(-OUTPUT_KEPT);
        const address = LISTENING.exec(output)?.[1];
        if (address !== undefined) resolve(address);
      };
      child.stdout!.setEncoding('utf8').on('data', hear);
      child.stderr!.setEncoding('utf8').on('data', hear);
      child.once('error', error => reject(new AnvilError(`anvil cannot be run: ${error.message}`)));
      child.once('exit', () => {
        const last = output.trim().split('\n').at(-1) ?? '';
        reject(new AnvilError(`anvil does not start: ${last === '' ? 'it said nothing' : last}`));
      });
    });
  } finally {
    clearTimeout(timeout);
    // What it says from now on is not kept, but must be read.
    child.stdout!.removeAllListeners('data').resume();
    child.stderr!.removeAllListeners('data').resume();
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function endLeftOver(pidFile: string, home: string): Promise<void> {
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  // A stranger with its number is not touched.
  if (!(pid > 1) || !(await commandLineOf(pid)).includes(home)) return;
  process.kill(pid, 'SIGKILL');
  const deadlineMs = Date.now() + END_MS_MAX;
  while (Date.now() < deadlineMs && (await commandLineOf(pid)).includes(home)) await delay(POLL_MS);
}

async function commandLineOf(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  } catch {
    return promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).then(
      ({ stdout }) => stdout,
      () => '',
    );
  }
}
