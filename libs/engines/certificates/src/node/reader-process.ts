import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { CertificateError, type CertificateErrorCode } from '../certificate-error.js';

/** The same file from the sources and from the built package; it loads what was built. */
const ENTRY = new URL('../../worker/certificate-worker.mjs', import.meta.url);
/** How often the memory of a busy process is looked at. */
const MEMORY_WATCH_MS = 25;
/** A process is made anew after as many files, so that what leaks in the libraries it loads has an end. */
const FILES_PER_PROCESS_MAX = 200;
/** One that has grown to so much of its bound is made anew too: the next file would be refused for what this one left. */
const GROWN_SHARE = 0.7;
/** JavaScript's own heap; pictures and the recogniser's memory lie outside it. */
const HEAP_MIB_MAX = 512;
const NICENESS = 10;

/** Of its time, so much of a processor a file must have had to be refused for it: what had less waited for others. */
const OWN_SHARE = 0.6;
/** A file that a busy machine gives less goes on for so long, and is looked at so often. */
const WAIT_BEYOND_MS = 4_000;
const LATE_WATCH_MS = 100;
/** Of the times in `/proc/<pid>/stat`, as Linux gives them to programs. */
const MS_PER_TICK = 10;

/** More files wait than may, the machine has no time for this one, or the reader was closed: no fault of the file; try again later. */
export class CertificateReaderBusyError extends Error {
  override readonly name = 'CertificateReaderBusyError';

  constructor(
    readonly code: 'BUSY' | 'CLOSED',
    message: string,
    readonly max?: number,
    readonly got?: number,
  ) {
    super(message);
  }
}

export type ReaderTask = 'inspect' | 'read';

/** What one file may take: its time is of the wall where it has the processor for most of it. */
export interface ReaderBounds {
  readonly inspectMsMax: number;
  readonly readMsMax: number;
  /** Memory of the whole process, on Linux; elsewhere the heap alone is bounded. */
  readonly residentBytesMax: number;
}

/** What the process says: that it stands, and what came of a file. */
export type ReaderReply =
  | { readonly ready: true }
  | { readonly id: number; readonly value: unknown }
  | {
      readonly id: number;
      readonly error: { code: CertificateErrorCode; message: string; max?: number; got?: number };
    };

interface Running {
  readonly id: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  timer: NodeJS.Timeout;
  readonly watch: NodeJS.Timeout;
}

/** Bytes of memory that a process holds, or undefined where the system does not say. */
async function residentBytesOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status);
  return kib ? Number(kib[1]) * 1024 : undefined;
}

/** Milliseconds of processors that a process has had, all its threads together; undefined where the system does not say. */
async function processorMsOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name, which may hold anything: the 12th and 13th are of user and of system.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks * MS_PER_TICK : undefined;
}

/** One process that reads one file at a time; it is started when there is a file, and anew after it was ended. */
export class ReaderProcess {
  private child: ChildProcess | undefined;
  private running: Running | undefined;
  private isTaken = false;
  private files = 0;
  /** As it was last looked at. */
  private residentBytes = 0;
  private stands = false;
  private lastId = 0;

  constructor(private readonly bounds: ReaderBounds) {}

  get isIdle(): boolean {
    return !this.isTaken;
  }

  /**
   * A file is refused for the memory that it takes itself: one that goes beyond the bound in a process that has read others is
   * read once more in a fresh one, within the time that it has left.
   *
   * @throws CertificateError as the process says, or for the bound that ended it
   */
  async run(task: ReaderTask, bytes: Uint8Array): Promise<unknown> {
    const msMax = task === 'read' ? this.bounds.readMsMax : this.bounds.inspectMsMax;
    const wasUsed = this.child !== undefined && this.files > 0;
    const begunMs = performance.now();
    this.isTaken = true;
    try {
      return await this.runOnce(task, bytes, msMax, msMax);
    } catch (error) {
      if (!wasUsed || !(error instanceof CertificateError) || error.code !== 'MEMORY_LIMIT') throw error;
      return await this.runOnce(task, bytes, msMax, msMax - (performance.now() - begunMs));
    } finally {
      this.isTaken = false;
    }
  }

  private runOnce(task: ReaderTask, bytes: Uint8Array, msMax: number, msLeft: number): Promise<unknown> {
    const child = (this.child ??= this.start());
    const id = ++this.lastId;
    this.files++;
    return new Promise((resolve, reject) => {
      const before = processorMsOf(child.pid ?? 0);
      const late = () => void this.onLate(id, { child, msMax, before, lateMs: performance.now() });
      const timer = setTimeout(late, Math.max(0, msLeft));
      const watch = setInterval(() => void this.checkMemory(child), MEMORY_WATCH_MS);
      this.running = { id, resolve, reject, timer, watch };
      child.ref();
      child.channel?.ref();
      child.send({ id, task, bytes }, error => {
        if (error) this.end(new CertificateError('BROKEN', 'the file could not be handed to its reader'));
      });
    });
  }

