import { Worker } from 'node:worker_threads';

const WORKER_URL = new URL('../../worker/spiking-worker.mjs', import.meta.url);

/** A kernel trapped, or a thread ended before its work did: the run has no result. */
export class SpikingThreadError extends Error {
  override readonly name = 'SpikingThreadError';

  constructor(
    readonly code: 'SPIKING_THREAD_FAILED' | 'SPIKING_BUSY' | 'SPIKING_CLOSED',
    message: string,
  ) {
    super(message);
  }
}

interface Reply {
  readonly error?: string;
}

interface Seat {
  readonly worker: Worker;
  /** Ends the wait of the run that the thread works for. */
  settle?: (error?: SpikingThreadError) => void;
}

/** Threads that wait between runs. They do not keep the process alive; a lost one is replaced by the next run. */
export class SpikingThreads {
  private seats: Seat[] = [];
  private niceness = 0;

  /** Number of threads that are there, waiting or at work. */
  get size(): number {
    return this.seats.length;
  }

  /**
   * Gives a job to each of so many threads. Resolves when all of them are done with it and hold nothing of it any more.
   * @param onFailure called as soon as one of them fails, so that the others can be told to end
   */
  async run(jobs: readonly object[], niceness: number, onFailure: () => void): Promise<void> {
    if (niceness !== this.niceness) await this.close();
    this.niceness = niceness;
    while (this.seats.length < jobs.length) this.seats.push(this.start());
    const used = this.seats.slice(0, jobs.length);
    const errors: SpikingThreadError[] = [];
    await Promise.all(
      used.map(
        (seat, k) =>
          new Promise<void>(resolve => {
            seat.settle = error => {
              seat.settle = undefined;
              seat.worker.unref();
              if (error) errors.push(error);
              if (error) onFailure();
              resolve();
            };
            seat.worker.ref();
            seat.worker.postMessage(jobs[k]);
          }),
      ),
    );
    if (errors.length > 0) throw errors[0];
  }

  async close(): Promise<void> {
    await Promise.all(this.seats.map(({ worker }) => worker.terminate()));
  }

  private start(): Seat {
    const worker = new Worker(WORKER_URL, { workerData: { niceness: this.niceness } });
    const seat: Seat = { worker };
    const fail = (message: string): void => {
      this.seats = this.seats.filter(other => other !== seat);
      seat.settle?.(new SpikingThreadError('SPIKING_THREAD_FAILED', message));
    };
    worker.on('message', ({ error }: Reply) =>
      seat.settle?.(
        error === undefined
          ? undefined
          : new SpikingThreadError('SPIKING_THREAD_FAILED', `a kernel trapped: ${error}`),
      ),
    );
    worker.on('error', error => fail(`a thread failed: ${error.message}`));
    worker.on('exit', code => fail(`a thread ended with code ${code}`));
    worker.unref();
    return seat;
  }
}
