import { FairQueue, NOBODYS_TURN, type Turn, type TurnOf } from '@svc/kernels/node';
import { availableParallelism } from 'node:os';
import { CertificateError } from '../certificate-error.js';
import {
  CERTIFICATE_FILE_BYTES_MAX,
  type CertificateInspection,
  type ExtractedCertificate,
} from '../extracted-certificate.js';
import {
  CertificateReaderBusyError,
  type ReaderBounds,
  ReaderProcess,
  type ReaderTask,
} from './reader-process.js';

/** As many files are read at a time; the rest waits. */
export const READER_PROCESSES_MAX = 8;

export interface CertificateReaderOptions extends Partial<ReaderBounds> {
  /** Processes that read, 1 … 8; default as many as there are cores, at most 2. */
  readonly processes?: number;
  /** Files of one caller that may wait for a process, where no other's do, 0 … 256; default 16. Of all, twice as many. */
  readonly queueMax?: number;
  /** Whose turn a file takes that comes now: callers take turns. */
  readonly turnOf?: TurnOf;
  /**
   * Longest wait for a process, 10 … 120,000; default 5,000. A file is refused rather than read for somebody who has gone: with
   * this and the longest reading, whoever asks knows when an answer is due.
   */
  readonly waitMsMax?: number;
}

/** Weight of the newest file in the running mean of the time that reading one takes. */
const NEWEST_WEIGHT = 0.3;

interface Waiting {
  readonly task: ReaderTask;
  readonly bytes: Uint8Array;
  readonly onTaken?: (ms: number) => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Ends the wait. */
  readonly timer: NodeJS.Timeout;
}

function bounded(name: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`${name} must be an integer in ${min}…${max}, got ${value}`);
}

/**
 * Reads certificate files, each in a process that knows nothing, may write nothing, and is ended when it takes too long or
 * too much memory. Processes start with the first file, stay warm, and do not keep the caller's process alive.
 *
 * @example
 * const reader = new CertificateReader();
 * const certificate = await reader.read(bytes);
 * await reader.close();
 */
export class CertificateReader {
  private readonly processes: ReaderProcess[];
  private readonly queueMax: number;
  private readonly waitMsMax: number;
  /** Inspections are short: those of files that are about to be paid for go before what is read, which others take turns with. */
  private readonly waiting: FairQueue<Waiting>;
  private readonly turnOf: TurnOf;
  /** What reading a file takes, as the files before have taught. */
  private readMs = 0;
  private closed = false;

  /** @throws RangeError for an option out of its range */
  constructor(options: CertificateReaderOptions = {}) {
    const count = options.processes ?? Math.min(2, availableParallelism());
    bounded('processes', count, 1, READER_PROCESSES_MAX);
    this.queueMax = bounded('queueMax', options.queueMax ?? 16, 0, 256);
    this.waiting = new FairQueue(this.queueMax);
    this.turnOf = options.turnOf ?? (() => NOBODYS_TURN);
    this.waitMsMax = bounded('waitMsMax', options.waitMsMax ?? 5_000, 10, 120_000);
    const bounds: ReaderBounds = {
      inspectMsMax: bounded('inspectMsMax', options.inspectMsMax ?? 4_000, 10, 120_000),
      readMsMax: bounded('readMsMax', options.readMsMax ?? 35_000, 10, 120_000),
      residentBytesMax: bounded('residentBytesMax', options.residentBytesMax ?? 2 ** 30, 2 ** 20, 2 ** 34),
    };
    this.processes = Array.from({ length: count }, () => new ReaderProcess(bounds));
  }

  /**
   * Whether it could be read, without reading it: a PDF that opens, of few enough pages, without scripts, files or
   * pictures that take too much.
   * @param onTaken is told how long a process took, milliseconds, whatever came of it
   * @throws CertificateError for what is wrong with the file
   * @throws CertificateReaderBusyError where it was not looked at
   */
  inspect(bytes: Uint8Array, onTaken?: (ms: number) => void): Promise<CertificateInspection> {
    return this.enqueue('inspect', bytes, onTaken) as Promise<CertificateInspection>;
  }

