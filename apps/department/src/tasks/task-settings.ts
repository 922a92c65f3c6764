import { loadConfig } from '@svc/platform';
import { z } from 'zod';

/** What an installation may set of its desks. */
export interface TaskSettings {
  /** Tasks of one desk that may wait. */
  readonly queueMax: number;
  /** Tasks of one desk that a replica works on at once. */
  readonly concurrency: number;
  /** After that long a worker that says nothing has lost its task. */
  readonly leaseSeconds: number;
  /** Bytes that the ended tasks of one caller within a quota may take together. */
  readonly countedBytesMax: number;
}

const COUNTED_BYTES_MAX = 32 * 1_048_576;

export const TASK_SETTINGS = Symbol('TASK_SETTINGS');

const variables = z.object({
  DEPARTMENT_QUEUE_MAX: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  DEPARTMENT_TASKS_AT_ONCE: z.coerce.number().int().min(1).max(256).default(4),
  DEPARTMENT_TASK_LEASE_SECONDS: z.coerce.number().int().min(2).max(600).default(15),
});

/** @throws ConfigError naming every fault */
export function taskSettingsOf(env: Readonly<Record<string, string | undefined>>): TaskSettings {
  const read = loadConfig(variables, env);
  return {
    queueMax: read.DEPARTMENT_QUEUE_MAX,
    concurrency: read.DEPARTMENT_TASKS_AT_ONCE,
    leaseSeconds: read.DEPARTMENT_TASK_LEASE_SECONDS,
    countedBytesMax: COUNTED_BYTES_MAX,
  };
}
