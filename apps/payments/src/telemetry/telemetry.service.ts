import { Inject, Injectable } from '@nestjs/common';
import type { ReplyOf, Telemetry, x402Contract } from '@svc/contracts';
import { Waiters } from '@svc/platform';
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { LOG_WAITERS } from '../execute/wal-evidence.js';
import { ClosedSpans } from './closed-spans.js';
import { type LogFigures, type LogState, readLog, sumOf } from './log-figures.js';
import { type RailFigures, TreasuryFigures } from './treasury-figures.js';

/** The database is asked once in that time at the most, however many ask. */
const ASK_EVERY_MS = 1_000;
/** A closed span is counted anew once in that time: a record that came late does not stay out for good. */
const RECOUNT_EVERY_MS = 60_000;

type TelemetryReply = ReplyOf<typeof x402Contract.telemetry>;

/**
 * What was executed and cleared: sagas and roots as their log says it, money as the ledger does. Every figure is summed up from
 * records, so all replicas say the same.
 */
@Injectable()
export class TelemetryService {
  private readonly closed = new ClosedSpans();
  private newest: TelemetryReply | undefined;
  private asking: Promise<TelemetryReply> | undefined;
  private askedAtMs = -Infinity;
  private recountedAtMs = -Infinity;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOG_WAITERS) private readonly waiters: Waiters,
    @Inject(TreasuryFigures) private readonly treasury: Pick<TreasuryFigures, 'byRail'>,
  ) {}

  /** At once where it is not that of `version`; else as soon as it changes, at the latest after `waitMs`. */
  async telemetry({
    version,
    waitMs = 0,
  }: { version?: string; waitMs?: number } = {}): Promise<TelemetryReply> {
    const untilMs = performance.now() + waitMs;
    for (;;) {
      const current = await this.current();
      const leftMs = untilMs - performance.now();
      if (current.version !== version || leftMs <= 0) return current;
      // News of this process come at once; other replicas write, too, and do not tell.
      await this.waiters.next(Math.min(leftMs, ASK_EVERY_MS));
      const freshInMs = this.askedAtMs + ASK_EVERY_MS - performance.now();
      if (freshInMs > 0)
        await new Promise(resolve => setTimeout(resolve, Math.min(freshInMs, untilMs - performance.now())));
    }
  }

  private current(): Promise<TelemetryReply> {
    if (this.newest && performance.now() < this.askedAtMs + ASK_EVERY_MS) return Promise.resolve(this.newest);
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async ask(): Promise<TelemetryReply> {
    const { manager } = this.dataSource;
    this.askedAtMs = performance.now();
    if (this.askedAtMs >= this.recountedAtMs + RECOUNT_EVERY_MS) {
      const span = this.closed.nextToRecount();
      if (span) this.closed.replace(span, (await readLog(manager, span.startMs, span.endMs)).hours);
      this.recountedAtMs = this.askedAtMs;
    }
    const [state, rails] = await Promise.all([readLog(manager, this.closed.endMs), this.treasury.byRail()]);
    const figures = [...state.hours.values()].reduce(sumOf, this.closed.total());
    this.closed.close(state.hours, state.nowMs);
    const telemetry = telemetryOf(figures, state, rails);
    const counted = { ...telemetry, measuredAt: null, since: state.sinceMs ?? null };
    const digest = createHash('sha256').update(JSON.stringify(counted)).digest('base64url');
    this.newest = { version: digest.slice(0, 22), telemetry };
    return this.newest;
  }
}

function telemetryOf(
  { begun, aborted, committed, inPlan, starkRoots }: LogFigures,
  { stuck, newestStarkRoot, sinceMs, nowMs }: LogState,
  earned: ReadonlyMap<string, RailFigures>,
): Telemetry {
  const { payments, amountMicroUsd } = earned.get('plan') ?? { payments: 0, amountMicroUsd: 0 };
  // The ledger knows nothing of a saga that cost nothing.
  const rails = new Map(earned);
  if (payments + inPlan > 0) rails.set('plan', { payments: payments + inPlan, amountMicroUsd });
  const all = [...rails.values()];
  return {
    transactionsExecuted: all.reduce((sum, { payments }) => sum + payments, 0),
    treasuryClearedUsd: clearedText(all.reduce((sum, { amountMicroUsd }) => sum + amountMicroUsd, 0)),
    starkRoots: { count: starkRoots, ...(newestStarkRoot === undefined ? {} : { newest: newestStarkRoot }) },
    sagas: {
      RUNNING: begun - committed - aborted - stuck,
      COMPLETED: committed,
      COMPENSATED: aborted,
      STUCK: stuck,
    },
    rails: Object.fromEntries(
      [...rails].map(([rail, { payments, amountMicroUsd }]) => [
        rail,
        { payments, amountUsd: clearedText(amountMicroUsd) },
      ]),
    ),
    since: new Date(sinceMs ?? nowMs).toISOString(),
    measuredAt: new Date(nowMs).toISOString(),
  };
}

/** As prices are written, but for sums of any size, for nothing, and for what was given back beyond what was earned. */
function clearedText(amountMicroUsd: number): string {
  if (amountMicroUsd < 0) return `-${clearedText(-amountMicroUsd)}`;
  const whole = Math.floor(amountMicroUsd / 1_000_000);
  const fraction = String(amountMicroUsd % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(whole) : `${whole}.${fraction.padEnd(2, '0')}`;
}
