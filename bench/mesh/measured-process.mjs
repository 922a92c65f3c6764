import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process that is measured, from this one. */
export class MeasuredProcess {
  #child;
  #waiting = new Map();
  #asked = 0;
  address;

  /**
   * @param {'mesh' | 'edge' | 'peerserver' | 'bare'} name
   * @param {object} settings
   */
  static async start(name, settings = {}) {
    const started = new MeasuredProcess();
    const program = fileURLToPath(new URL('./process.mjs', import.meta.url));
    const child = fork(program, [name, JSON.stringify(settings)], { execArgv: ['--expose-gc'] });
    process.once('exit', () => child.kill('SIGKILL'));
    started.#child = child;
    started.address = await new Promise((resolve, reject) => {
      child.once('exit', code => reject(new Error(`the process ${name} ended with exit code ${code}`)));
      child.on('message', message => {
        if (message.ready) resolve(message.address);
        else started.#waiting.get(message.id)?.(message);
      });
    });
    return started;
  }

  #ask(message) {
    const id = ++this.#asked;
    return new Promise(resolve => {
      this.#waiting.set(id, answer => {
        this.#waiting.delete(id);
        resolve(answer);
      });
      this.#child.send({ ...message, id });
    });
  }

  /** CPU time since its start, of all its threads, and what it has in memory now. */
  usage() {
    return this.#ask({ ask: 'usage' });
  }

  /** The answer of the bare library. */
  async answer(sdpOffer) {
    return (await this.#ask({ ask: 'answer', sdpOffer })).sdpAnswer;
  }

  async stop() {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise(resolve => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/**
 * Runs work and says what it took of the processes.
 *
 * @param {readonly MeasuredProcess[]} processes
 * @param {() => Promise<void>} work
 * @returns {Promise<{ seconds: number; cpuSeconds: number }>} by the clock, and of all of their threads
 */
export async function measured(processes, work) {
  const cpuMs = async () =>
    (await Promise.all(processes.map(each => each.usage()))).reduce((sum, used) => sum + used.cpuMs, 0);
  const before = await cpuMs();
  const beganMs = performance.now();
  await work();
  const seconds = (performance.now() - beganMs) / 1e3;
  return { seconds, cpuSeconds: ((await cpuMs()) - before) / 1e3 };
}

/** Does something `count` times, `width` of them at once. @returns {Promise<number[]>} what each took, milliseconds, sorted */
export async function repeat(count, width, one) {
  const tookMs = [];
  let next = 0;
  const run = async lane => {
    while (next < count) {
      const i = next++;
      const beganMs = performance.now();
      await one(i, lane);
      tookMs.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: width }, (_, lane) => run(lane)));
  return tookMs.sort((a, b) => a - b);
}

/** The value that a share of sorted ones is below. */
export const quantile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
