import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ToolProgress } from '@svc/contracts';
import {
  BUS_LINK,
  type BusLink,
  type Drains,
  NoticeBoard,
  problem,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { z } from 'zod';
import { SNN_LIMITS, type SnnLimits } from '../snn-config.js';
import { ProgressBoard, type RunProgress } from './progress-board.js';

/** What a run gets: the signal that it must heed, and whom it tells how far it has come. */
export type CallWork<T> = (signal: AbortSignal, note: RunProgress['note']) => Promise<T>;

/** Calls that were ended before they came are refused this long, and so many of them. */
const ENDED_KEPT_MS = 60_000;
const ENDED_MAX = 1_024;

const EndNotice = z.object({ callId: z.string().max(80) });

const hungUp = () => problem('CONFLICT', 'The caller hung up, and its work was ended');
const closing = () =>
  problem('SERVICE_UNAVAILABLE', 'The service closes, and what it had begun was ended', {
    retryAfterSeconds: 1,
  });

/**
 * The work that is under way here, and how it is ended. There is no database behind it: whoever ends a call tells every
 * replica, and the one that runs it ends it. A call that is ended before it came is refused when it does.
 */
@Injectable()
export class RunningCalls implements Drains, OnApplicationShutdown {
  private readonly running = new Set<AbortController>();
  private readonly byId = new Map<string, AbortController>();
  private readonly endedAtMs = new Map<string, number>();
  private readonly notices: NoticeBoard<typeof EndNotice>;
  private drainTimer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(BUS_LINK) link: BusLink,
    @Inject(SERVICE_ENVIRONMENT) { logger }: Pick<ServiceEnvironment, 'logger'>,
    private readonly board: ProgressBoard,
    @Inject(SNN_LIMITS) private readonly limits: Pick<SnnLimits, 'drainMs'>,
  ) {
    this.notices = new NoticeBoard(link, 'snn', 'call-ended', EndNotice, logger);
    this.notices.hear(({ callId }) => void this.end(callId));
  }

  /**
   * Runs the work of a call under a signal that its end aborts.
   * @param callId absent: nobody can end it or follow it, but the close of the service
   * @throws ProblemError CONFLICT where the call was ended, SERVICE_UNAVAILABLE where the service closes meanwhile;
   * whatever the work throws
   */
  async run<T>(callId: string | undefined, work: CallWork<T>): Promise<T> {
    const controller = new AbortController();
    const { signal } = controller;
    if (callId !== undefined && this.wasEnded(callId)) throw hungUp();
    this.running.add(controller);
    if (callId !== undefined) this.byId.set(callId, controller);
    const progress = callId === undefined ? undefined : this.board.begin(callId);
    try {
      return await work(signal, progress?.note ?? (() => undefined));
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      progress?.end();
      this.running.delete(controller);
      if (callId !== undefined && this.byId.get(callId) === controller) this.byId.delete(callId);
    }
  }

  /** Ends a call wherever it runs; true where that was here. */
  cancel(callId: string): boolean {
    const wasHere = this.end(callId);
    this.notices.tell({ callId });
    return wasHere;
  }

  progress(callId: string, afterSeq: number, waitMs: number): Promise<ToolProgress> {
    return this.board.after(callId, afterSeq, waitMs);
  }

  /** Lets what runs go on for a while, and then ends it, for another replica to be asked again: the answer is the same there. */
  drain(): void {
    this.drainTimer = setTimeout(() => {
      for (const controller of this.running) controller.abort(closing());
    }, this.limits.drainMs);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.drainTimer);
  }

  private end(callId: string): boolean {
    this.endedAtMs.delete(callId);
    this.endedAtMs.set(callId, Date.now());
    if (this.endedAtMs.size > ENDED_MAX) this.endedAtMs.delete(this.endedAtMs.keys().next().value!);
    const controller = this.byId.get(callId);
    controller?.abort(hungUp());
    return controller !== undefined;
  }

  private wasEnded(callId: string): boolean {
    const atMs = this.endedAtMs.get(callId);
    return atMs !== undefined && Date.now() - atMs < ENDED_KEPT_MS;
  }
}
