import { Inject, Injectable } from '@nestjs/common';
import { problem, SealedJson, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { z } from 'zod';
import { sealingSecretsOf } from '../speckle/speckle-config.js';
import type { Row } from './stored-task.js';

/** What a task is asked, and with what: kept sealed until the task has an outcome. */
export interface TaskOrder {
  readonly input: Record<string, unknown>;
  /** The inputs as deflated text, where the service beneath reads them; `input` is empty then. */
  readonly packed?: Uint8Array;
  readonly ticket?: string;
  readonly baseUrl?: string;
  readonly accountId?: string;
  /** Whose turn its work takes; what the row names the caller by is another. */
  readonly caller?: string;
}

const Order = z.object({
  input: z.record(z.string(), z.unknown()),
  packed: z
    .string()
    .transform(text => new Uint8Array(Buffer.from(text, 'base64')))
    .optional(),
  ticket: z.string().optional(),
  baseUrl: z.string().optional(),
  accountId: z.string().optional(),
  caller: z.string().optional(),
});
const Opening = z.record(z.string(), z.string());
/** What batches of audits ask of results by SQL. */
const SHOWN = ['auditId', 'compliant'];

/**
 * Seals what a task must not show to whoever reads the database: witnesses, certificates, tickets; and results, whose evidence
 * has a digest of the request that a short one is found from by trying.
 */
@Injectable()
export class TaskSeal {
  private readonly orders: SealedJson;
  private readonly openings: SealedJson;
  private readonly results: SealedJson;

  constructor(@Inject(SERVICE_ENVIRONMENT) { secrets, variables = process.env }: ServiceEnvironment) {
    const secret = secrets.DEPARTMENT_SECRET;
    if (secret === undefined) throw new Error('DEPARTMENT_SECRET is not set');
    this.orders = new SealedJson([secret], 'svc/task-order/v1');
    this.openings = new SealedJson([secret], 'svc/task-opening/v1');
    this.results = new SealedJson(sealingSecretsOf(secrets, variables), 'svc/task-result/v1');
  }

  sealOrder({ packed, ...order }: TaskOrder, taskId: string): Buffer {
    const text = packed && Buffer.from(packed).toString('base64');
    return this.orders.seal({ ...order, packed: text }, taskId);
  }

  /** @throws ProblemError INTERNAL where the secret is another by now: the task cannot be done */
  openOrder(sealed: Uint8Array, taskId: string): TaskOrder {
    try {
      return Order.parse(this.orders.open(sealed, taskId));
    } catch (cause) {
      throw problem('INTERNAL', 'What the task was given cannot be opened any more', {
        cause: cause as Error,
      });
    }
  }

  /** JSON of a result as its row has it. */
  sealResult(result: Readonly<Record<string, unknown>>, taskId: string): string {
    const shown = Object.fromEntries(SHOWN.map(name => [name, result[name]]));
    return JSON.stringify({ ...shown, ...this.results.sealObject(result, taskId) });
  }

  /** A row with its result opened; without, where the secret is another by now. An earlier release has not sealed it. */
  opened(row: Row): Row {
    try {
      return { ...row, result: this.results.openObject(row.result, row.task_id as string) };
    } catch {
      return { ...row, result: null };
    }
  }

  sealOpening(opening: Readonly<Record<string, string>>, taskId: string): Buffer {
    return this.openings.seal(opening, taskId);
  }

  openOpening(sealed: Uint8Array, taskId: string): Record<string, string> {
    return Opening.parse(this.openings.open(sealed, taskId));
  }
}
