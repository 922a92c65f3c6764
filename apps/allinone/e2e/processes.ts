import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Root of the checkout. */
export const workspace = resolve(import.meta.dirname, '../../..');
const WAIT_MS = 45_000;
const POLL_MS = 25;

/** A program in a process of its own. */
export class Program {
  output = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<number | string>;

  constructor(command: string, args: string[], env: Record<string, string>) {
    const { PATH = '' } = process.env;
    this.child = spawn(command, args, { cwd: workspace, env: { PATH, ...env } });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (this.output += chunk));
    }
    this.exited = new Promise(done =>
      this.child.once('close', (code, signal) => done(code ?? signal ?? 'gone')),
    );
  }

  get pid(): number {
    return this.child.pid!;
  }

  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves with the exit code, or the signal that ended it. */
  async exit(): Promise<number | string> {
    const late = setTimeout(() => this.child.kill('SIGKILL'), WAIT_MS);
    const code = await this.exited;
    clearTimeout(late);
    return code;
  }

  /** Ends it whatever its state, its children with it: for the clean-up of a test. */
  async end(): Promise<void> {
    if (!this.hasExited) this.child.kill('SIGTERM');
    await this.exit();
  }

  /** Resolves with the match when the output has one; rejects when the process ends without. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    await until(
      () => pattern.test(this.output) || this.hasExited,
      () => `${pattern} in:\n${this.output}`,
    );
    const match = pattern.exec(this.output);
    if (!match) throw new Error(`it ended without saying ${pattern}:\n${this.output}`);
    return match;
  }
}

/** A program of ours. */
export class AppProcess extends Program {
  /** @param app folder name in apps/ */
  constructor(app: string, env: Record<string, string>, args: string[] = []) {
    const main = resolve(workspace, 'apps', app, 'dist/main.js');
    if (!existsSync(main)) throw new Error('The packages are not built: run `npm run build`.');
    super(process.execPath, [main, ...args], env);
  }
}

/** Polls until it holds. */
export async function until(holds: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  const deadlineMs = Date.now() + WAIT_MS;
  while (!(await holds())) {
    if (Date.now() > deadlineMs) throw new Error(`waited ${WAIT_MS} ms for ${what()}`);
    await new Promise(next => setTimeout(next, POLL_MS));
  }
}

/** Status of a GET, or 0 when nobody answers. */
export async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

export const untilStatus = (url: string, status: number) =>
  until(
    async () => (await statusOf(url)) === status,
    () => `${status} from ${url}`,
  );

/** Command lines of all running processes that hold the text: what a run left behind. */
export async function processesWith(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  // One that has ended and waits to be asked for its exit code has no command line any more.
  const lines = await Promise.all(
    pids.map(async pid => `${pid} ${(await ofProcess(pid, 'cmdline')).replaceAll('\0', ' ').trim()}`),
  );
  return lines.filter(line => line.includes(text));
}

/** Resident memory of processes, bytes. One that is gone by now, as a session of Postgres may be, is left out. */
export async function residentBytes(pids: readonly number[]): Promise<number[]> {
  const sizes = await Promise.all(
    pids.map(async pid => /^VmRSS:\s*(\d+) kB$/m.exec(await ofProcess(pid, 'status'))?.[1]),
  );
  return sizes.flatMap(size => (size === undefined ? [] : Number(size) * 1_024));
}

/** A file of a process in /proc, empty where it is gone by now. */
const ofProcess = (pid: number | string, file: string) =>
  readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
