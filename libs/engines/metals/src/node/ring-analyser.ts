import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { RecordingError } from '../recording/recording.js';
import type { HeardRecording } from './heard-recording.js';
import type { RingReply, RingTask } from './ring-thread.js';

/** The built thread, from the sources as from the built package. */
const THREAD = new URL('../../dist/node/ring-thread.js', import.meta.url);
const THREADS_MAX = 2;
const WAITING_MAX = 32;
/** The longest recording takes a second; a thread that takes this long is ended. */
const HEAR_MS_MAX = 15_000;

/** A recording that was not listened to, for no fault of its own: try again later. */
export class RingAnalyserError extends Error {
  override readonly name = 'RingAnalyserError';

  constructor(
    readonly code: 'BUSY' | 'CLOSED' | 'TIME_LIMIT' | 'FAILED',
    message: string,
  ) {
    super(message);
  }
}

interface Waiting extends RingTask {
  readonly resolve: (heard: HeardRecording) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  running: (Waiting & { timer: NodeJS.Timeout }) | undefined;
}

/**
 * Listens to recordings in threads of its own: 20 s at 192 kHz would keep everybody else waiting for a second. Threads start
 * with the first recordings, stay warm, and do not keep the process alive.
 */
export class RingAnalyser {
  private readonly threads = new Set<Thread>();
  private readonly waiting: Waiting[] = [];
  private readonly threadsMax = Math.min(THREADS_MAX, availableParallelism());
  private closed = false;

  /**
   * @param tonesHz of a challenge that the recording answers
   * @throws RecordingError for what is wrong with the file
   * @throws RingAnalyserError where it was not listened to
   */
  hear(wav: Uint8Array, tonesHz?: readonly number[]): Promise<HeardRecording> {
    if (this.closed) return Promise.reject(closedError());
    if (this.waiting.length >= WAITING_MAX) {
      const message = `at most ${WAITING_MAX} recordings wait to be listened to`;
      return Promise.reject(new RingAnalyserError('BUSY', message));
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ wav, tonesHz, resolve, reject });
      this.dispatch();
    });
  }

  /** Ends the threads; what waits or is being listened to is refused as CLOSED. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { reject } of this.waiting.splice(0)) reject(closedError());
    await Promise.all([...this.threads].map(thread => this.end(thread, closedError())));
  }

  private dispatch(): void {
    while (this.waiting.length > 0) {
      const idle = [...this.threads].find(({ running }) => !running);
      const thread = idle ?? (this.threads.size < this.threadsMax ? this.start() : undefined);
      if (!thread) return;
      const { wav, tonesHz, ...settle } = this.waiting.shift() as Waiting;
      const late = new RingAnalyserError('TIME_LIMIT', `listening took longer than ${HEAR_MS_MAX} ms`);
      const timer = setTimeout(() => void this.end(thread, late), HEAR_MS_MAX);
      thread.running = { wav, tonesHz, ...settle, timer };
      thread.worker.ref();
      thread.worker.postMessage({ wav, tonesHz } satisfies RingTask);
    }
  }

  private start(): Thread {
    const worker = new Worker(THREAD, { execArgv: [] });
    const thread: Thread = { worker, running: undefined };
    const failed = (message: string) => void this.end(thread, new RingAnalyserError('FAILED', message));
    worker.on('message', (reply: RingReply) => this.settle(thread, reply));
    worker.on('error', error => failed(`a listening thread failed: ${error.message}`));
    worker.on('exit', code => failed(`a listening thread ended with code ${code}`));
    worker.unref();
    this.threads.add(thread);
    return thread;
  }

  private settle(thread: Thread, reply: RingReply): void {
    const { running } = thread;
    if (!running) return;
    thread.running = undefined;
    clearTimeout(running.timer);
    thread.worker.unref();
    if ('heard' in reply) running.resolve(reply.heard);
    else running.reject(new RecordingError(reply.fault.code, reply.fault.message, reply.fault.bound));
    this.dispatch();
  }

  /** A thread that was ended is replaced by the next recording. */
  private async end(thread: Thread, error: Error): Promise<void> {
    if (!this.threads.delete(thread)) return;
    const { running } = thread;
    thread.running = undefined;
    clearTimeout(running?.timer);
    running?.reject(error);
    this.dispatch();
    await thread.worker.terminate();
  }
}

const closedError = () => new RingAnalyserError('CLOSED', 'the analyser of rings was closed');
