import { ThreadTasks, ThreadTasksError, type TurnOf } from '@svc/kernels/node';
import { RecordingError } from '@svc/recording';
import type { HeardRecording } from './heard-recording.js';
import type { RingReply, RingTask } from './ring-thread.js';

/** A recording that was not listened to, for no fault of its own: try again later. */
export class RingAnalyserError extends Error {
  override readonly name = 'RingAnalyserError';

  constructor(
    readonly code: ThreadTasksError['code'] | 'AWAY',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Listens to recordings in threads of their own: 20 s at 192 kHz would keep everybody else waiting for a second. */
export class RingAnalyser {
  private readonly threads: ThreadTasks<RingTask, RingReply>;

  private readonly ffmpeg: string | undefined;

  /**
   * @param options.turnOf tells for whom a recording is listened to, who take turns
   * @param options.ffmpeg the path of an ffmpeg, for formats that are not decoded here
   */
  constructor({ turnOf, ffmpeg }: { readonly turnOf?: TurnOf; readonly ffmpeg?: string } = {}) {
    this.ffmpeg = ffmpeg;
    this.threads = new ThreadTasks({
      /** The built thread, from the sources as from the built package. */
      thread: new URL('../../dist/node/ring-thread.js', import.meta.url),
      tasks: 'recordings',
      threadsMax: 2,
      waitingMax: 32,
      /** The longest recording takes a second. */
      taskMsMax: 15_000,
      turnOf,
    });
  }

  /**
   * @param tonesHz of a challenge that the recording answers
   * @throws RecordingError for what is wrong with the file
   * @throws RingAnalyserError where it was not listened to
   */
  async hear(file: Uint8Array, tonesHz?: readonly number[]): Promise<HeardRecording> {
    const reply = await this.threads.run({ file, tonesHz, ffmpeg: this.ffmpeg }).catch(notHeard);
    if ('heard' in reply) return reply.heard;
    if ('away' in reply) throw new RingAnalyserError('AWAY', reply.away);
    throw new RecordingError(reply.fault.code, reply.fault.message, reply.fault.bound);
  }

  /** Ends the threads; what waits or is being listened to is refused as CLOSED. */
  close(): Promise<void> {
    return this.threads.close();
  }
}

function notHeard(error: unknown): never {
  if (!(error instanceof ThreadTasksError)) throw error;
  throw new RingAnalyserError(error.code, error.message, { cause: error });
}
