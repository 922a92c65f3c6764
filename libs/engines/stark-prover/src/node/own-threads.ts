import { type TaskOptions, ThreadTasks, type TurnOf } from '@svc/kernels/node';
import {
  DefinitionError,
  type OwnDefinition,
  type OwnStatement,
  type OwnStatementJson,
  type OwnTrace,
  StatementError,
  WitnessError,
} from '@svc/stark-air';
import { ConstraintRegistersError } from '../wasm/stored-program.js';
import type { NamedDefinition, OwnFault, OwnReading, OwnReply, OwnTask } from './own-thread.js';

export type { OwnReading } from './own-thread.js';

export interface OwnThreadsOptions {
  /** Tasks of one caller that wait for those that are under way, where no other's do; of all, twice as many. */
  readonly waitingMax?: number;
  /** Reading the largest definition takes a tenth of a second, the largest trace that is sold about one. */
  readonly taskMsMax?: number;
  /** Whose turn a task takes that is asked for now: callers take turns. Default: no caller's. */
  readonly turnOf?: TurnOf;
}

/**
 * Reads definitions of strangers and makes their traces in threads of their own: both take as long as their author likes, up to the bounds of
 * a definition, and nothing has been paid for the first.
 *
 * @example
 * const threads = new OwnThreads();
 * const { definition, facts } = await threads.read({ text });
 */
export class OwnThreads {
  /** One that reads, and one that makes traces: reading, which is unpaid, waits for none. */
  private readonly threads: Readonly<Record<OwnTask['kind'], ThreadTasks<OwnTask, OwnReply>>>;

  constructor({ waitingMax = 32, taskMsMax = 10_000, turnOf }: OwnThreadsOptions = {}) {
    /** The built thread, from the sources as from the built package. */
    const thread = new URL('../../dist/node/own-thread.js', import.meta.url);
    const bounds = { thread, threadsMax: 1, waitingMax, taskMsMax, turnOf };
    this.threads = {
      read: new ThreadTasks({ ...bounds, tasks: 'definitions' }),
      trace: new ThreadTasks({ ...bounds, tasks: 'traces' }),
    };
  }

  /**
   * Reads a definition, and a statement under it, and sees that the prover has registers for its constraints.
   * @throws DefinitionError, WitnessError, ConstraintRegistersError; ThreadTasksError where it was not read
   */
  async read(named: NamedDefinition, statement?: OwnStatementJson): Promise<OwnReading> {
    return (await this.run({ kind: 'read', named, ...(statement && { statement }) })) as OwnReading;
  }

  /**
   * Makes a trace, and checks it.
   * @throws StatementError; ThreadTasksError where it was not made
   */
  async trace(
    definition: OwnDefinition,
    statement: OwnStatement,
    rowCount: number,
    options: TaskOptions = {},
  ): Promise<OwnTrace> {
    return (await this.run({ kind: 'trace', definition, statement, rowCount }, options)) as OwnTrace;
  }

  /** Ends the threads; what waits or is under way is refused as CLOSED. */
  async close(): Promise<void> {
    await Promise.all([this.threads.read.close(), this.threads.trace.close()]);
  }

  private async run(task: OwnTask, options?: TaskOptions): Promise<OwnReading | OwnTrace> {
    const reply = await this.threads[task.kind].run(task, options);
    if ('fault' in reply) throw errorOf(reply.fault);
    return reply.done;
  }
}

function errorOf(fault: OwnFault): Error {
  switch (fault.kind) {
    case 'definition':
      return new DefinitionError(fault.code, fault.path, fault.reason, fault.bound);
    case 'statement':
      return new StatementError(fault.code, fault.path, fault.reason, fault.broken);
    case 'witness':
      return new WitnessError(fault.code, fault.field, fault.message, fault.bound);
    case 'registers':
      return new ConstraintRegistersError(fault.id, fault.max, fault.got);
  }
}