  /** A file is refused for its time once it has had most of that; until then it goes on a little, and then is no fault of its own. */
  private async onLate(
    id: number,
    late: { child: ChildProcess; msMax: number; before: Promise<number | undefined>; lateMs: number },
  ): Promise<void> {
    const { child, msMax, lateMs } = late;
    const [before, now] = [await late.before, await processorMsOf(child.pid ?? 0)];
    if (this.running?.id !== id) return;
    const had = before === undefined || now === undefined ? msMax : now - before;
    if (had >= OWN_SHARE * msMax) {
      this.end(new CertificateError('TIME_LIMIT', `the file takes longer than ${msMax} ms`, { max: msMax }));
    } else if (performance.now() - lateMs > WAIT_BEYOND_MS) {
      const message = `the machine had ${had} ms for the file in ${msMax + WAIT_BEYOND_MS}`;
      this.end(new CertificateReaderBusyError('BUSY', message));
    } else {
      this.running.timer = setTimeout(() => void this.onLate(id, late), LATE_WATCH_MS);
    }
  }

  /** Ends the process, and what it is doing with `reason`. */
  async close(reason: Error): Promise<void> {
    const { child } = this;
    const ended =
      child && child.exitCode === null && child.signalCode === null
        ? new Promise<void>(resolve => child.once('exit', () => resolve()))
        : undefined;
    this.end(reason);
    // An idle one does not keep its caller running, who would end before this is done.
    child?.ref();
    await ended;
  }

  private start(): ChildProcess {
    const child = fork(ENTRY, [], {
      // Nothing of the caller's: neither secrets of its environment nor its working directory.
      env: {},
      cwd: '/',
      execArgv: [`--max-old-space-size=${HEAP_MIB_MAX}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    lower(child);
    this.files = 0;
    this.residentBytes = 0;
    this.stands = false;
    child.on('message', (reply: ReaderReply) => this.onReply(child, reply));
    child.on('error', () => this.onExit(child, null));
    child.on('exit', (_code, signal) => this.onExit(child, signal));
    return child;
  }

  private onReply(child: ChildProcess, reply: ReaderReply): void {
    const { running } = this;
    if (child !== this.child) return;
    if ('ready' in reply) {
      this.stands = true;
      return;
    }
    if (!running || running.id !== reply.id) return;
    this.settle();
    if (this.isWorn) this.kill();
    if ('error' in reply) {
      const { code, message, max, got } = reply.error;
      running.reject(new CertificateError(code, message, { max, got }));
    } else running.resolve(reply.value);
  }

  private onExit(child: ChildProcess, signal: NodeJS.Signals | null): void {
    if (child !== this.child) return;
    if (!this.stands) {
      this.end(new Error(`the process that reads certificates does not start (${signal ?? 'it ended'})`));
      return;
    }
    this.end(
      // V8 aborts when its heap is full.
      signal === 'SIGABRT'
        ? new CertificateError('MEMORY_LIMIT', 'the file takes more memory than a certificate does')
        : new CertificateError('BROKEN', 'the process that read the file ended over it'),
    );
  }

  private get isWorn(): boolean {
    const { files, residentBytes, bounds } = this;
    return files >= FILES_PER_PROCESS_MAX || residentBytes > GROWN_SHARE * bounds.residentBytesMax;
  }

  private async checkMemory(child: ChildProcess): Promise<void> {
    const got = await residentBytesOf(child.pid ?? 0);
    const max = this.bounds.residentBytesMax;
    if (child !== this.child || !this.running || got === undefined) return;
    this.residentBytes = got;
    if (got <= max) return;
    this.end(
      new CertificateError('MEMORY_LIMIT', `the file takes more than ${max} bytes of memory`, { max, got }),
    );
  }

  private end(reason: Error): void {
    const { running } = this;
    this.settle();
    this.kill();
    running?.reject(reason);
  }

  private kill(): void {
    const { child } = this;
    this.child = undefined;
    child?.kill('SIGKILL');
  }

  private settle(): void {
    if (!this.running) return;
    clearTimeout(this.running.timer);
    clearInterval(this.running.watch);
    this.running = undefined;
    this.child?.unref();
    this.child?.channel?.unref();
  }
}

/** Files come from anybody: event loops, which answer everybody, and proofs that were paid for go first. */
function lower({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // It is gone, or the system lets nobody change that: it reads at the usual priority.
  }
}
