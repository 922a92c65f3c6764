import { TOOL_PROGRESS_WAIT_MS_MAX, toolCallContract, type ToolProgress } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits after an answer that came at once and told nothing, milliseconds: short at first, when the call is on its way and a
 * small proof is soon made.
 */
const ASK_AGAIN_MS = [10, 20, 40, 80, 160, 250];

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
  let [afterSeq, told, early] = [0, -1, 0];
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
    const waitMs = ASK_AGAIN_MS[Math.min(early, ASK_AGAIN_MS.length - 1)];
    const isEarly = step.seq <= afterSeq && performance.now() - askedMs < ASK_AGAIN_MS.at(-1)!;
    early = isEarly ? early + 1 : 0;
    if (isEarly) await delay(waitMs, undefined, { signal });
    afterSeq = Math.max(afterSeq, step.seq);
  }
}
