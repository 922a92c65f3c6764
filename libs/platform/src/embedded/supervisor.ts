import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

const WAIT_FIRST_MS = 250;
const WAIT_MAX_MS = 5_000;
/** A server that lived shorter than this did not start well. */
const STEADY_MS = 5_000;
const FAILURES_MAX = 10;

/** How long to wait before the next start, after that many failures in a row. */
const growingWaitMs = (failures: number) => Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** failures);

/** A child process that is up. */
export interface ServerProcess {
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/**
 * Keeps a server up: one that ends without having been stopped is started again after a wait that
 * grows from 0.25 s to 5 s. Ten failures in a row end the supervision with a log line at fatal.
 */
export class Supervisor {
  private readonly ended = new AbortController();
  private readonly watching: Promise<void>;
  private stopping: Promise<void> | undefined;

  /**
   * @param restart starts the server anew where clients expect it: the same port and the same data;
   *   without it, a server that dies stays down
   */
  constructor(
    private readonly name: string,
    private server: ServerProcess,
    restart: (() => Promise<ServerProcess>) | undefined,
    private readonly logger: Logger,
    private readonly waitMs = growingWaitMs,
  ) {
    this.watching = restart ? this.watch(restart) : Promise.resolve();
  }

  /** Of the server that runs now, or ran last. */
  get pid(): number {
    return this.server.child.pid!;
  }

  /** Ends the supervision, then the server; one that is just being started is waited for. */
  stop(): Promise<void> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  private async end(): Promise<void> {
    this.ended.abort();
    // A server that was stopped ends, and so does the watch over it; one that is restarted comes up first.
    await this.server.stop();
    await this.watching;
    await this.server.stop();
  }

  private async watch(restart: () => Promise<ServerProcess>): Promise<void> {
    const { signal } = this.ended;
    for (let failures = 0; failures < FAILURES_MAX; failures++) {
      if (signal.aborted) return;
      const sinceMs = performance.now();
      const { child } = this.server;
      await exitOf(child);
      if (signal.aborted) return;
      this.logger.error(
        { code: child.exitCode, signal: child.signalCode },
        `${this.name} ended without having been stopped`,
      );
      if (performance.now() - sinceMs > STEADY_MS) failures = 0;
      while (!(await this.startAgain(restart, failures))) {
        if (signal.aborted) return;
        if (++failures === FAILURES_MAX) break;
      }
    }
    this.logger.fatal(`${this.name} does not stay up; it is not started again`);
  }

  private async startAgain(restart: () => Promise<ServerProcess>, failures: number): Promise<boolean> {
    try {
      await delay(this.waitMs(failures), undefined, { signal: this.ended.signal });
      this.server = await restart();
    } catch (error) {
      if (!this.ended.signal.aborted)
        this.logger.error({ reason: (error as Error).message }, `${this.name} does not start again`);
      return false;
    }
    this.logger.warn({ pid: this.pid }, `${this.name} runs again`);
    return true;
  }
}

export const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/** Resolves when the process is gone. */
export function exitOf(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return Promise.resolve();
  return new Promise(resolve => child.once('exit', () => resolve()));
}
