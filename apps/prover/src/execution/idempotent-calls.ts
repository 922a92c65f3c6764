import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ToolProgress } from '@svc/contracts';
import { otherRequest, problem, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { CallGoneError, ProofStore } from '../proofs/proof-store.js';
import { CallProgress } from './call-progress.js';
import {
  type CallKind,
  type CallState,
  IdempotentCallStore,
  type StoredCall,
} from './idempotent-call-store.js';
import { ReplySeal } from './reply-seal.js';

/** How often this process says that it is still at its calls, and hears which were revoked, milliseconds. */
const BEAT_MS = 500;

/** What is to run once for its key. */
export interface IdempotentCall {
  readonly idemKey: string;
  readonly kind: CallKind;
  /** What is asked, as JSON: under one key it is always the same. */
  readonly request: unknown;
}

/** The reply of a call: JSON, with the id of the proof that was made for it. */
export interface CallReply {
  readonly proofId?: string;
}

interface ActiveCall {
  readonly owner: string;
  readonly controller: AbortController;
  readonly result: Promise<CallReply>;
  readonly progress: CallProgress;
}

/** What a run gets: the signal that it must heed, and whom it tells of its stages. */
export type CallWork<Reply> = (signal: AbortSignal, onStage: (stage: string) => void) => Promise<Reply>;

const revoked = () =>
  problem('CONFLICT', 'The call was revoked and is not made any more', { extensions: { state: 'revoked' } });
const running = () =>
  problem('CONFLICT', 'The call of this key is running; ask for its outcome', {
    retryAfterSeconds: 1,
    extensions: { state: 'running' },
  });

/**
 * Runs each key once, however often it is asked and however many replicas there are, and never after it was revoked. The
 * key of a process that died is free again when its lease has ended.
 */
@Injectable()
export class IdempotentCalls implements OnApplicationShutdown {
  private readonly active = new Map<string, ActiveCall>();
  private readonly seal: ReplySeal;
  private timer: NodeJS.Timeout | undefined;
  private isBeating = false;

  constructor(
    private readonly store: IdempotentCallStore,
    private readonly proofs: ProofStore,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {
    this.seal = new ReplySeal(environment);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Runs the work, or gives what the same key came to. Who asks here while it runs gets the same result; elsewhere, the
   * CONFLICT with a time to come again.
   * @param work must heed its signal: it aborts when the key is revoked, and the result is dropped in any case
   * @throws ProblemError CONFLICT where the key was revoked or runs elsewhere, UNPROCESSABLE where it is of another
   * request; whatever the work throws, after which the key is free again
   */
  async run<Reply extends CallReply>(call: IdempotentCall, work: CallWork<Reply>): Promise<Reply> {
    const { idemKey, kind, request } = call;
    const digests = this.seal.digestsOf({ kind, request });
    for (;;) {
      const owner = randomUUID();
      if (await this.store.acquire(idemKey, kind, digests, owner)) return this.begin(idemKey, owner, work);
      const found = await this.store.find(idemKey);
      if (!found) continue;
      if (found.state === 'revoked') throw revoked();
      if (found.kind !== kind || !isOneOf(digests, found.requestDigest)) throw otherRequest();
      if (found.state === 'done') return this.replyOf<Reply>(idemKey, found)!;
      const here = this.active.get(idemKey);
      if (here) return (await here.result) as Reply;
      // Its lease has ended since it could not be acquired: it can be now.
      if (found.state === 'running') throw running();
    }
  }

  /** What became of a key, and its reply where it is done. */
  async outcome<Reply extends CallReply>(
    idemKey: string,
    kind: CallKind,
  ): Promise<{ state: CallState; reply?: Reply }> {
    const found = await this.store.find(idemKey);
    if (!found || found.kind !== kind) return { state: 'unknown' };
    const reply = this.replyOf<Reply>(idemKey, found);
    return { state: found.state, ...(reply === undefined ? {} : { reply }) };
  }

  /**
   * How far the run of a key has come: as {@link CallProgress.after} where it runs here. Of a run elsewhere it is known alone
   * whether it has ended, and it is told at once.
   */
  async progress(idemKey: string, afterSeq: number, waitMs: number): Promise<ToolProgress> {
    const here = this.active.get(idemKey);
    if (here) return here.progress.after(afterSeq, waitMs);
    const state = (await this.store.find(idemKey))?.state;
    const ended = state === 'done' || state === 'revoked';
    return { seq: afterSeq, progress: ended ? 1 : 0, ended };
  }

  /** Takes a key back for good; a run of it ends. @throws ProblemError CONFLICT for a key of another kind */
  async revoke(idemKey: string, kind: CallKind): Promise<{ was: CallState }> {
    const was = await this.store.revoke(idemKey, kind);
    if (was === undefined) throw problem('CONFLICT', 'The key is one of another kind of call');
    this.active.get(idemKey)?.controller.abort(new KeyLostError());
    return { was };
  }

  private begin<Reply extends CallReply>(
    idemKey: string,
    owner: string,
    work: CallWork<Reply>,
  ): Promise<Reply> {
    const controller = new AbortController();
    const progress = new CallProgress();
    const steps = (signal: AbortSignal) => work(signal, progress.note);
    const result = this.finish(idemKey, owner, controller.signal, steps).finally(() => {
      progress.end();
      if (this.active.get(idemKey)?.owner === owner) this.active.delete(idemKey);
    });
    this.active.set(idemKey, { owner, controller, result, progress });
    this.timer ??= setInterval(() => void this.beat(), BEAT_MS).unref();
    return result;
  }

  private async finish<Reply extends CallReply>(
    idemKey: string,
    owner: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Reply>,
  ): Promise<Reply> {
    let reply: Reply;
    try {
      reply = await work(signal);
    } catch (error) {
      if (signal.aborted || error instanceof CallGoneError) throw await this.loss(idemKey);
      await this.guarded('A call that failed was not forgotten', () => this.store.abandon(idemKey, owner));
      throw error;
    }
    const { proofId } = reply;
    if (await this.store.complete(idemKey, owner, this.seal.seal(idemKey, reply), proofId)) return reply;
    // Nobody has been told of it.
    if (proofId !== undefined)
      await this.guarded('A proof that was dropped is still kept', () => this.proofs.discard(proofId));
    throw await this.loss(idemKey);
  }

  /** Why a run has lost its key: it was revoked, or another process has taken it over. */
  private async loss(idemKey: string): Promise<Error> {
    const now = await this.store.find(idemKey);
    return now?.state === 'revoked' ? revoked() : running();
  }

  private replyOf<Reply>(idemKey: string, { reply }: StoredCall): Reply | undefined {
    return reply && (this.seal.open(idemKey, reply) as Reply);
  }

  /** Renews the leases of the runs here; one that has lost its key works for nobody and ends. */
  private async beat(): Promise<void> {
    // Of runs that begin meanwhile nothing is asked, so that nothing can be learnt of them.
    const asked = [...this.active.values()];
    if (asked.length === 0 || this.isBeating) return;
    this.isBeating = true;
    await this.guarded('The leases of calls were not renewed', async () => {
      const kept = await this.store.renew(asked.map(({ owner }) => owner));
      for (const { owner, controller } of asked) if (!kept.has(owner)) controller.abort(new KeyLostError());
    });
    this.isBeating = false;
  }

  private async guarded(failure: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      this.environment.logger.warn({ reason: (error as Error).message }, failure),
    );
  }
}

/** What ends the work of a run whose key is not its own any more. */
class KeyLostError extends Error {
  constructor() {
    super('the key of the call was revoked or taken over');
    this.name = 'KeyLostError';
  }
}

const isOneOf = (digests: readonly Buffer[], digest: Buffer | undefined) =>
  digest !== undefined && digests.some(one => one.equals(digest));
