import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '../src/cli/run.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMMAND = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url));

/**
 * Children run what is built, as users do; a suite that starts them asks here first.
 * @throws {Error} where a package is not built, or changed since
 */
export async function mustBeBuilt(): Promise<void> {
  const outputs = (await import(join(ROOT, 'tools/setup/outputs.mjs'))) as {
    typescriptIsStale(root: string): boolean;
  };
  if (outputs.typescriptIsStale(ROOT))
    throw new Error('What is built is missing or older than its source: npm run build');
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** What is typed in. */
  readonly input?: string;
  readonly environment?: Record<string, string>;
  /** Ctrl-C is pressed when this settles. */
  readonly interrupt?: Promise<void>;
}

/** Runs one `svc` command to its end. */
export type Svc = (args: readonly string[], options?: RunOptions) => Promise<Ended>;

/** As a shell runs it: a process of its own, of what is built. */
export const svcAsProcess: Svc = (args, { input = '', environment = {}, interrupt } = {}) => {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { PATH: process.env['PATH'], NO_COLOR: '1', ...environment },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', text => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', text => (stderr += text));
  child.stdin.end(input);
  void interrupt?.then(() => child.kill('SIGINT'));
  return new Promise(resolve => child.on('close', code => resolve({ code, stdout, stderr })));
};

/** The same command in this process, of its source. */
export const svcInProcess: Svc = async (args, { input = '', environment = {}, interrupt } = {}) => {
  const interruption = new AbortController();
  void interrupt?.then(() => interruption.abort(new Error('interrupted')));
  let [stdout, stderr] = ['', ''];
  const code = await run({
    arguments: args,
    environment: { NO_COLOR: '1', ...environment },
    streams: {
      stdin: Readable.from([Buffer.from(input)]),
      stdout: { write: text => (stdout += text) },
      stderr: { write: text => (stderr += text) },
    },
    signal: interruption.signal,
  });
  return { code, stdout, stderr };
};

/** The first call of each of these verbs as a process, all others in this one. */
export function svcOnceAsProcess(verbs: readonly string[]): Svc {
  const left = new Set(verbs);
  return (args, options) => (left.delete(args[0]) ? svcAsProcess : svcInProcess)(args, options);
}
