import { type ChildProcess, execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const EXIT_POLL_MS = 20;

/** A process, told apart from a later one with the same number by when it started. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; empty where the system does not tell. */
  readonly startedAt: string;
}

export async function processIdentity(pid: number): Promise<ProcessIdentity> {
  return { pid, startedAt: await startOf(pid) };
}

/** Whether that very process still runs; a zombie does not. */
export async function isSameProcess(process: ProcessIdentity): Promise<boolean> {
  if (!isAlive(process.pid)) return false;
  return (await startOf(process.pid)) === process.startedAt;
}

/** The command line of a running process, its arguments separated by spaces; empty when it is gone. */
export async function commandLineOf(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  } catch {
    return ps(pid, 'command=');
  }
}

/**
 * Ends a process that an earlier run left behind, and waits until it is gone.
 * @param marker part of its command line, so that a stranger with its number is never touched
 */
export async function endLeftover(pid: number, marker: string, gracefulMs: number): Promise<boolean> {
  if (!isAlive(pid) || !(await commandLineOf(pid)).includes(marker)) return false;
  const leftover = await processIdentity(pid);
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    signalIfAlive(pid, signal);
    const deadlineMs = Date.now() + gracefulMs;
    while (Date.now() < deadlineMs) {
      if (!(await isSameProcess(leftover))) return true;
      await delay(EXIT_POLL_MS);
    }
  }
  throw new Error(`process ${pid} of an earlier run does not end`);
}

/** Has a child ended, also when this process exits in a hurry: nothing but SIGKILL leaves it behind. */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  const end = () => void child.kill(signal);
  process.once('exit', end);
  child.once('exit', () => process.removeListener('exit', end));
}

/** Sends a signal to a process that may be gone by now. */
export function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** On Linux field 22 of /proc/pid/stat (clock ticks since boot), elsewhere what `ps` says. */
async function startOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'zombie' : fields[19];
  } catch {
    return ps(pid, 'lstart=');
  }
}

async function ps(pid: number, column: string): Promise<string> {
  try {
    return (await run('ps', ['-o', column, '-p', String(pid)])).stdout.trim();
  } catch {
    return '';
  }
}
