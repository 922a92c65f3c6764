import { Injectable } from '@nestjs/common';
import { type ToolName, x402Contract } from '@svc/contracts';
import { BusClient, problem, ProblemError } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { CapabilityAnswer, CapabilityCall } from './capability-call.js';

/** Between two looks at a saga that goes on, milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/** Runs a tool as a saga on the execution ticket that was bought for it; the task is the Idempotency-Key. */
@Injectable()
export class SagaDesk {
  constructor(private readonly bus: BusClient) {}

  async admit(tool: ToolName, input: Record<string, unknown>): Promise<void> {
    await this.bus.call(x402Contract.admitExecution, { tool, input });
  }

  async run(_tool: ToolName, call: CapabilityCall): Promise<CapabilityAnswer> {
    const { taskId: idempotencyKey, ticket, input, baseUrl, signal } = call;
    for (;;) {
      const outcome = await this.bus
        .call(x402Contract.execute, { ticket, idempotencyKey, input, baseUrl }, { signal })
        .catch((error: unknown) => {
          if (isUnderWay(error)) return undefined;
          throw error;
        });
      if (outcome && outcome.status === 200 && outcome.result.status !== 'RUNNING') {
        if (outcome.result.status === 'STUCK')
          throw problem('INTERNAL', `The saga ${outcome.result.sagaId} needs its operator`);
        // What was taken back has cost nothing.
        return { result: outcome.result, charged: outcome.result.status === 'COMPLETED' };
      }
      await delay(LOOK_AGAIN_MS, undefined, { signal });
    }
  }
}

/** The saga of this task goes on, begun by an earlier run of it. */
const isUnderWay = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === 'CONFLICT' && error.payload.retryAfterSeconds !== undefined;
