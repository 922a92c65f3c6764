import { TOOL_PROGRESS_WAIT_MS_MAX, toolCallContract, type ToolProgress } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';

/** Wait after an answer that came at once and told nothing, milliseconds. */
const ASK_AGAIN_MS = 250;

/** How far a call has come, as its caller is told. */
export interface CallProgress {
  /** Grows with each message. */
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/**
 * Follows a call by its key, and tells each step once, until it has ended or nobody wants to hear more. That a question
 * fails is no matter of the call: the caller hears nothing further, and gets its answer.
 */
export function followProgress(
  bus: BusClient,
  runner: keyof typeof toolCallContract,
  idemKey: string,
  onProgress: (progress: CallProgress) => void,
): { stop: () => void } {
  const controller = new AbortController();
  void follow(bus, runner, idemKey, onProgress, controller.signal).catch(() => undefined);
  return { stop: () => controller.abort() };
}

async function follow(
  bus: BusClient,
  runner: keyof typeof toolCallContract,
  idemKey: string,
  onProgress: (progress: CallProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { toolProgress } = toolCallContract[runner];
  let [afterSeq, told] = [0, -1];
  for (;;) {
    const askedMs = performance.now();
    const asked = { idemKey, afterSeq, waitMs: TOOL_PROGRESS_WAIT_MS_MAX };
    const step: ToolProgress = await bus.call(toolProgress, asked, { signal });
    if (signal.aborted) return;
    if (step.seq > afterSeq && step.progress > told) {
      onProgress({ progress: step.progress, total: 1, ...(step.stage ? { message: step.stage } : {}) });
      told = step.progress;
    }
    if (step.ended) return;
    // Nobody there holds the question open: the call is on its way, or runs at another replica.
    const isEarly = step.seq <= afterSeq && performance.now() - askedMs < ASK_AGAIN_MS;
    if (isEarly) await delay(ASK_AGAIN_MS, undefined, { signal });
    afterSeq = Math.max(afterSeq, step.seq);
  }
}
