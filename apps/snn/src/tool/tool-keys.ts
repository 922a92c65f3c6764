import { Inject, Injectable } from '@nestjs/common';
import type { ToolProgress, ToolReply } from '@svc/contracts';
import {
  BUS_LINK,
  type BusLink,
  NoticeBoard,
  otherRequest,
  problem,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ProgressBoard } from '../calls/progress-board.js';
import { type CallWork, RunningCalls } from '../calls/running-calls.js';

export type KeyState = 'unknown' | 'running' | 'done' | 'revoked';

/** A call under a key: under one key it is always of the same inputs. */
export interface KeyedCall {
  readonly idemKey: string;
  /** The inputs as they were read. */
  readonly request: unknown;
}

/** Keys that are remembered here, with their replies; what is forgotten is run again, and comes to the same. */
const KEPT_MAX = 64;
const KEPT_MS = 120_000;
/** Keys that were revoked are remembered longer, and more of them: a call may be on its way for long. */
const REVOKED_MAX = 16_384;

const RevokedNotice = z.object({ idemKey: z.string().max(64) });

interface Kept {
  readonly requestDigest: string;
  readonly reply: Promise<ToolReply>;
  readonly timer?: NodeJS.Timeout;
  isDone: boolean;
}

const revoked = () =>
  problem('CONFLICT', 'The call was revoked and is not made any more', { extensions: { state: 'revoked' } });

/**
 * The keys under which tools are called. Every tool of this service is a function of its inputs and its key: a key that is run
 * again, here or at another replica, after whatever died, gives the answer that it gave. So nothing is stored: a key is
 * joined while it runs here, its reply is kept a while, and a key that was revoked is told to all replicas.
 */
@Injectable()
export class ToolKeys {
  private readonly kept = new Map<string, Kept>();
  private readonly controllers = new Map<string, AbortController>();
  private readonly revokedKeys = new Set<string>();
  private readonly notices: NoticeBoard<typeof RevokedNotice>;

  constructor(
    @Inject(BUS_LINK) link: BusLink,
    @Inject(SERVICE_ENVIRONMENT) { logger }: Pick<ServiceEnvironment, 'logger'>,
    private readonly calls: RunningCalls,
    private readonly board: ProgressBoard,
  ) {
    this.notices = new NoticeBoard(link, 'snn', 'tool-revoked', RevokedNotice, logger);
    this.notices.hear(({ idemKey }) => void this.revokeHere(idemKey));
  }

  /**
   * Runs the work, joins the run of the same key here, or gives what the key came to.
   * @throws ProblemError CONFLICT where the key was revoked, UNPROCESSABLE where it is of another request; whatever the work
   * throws, after which the key is free again
   */
  run({ idemKey, request }: KeyedCall, work: CallWork<ToolReply>): Promise<ToolReply> {
    if (this.revokedKeys.has(idemKey)) return Promise.reject(revoked());
    const requestDigest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const known = this.kept.get(idemKey);
    if (known && known.requestDigest !== requestDigest) return Promise.reject(otherRequest());
    return known?.reply ?? this.begin(idemKey, requestDigest, work);
  }

  /** What became of a key, as far as it is known here; what is not is to be called again. */
  async outcome(idemKey: string): Promise<{ state: KeyState; reply?: ToolReply }> {
    const state = this.stateOf(idemKey);
    return state === 'done' ? { state, reply: await this.kept.get(idemKey)!.reply } : { state };
  }

  progress(idemKey: string, afterSeq: number, waitMs: number): Promise<ToolProgress> {
    const state = this.stateOf(idemKey);
    const isOver = state === 'done' || state === 'revoked';
    if (isOver) return Promise.resolve({ seq: afterSeq + 1, progress: 1, ended: true });
    return this.board.after(idemKey, afterSeq, waitMs);
  }

  /** Takes a key back for good, wherever it runs. */
  revoke(idemKey: string): { was: KeyState } {
    const was = this.stateOf(idemKey);
    this.revokeHere(idemKey);
    this.notices.tell({ idemKey });
    return { was };
  }

  private stateOf(idemKey: string): KeyState {
    if (this.revokedKeys.has(idemKey)) return 'revoked';
    const known = this.kept.get(idemKey);
    if (!known) return 'unknown';
    return known.isDone ? 'done' : 'running';
  }

  private begin(idemKey: string, requestDigest: string, work: CallWork<ToolReply>): Promise<ToolReply> {
    const revoking = new AbortController();
    this.controllers.set(idemKey, revoking);
    const progress = this.board.begin(idemKey);
    const reply = this.calls
      // No call id: whoever asked for it may hang up, and the key's answer is still asked for again.
      .run(undefined, signal => work(AbortSignal.any([signal, revoking.signal]), progress.note))
      .then(value => {
        if (revoking.signal.aborted) throw revoked();
        return value;
      })
      .catch((error: unknown) => {
        this.forget(idemKey);
        throw revoking.signal.aborted ? revoked() : error;
      })
      .finally(() => {
        progress.end();
        this.controllers.delete(idemKey);
      });
    const timer = setTimeout(() => this.forget(idemKey), KEPT_MS).unref();
    const kept: Kept = { requestDigest, reply, timer, isDone: false };
    this.kept.set(idemKey, kept);
    reply.then(
      () => (kept.isDone = true),
      () => undefined,
    );
    this.makeRoom();
    return reply;
  }

  private revokeHere(idemKey: string): void {
    this.revokedKeys.delete(idemKey);
    this.revokedKeys.add(idemKey);
    if (this.revokedKeys.size > REVOKED_MAX) this.revokedKeys.delete(this.revokedKeys.values().next().value!);
    this.controllers.get(idemKey)?.abort(revoked());
    this.forget(idemKey);
  }

  private forget(idemKey: string): void {
    clearTimeout(this.kept.get(idemKey)?.timer);
    this.kept.delete(idemKey);
  }

  /** The oldest replies go; what runs stays. */
  private makeRoom(): void {
    for (const [idemKey, { isDone }] of this.kept) {
      if (this.kept.size <= KEPT_MAX) return;
      if (isDone) this.forget(idemKey);
    }
  }
}
