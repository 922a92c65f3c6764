import { spawn } from 'node:child_process';
import { SetupError } from './setup-error.mjs';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end with this process's terminal. Signals that reach this process alone are
 * passed on, so that no child is left behind.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string; env?: NodeJS.ProcessEnv; onOutput?: (text: string) => void; signal?: AbortSignal }} options
 *   with `onOutput` the child's stdout and stderr go to the callback instead of the terminal; `signal` ends it
 * @returns {Promise<number>} the exit code
 * @throws {SetupError} when the program cannot be started or was ended by a signal
 */
export function runChild(command, args, { cwd, env = process.env, onOutput, signal: ending }) {
  return new Promise((resolve, reject) => {
    const stdio = onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(command, args, { cwd, env, stdio });
    const forward = signal => child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    const stop = () => child.kill();
    ending?.addEventListener('abort', stop);
    if (ending?.aborted) stop();
    const settle = () => {
      FORWARDED.forEach(signal => process.off(signal, forward));
      ending?.removeEventListener('abort', stop);
    };
    for (const stream of onOutput ? [child.stdout, child.stderr] : []) {
      stream.setEncoding('utf8').on('data', onOutput);
    }
    child.once('error', error => {
      settle();
      reject(new SetupError(`${command} could not be started: ${error.message}.`));
    });
    child.once('close', (code, signal) => {
      settle();
      if (signal) reject(new SetupError(`${command} was ended by ${signal}.`, 130));
      else resolve(code);
    });
  });
}
