import { Inject, Injectable } from '@nestjs/common';
import type { ToolProgress } from '@svc/contracts';
import {
  BUS_LINK,
  type BusLink,
  NoticeBoard,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { CallProgress } from './call-progress.js';

/** How often the other replicas are told of a run, at most. */
const TELL_MS = 500;
/** A run that waits or says nothing is heard of so often all the same: what is silent for long was lost with its replica. */
const GO_ON_MS = 5_000;
/** Runs that are known here, those of other replicas too. */
const KNOWN_MAX = 1_024;
/** A run of another replica that is silent this long is not heard of any more. */
const SILENT_MS_MAX = 60_000;

const ProgressNotice = z.object({
  from: z.string().max(64),
  key: z.string().max(80),
  share: z.number().min(0).max(1),
  stage: z.string().max(64),
  ended: z.boolean(),
});

interface Known {
  readonly progress: CallProgress;
  readonly isHere: boolean;
  heardAtMs: number;
}

/** The end of one run's reports. */
export interface RunProgress {
  readonly note: (share: number, stage: string) => void;
  end(): void;
}

/**
 * How far the runs of all replicas have come. A question for a run reaches any replica; so each tells the others of its own,
 * twice a second, and each can answer for all.
 */
@Injectable()
export class ProgressBoard {
  private readonly id = randomUUID();
  private readonly known = new Map<string, Known>();
  private readonly notices: NoticeBoard<typeof ProgressNotice>;

  constructor(
    @Inject(BUS_LINK) link: BusLink,
    @Inject(SERVICE_ENVIRONMENT) { logger }: Pick<ServiceEnvironment, 'logger'>,
  ) {
    this.notices = new NoticeBoard(link, 'snn', 'progress', ProgressNotice, logger);
    this.notices.hear(({ from, key, share, stage, ended }) => {
      if (from !== this.id) this.heard(key, share, stage, ended);
    });
  }

  /** A run begins here. */
  begin(key: string): RunProgress {
    const before = this.known.get(key);
    // Whoever asked before it began is told of it too.
    const isExpected = before !== undefined && !before.isHere && !before.progress.now.ended;
    const progress = isExpected ? before.progress : new CallProgress();
    const known: Known = { progress, isHere: true, heardAtMs: Date.now() };
    if (!isExpected) before?.progress.end();
    this.keep(key, known);
    let toldAtMs = -Infinity;
    const tell = () => {
      const { progress: share, stage = 'begun' } = progress.now;
      this.notices.tell({ from: this.id, key, share, stage, ended: false });
    };
    const goingOn = setInterval(() => {
      progress.goOn();
      tell();
    }, GO_ON_MS).unref();
    return {
      note: (share, stage) => {
        progress.note(share, stage);
        if (Date.now() - toldAtMs < TELL_MS) return;
        toldAtMs = Date.now();
        tell();
      },
      end: () => {
        clearInterval(goingOn);
        progress.end();
        if (this.known.get(key) === known) this.known.delete(key);
        this.notices.tell({ from: this.id, key, share: 1, stage: 'ended', ended: true });
      },
    };
  }

  /** As {@link CallProgress.after}, of a run here or elsewhere; one that is not known yet may be on its way. */
  after(key: string, afterSeq: number, waitMs: number): Promise<ToolProgress> {
    const known = this.known.get(key) ?? this.expect(key);
    return known.progress.after(afterSeq, waitMs);
  }

  private heard(key: string, share: number, stage: string, ended: boolean): void {
    const known = this.known.get(key) ?? this.expect(key);
    if (known.isHere) return;
    known.heardAtMs = Date.now();
    if (ended) known.progress.end();
    else known.progress.note(share, stage);
  }

  private expect(key: string): Known {
    const known: Known = { progress: new CallProgress(), isHere: false, heardAtMs: Date.now() };
    this.keep(key, known);
    return known;
  }

  /** Keeps the newest; what is silent goes first, then the oldest of other replicas. */
  private keep(key: string, known: Known): void {
    this.known.delete(key);
    if (this.known.size >= KNOWN_MAX) {
      const silentBefore = Date.now() - SILENT_MS_MAX;
      for (const [old, { isHere, heardAtMs }] of this.known) {
        if (!isHere && heardAtMs < silentBefore) this.known.delete(old);
      }
      const oldest = [...this.known].find(([, { isHere }]) => !isHere);
      if (this.known.size >= KNOWN_MAX && oldest) this.known.delete(oldest[0]);
    }
    this.known.set(key, known);
  }
}
