import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const CPU_TIME = new URL('./cpu-time.mjs', import.meta.url).href;
const START_MS_MAX = 60_000;
const POLL_MS = 50;

/**
 * How processes of the product set their allocators, which read it when a process begins: `npm start`, images and benchmarks alike. By
 * default glibc keeps a heap for each of up to eight threads a core, and from the first large body that is freed on it takes
 * later ones, up to 32 MiB, from those heaps and never gives them back. Two heaps, and blocks of 128 KiB and more by mmap, which are
 * given back: 250 MB less after a siege. Other C libraries do not look at it.
 *
 * V8 gives what is young 8 MiB twice, half of its default, and frees the buffers of requests as soon as that is full: 28 MB less in a
 * siege, at the same CPU a call.
 */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=8',
};

/**
 * A folder for the data of a product, which its caller removes. Under root Postgres runs as another user: where that cannot pass the
 * folder, its data lies elsewhere, and stays there.
 */
export function makeDataFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `svc-bench-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** A program with an HTTP server on a port of its own, whose processor time can be asked for. */
export class ServedProcess {
  #child;

  constructor(child, address) {
    this.#child = child;
    /** Where it listens, `http://127.0.0.1:41234`. */
    this.address = address;
    this.pid = child.pid;
  }

  /**
   * Starts a program on a free port, which it takes from PORT, and waits until it is ready. It ends with this process.
   *
   * @param {URL} program
   * @param {{ env?: Record<string, string>; ready?: string; flags?: readonly string[] }} options `ready` is a path whose answer is
   *   another than 5xx once the program is ready; `flags` are Node's
   * @throws Error where it ends before that, or takes longer than a minute
   */
  static async start(program, { env = {}, ready = '/', flags = [] } = {}) {
    const port = await freePort();
    const child = spawn(process.execPath, ['--import', CPU_TIME, ...flags, fileURLToPath(program)], {
      env: { ...process.env, ...env, PORT: String(port), BENCH_PROCESS: String(process.pid) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    process.once('exit', () => child.kill('SIGKILL'));
    const address = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(address + ready).then(
        ({ status }) => status < 500,
        () => false,
      );
    for (const beganMs = Date.now(); !(await isReady()); await delay(POLL_MS)) {
      if (child.exitCode !== null) throw new Error(`${program.pathname} ended with ${child.exitCode}`);
      if (Date.now() - beganMs > START_MS_MAX) throw new Error(`${program.pathname} is not ready in time`);
    }
    return new ServedProcess(child, address);
  }

  /** Processor time since its start, of all its threads; processes that it started are not in it. */
  async cpuMs() {
    this.#child.send({ ask: 'cpu time' });
    const [{ cpuMs }] = await once(this.#child, 'message');
    return cpuMs;
  }

  async stop() {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
