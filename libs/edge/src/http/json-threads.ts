import { ThreadTasks, ThreadTasksError } from '@svc/kernels/node';
import { problem, queueTurn, runInTurn } from '@svc/platform';
import type { JsonThreadReply } from './json-text.js';

/** The built thread, from the sources as from the built package. */
const THREAD = new URL('../../dist/http/json-text.js', import.meta.url);
/** Bodies of one caller that wait, where no other's do; of all, twice as many. Their bytes are bounded beside. */
const WAITING_MAX = 32;
/** The longest body takes a tenth of a second. */
const READ_MS_MAX = 10_000;

/**
 * Reads long JSON texts away from the event loop. What comes back is copied, which takes little: its values are bounded, and
 * strings are copied as they lie.
 */
export class JsonThreads {
  private readonly tasks: ThreadTasks<Uint8Array, JsonThreadReply>;

  constructor({ thread = THREAD, threadsMax = 2, waitingMax = WAITING_MAX } = {}) {
    const bounds = { threadsMax, waitingMax, taskMsMax: READ_MS_MAX };
    this.tasks = new ThreadTasks({ thread, tasks: 'bodies', ...bounds, turnOf: queueTurn });
  }

  /**
   * @param body is handed over: its bytes are gone for the caller
   * @param subject whose body it is: callers take turns
   * @throws ProblemError OVERLOADED where too many bodies wait, or the thread was lost
   */
  async read(body: Buffer, subject: string): Promise<JsonThreadReply> {
    const own = body.byteLength === body.buffer.byteLength ? body : Buffer.from(body);
    const bytes = new Uint8Array(own.buffer, own.byteOffset, own.byteLength);
    try {
      const transfer = [bytes.buffer as ArrayBuffer];
      // What it pays with has not been looked at.
      return await runInTurn({ subject, standing: 'later' }, () => this.tasks.run(bytes, transfer));
    } catch (error) {
      if (!(error instanceof ThreadTasksError)) throw error;
      throw problem('OVERLOADED', 'Too many long bodies are being read; nothing was taken for this one', {
        retryAfterSeconds: 1,
        cause: error,
      });
    }
  }

  close(): Promise<void> {
    return this.tasks.close();
  }
}