  /**
   * Reads the fields: from the form, from the text, or from the picture of the text.
   * @param onTaken as of {@link inspect}
   * @throws CertificateError for what is wrong with the file
   * @throws CertificateReaderBusyError where it was not looked at
   */
  read(bytes: Uint8Array, onTaken?: (ms: number) => void): Promise<ExtractedCertificate> {
    return this.enqueue('read', bytes, onTaken) as Promise<ExtractedCertificate>;
  }

  /** Ends the processes; whatever waits or is being read is refused as CLOSED. */
  async close(): Promise<void> {
    this.closed = true;
    const refusal = new CertificateReaderBusyError('CLOSED', 'the reader of certificates was closed');
    for (const { reject, timer } of this.waiting.clear()) {
      clearTimeout(timer);
      reject(refusal);
    }
    await Promise.all(this.processes.map(process => process.close(refusal)));
  }

  private async enqueue(
    task: ReaderTask,
    bytes: Uint8Array,
    onTaken?: (ms: number) => void,
  ): Promise<unknown> {
    if (this.closed) throw new CertificateReaderBusyError('CLOSED', 'the reader of certificates was closed');
    if (bytes.length === 0) throw new CertificateError('EMPTY', 'the file has no bytes');
    if (bytes.length > CERTIFICATE_FILE_BYTES_MAX) {
      const bound = { max: CERTIFICATE_FILE_BYTES_MAX, got: bytes.length };
      throw new CertificateError(
        'TOO_LARGE',
        `a file has at most ${bound.max} bytes, got ${bound.got}`,
        bound,
      );
    }
    const own = this.turnOf();
    const turn = { ...own, isFirst: own.isFirst && task === 'inspect' };
    this.requireRoom(turn);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.giveUp(entry), this.waitMsMax).unref();
      const entry: Waiting = { task, bytes, onTaken, resolve, reject, timer };
      this.waiting.push(entry, turn);
      this.dispatch();
    });
  }

  /**
   * Of a file that is about to be paid for, and is looked at before, a place is kept for its reading, and it is refused where that
   * would not begin in time. What is paid for is refused no more for want of a place.
   */
  private requireRoom(turn: Turn): void {
    const admitted = this.waiting.admits(turn);
    if (!admitted && !this.processes.some(process => process.isIdle)) {
      throw new CertificateReaderBusyError(
        'BUSY',
        `at most ${this.queueMax} files wait to be read`,
        this.queueMax,
        this.waiting.size + 1,
      );
    }
    if (turn.payment !== 'claiming' || !turn.isFirst) return;
    const ahead = [...this.waiting.ahead({ ...turn, isFirst: false })].filter(({ task }) => task === 'read');
    const waitMs = (ahead.length * this.readMs) / this.processes.length;
    if (waitMs <= this.waitMsMax) return this.waiting.keep(turn);
    const message = `${ahead.length} files are ahead, which take about ${Math.ceil(waitMs)} ms; at most ${this.waitMsMax} ms are waited`;
    throw new CertificateReaderBusyError('BUSY', message, this.waitMsMax, Math.ceil(waitMs));
  }

  /** Refuses a file that no process had time for. */
  private giveUp(entry: Waiting): void {
    if (!this.waiting.remove(entry)) return;
    const message = `no process was free to read the file within ${this.waitMsMax} ms`;
    entry.reject(new CertificateReaderBusyError('BUSY', message, this.waitMsMax));
  }

  private dispatch(): void {
    for (const process of this.processes) {
      if (!process.isIdle) continue;
      const next = this.waiting.shift();
      if (!next) return;
      clearTimeout(next.timer);
      const startedAt = performance.now();
      process
        .run(next.task, next.bytes)
        .finally(() => next.onTaken?.(performance.now() - startedAt))
        .then(value => {
          if (next.task === 'read') this.learn(performance.now() - startedAt);
          next.resolve(value);
        }, next.reject)
        .finally(() => this.dispatch());
    }
  }

  private learn(readMs: number): void {
    this.readMs = this.readMs === 0 ? readMs : this.readMs + NEWEST_WEIGHT * (readMs - this.readMs);
  }
}
