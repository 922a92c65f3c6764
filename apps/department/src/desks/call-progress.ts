import { TOOL_PROGRESS_WAIT_MS_MAX, type ToolProgress } from '@svc/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type { CapabilityCall } from './capability-call.js';

/** Wait after an answer that came at once and told nothing, and after none, milliseconds. */
const ASK_AGAIN_MS = 250;
/** Of a run something is heard every few seconds; one that is silent for so long was lost with its process. */
const SILENT_MS_MAX = 20_000;

/** Who is told of a call. */
interface Follower {
  readonly onStage: CapabilityCall['onStage'];
  /** Nothing was heard for long. Absent: the call's own timeout is waited for. */
  readonly onSilence?: () => void;
  readonly silentMsMax?: number;
  readonly askAgainMs?: number;
}

/** What is asked of the service that has a call: answered once the call is beyond `afterSeq`, or after `waitMs`. */
type AskProgress = (
  asked: { readonly afterSeq: number; readonly waitMs: number },
  signal: AbortSignal,
) => Promise<ToolProgress>;

/**
 * Tells how far a call is until it is aborted, or silent. That a question fails is no matter of the task: it is asked again, of
 * whichever replica is there.
 */
export function followProgress(ask: AskProgress, follower: Follower): AbortController {
  const ended = new AbortController();
  void tell(ask, follower, ended.signal).catch(() => undefined);
  return ended;
}

async function tell(
  ask: AskProgress,
  { onStage, onSilence, silentMsMax = SILENT_MS_MAX, askAgainMs = ASK_AGAIN_MS }: Follower,
  signal: AbortSignal,
): Promise<void> {
  let afterSeq = 0;
  let told: string | undefined;
  // Replicas count by themselves, and a lost run's count stands still at each: only a number that none has given is news.
  const heard = new Set([0]);
  let heardAtMs = performance.now();
  for (;;) {
    const askedMs = performance.now();
    const answer = await ask({ afterSeq, waitMs: TOOL_PROGRESS_WAIT_MS_MAX }, signal).catch(() => undefined);
    if (signal.aborted || answer?.ended) return;
    const now = performance.now();
    const { seq = 0, stage = 'work', progress } = answer ?? {};
    if (!heard.has(seq)) heardAtMs = now;
    heard.add(seq);
    if (seq > afterSeq && told !== (told = `${stage} ${progress}`)) onStage(stage, progress);
    // Nobody there holds the question open: the call is on its way, or runs at another replica.
    else if (now - askedMs < askAgainMs) await delay(askAgainMs, undefined, { signal });
    if (onSilence && performance.now() - heardAtMs > silentMsMax) return onSilence();
    afterSeq = Math.max(afterSeq, seq);
  }
}
