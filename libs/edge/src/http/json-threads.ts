import { ThreadTasks, ThreadTasksError } from '@svc/kernels/node';
import { type CallerTurn, problem, queueTurn, runInTurn } from '@svc/platform';
import {
  type JsonReading,
  type JsonThreadReply,
  type JsonThreadTask,
  readingCostOf,
  shapeFaultOf,
} from './json-text.js';

/** The built thread, from the sources as from the built package. */
const THREAD = new URL('../../dist/http/json-text.js', import.meta.url);
/** Bodies of one caller that wait, where no other's do; of all, twice as many. Their bytes are bounded beside. */
const WAITING_MAX = 32;
/** The longest body takes a tenth of a second. */
const READ_MS_MAX = 10_000;

/**
 * Reads long JSON texts away from the event loop. A value is copied back to it, which takes as long as its members and values do:
 * so what a text will cost is told, and may be refused, before it is parsed.
 */
export class JsonThreads {
  private readonly tasks: ThreadTasks<JsonThreadTask, JsonThreadReply>;

  constructor({ thread = THREAD, threadsMax = 2, waitingMax = WAITING_MAX } = {}) {
    const bounds = { threadsMax, waitingMax, taskMsMax: READ_MS_MAX };
    this.tasks = new ThreadTasks({ thread, tasks: 'bodies', ...bounds, turnOf: queueTurn });
  }

  /**
   * @param body is handed over: its bytes are gone for the caller
   * @param subject whose body it is: callers take turns
   * @param take is told what reading it takes, in values; where it rejects, it is not read
   * @throws ProblemError OVERLOADED where too many bodies wait, or the thread was lost; what `take` rejects with
   */
  async read(body: Buffer, subject: string, take: (values: number) => Promise<void>): Promise<JsonReading> {
    const own = body.byteLength === body.buffer.byteLength ? body : Buffer.from(body);
    const text = new Uint8Array(own.buffer as ArrayBuffer, own.byteOffset, own.byteLength);
    const looked = (await this.ask(
      { bytes: text },
      { subject, standing: 'later' },
    )) as Required<JsonThreadTask>;
    await take(readingCostOf(looked.shape));
    const fault = shapeFaultOf(looked.shape);
    if (fault) return fault;
    // What was let in is read, before others are looked at.
    const { reading } = (await this.ask(looked, { subject, standing: 'settled' })) as {
      reading: JsonReading;
    };
    return reading;
  }

  private async ask(task: JsonThreadTask, turn: CallerTurn): Promise<JsonThreadReply> {
    try {
      return await runInTurn(turn, () => this.tasks.run(task, { transfer: [task.bytes.buffer] }));
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
