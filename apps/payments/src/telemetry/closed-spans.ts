import { type LogFigures, NO_FIGURES, sumOf } from './log-figures.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A span is closed that long after its end: records are dated by the clocks of their writers, and commit a little later. */
const GRACE_MS = HOUR_MS;

/** A span of time whose records are all there. */
export interface ClosedSpan {
  readonly startMs: number;
  readonly endMs: number;
  readonly figures: LogFigures;
}

/**
 * Figures of the past: of days of UTC that are over, and of the hours that are over of the day that is not. Spans follow
 * one another without gaps, from the first record of the log on.
 */
export class ClosedSpans {
  private spans: ClosedSpan[] = [];
  private recounted = 0;

  /** From here on the log has to be asked; 0 while nothing is closed. */
  get endMs(): number {
    return this.spans.at(-1)?.endMs ?? 0;
  }

  total(): LogFigures {
    return this.spans.reduce((sum, { figures }) => sumOf(sum, figures), NO_FIGURES);
  }

  /** Closes hours that are over; days that are over become one span. @param nowMs of the database's clock */
  close(hours: ReadonlyMap<number, LogFigures>, nowMs: number): void {
    const closableMs = Math.floor((nowMs - GRACE_MS) / HOUR_MS) * HOUR_MS;
    const firstMs = this.endMs || Math.min(...hours.keys());
    for (let startMs = firstMs; startMs < closableMs; startMs += HOUR_MS) {
      this.spans.push({ startMs, endMs: startMs + HOUR_MS, figures: hours.get(startMs) ?? NO_FIGURES });
    }
    this.spans = this.spans.reduce<ClosedSpan[]>((merged, span) => {
      const last = merged.at(-1);
      const dayMs = Math.floor(span.startMs / DAY_MS);
      const isOver = (dayMs + 1) * DAY_MS <= closableMs;
      if (last && isOver && Math.floor(last.startMs / DAY_MS) === dayMs)
        merged[merged.length - 1] = {
          startMs: last.startMs,
          endMs: span.endMs,
          figures: sumOf(last.figures, span.figures),
        };
      else merged.push(span);
      return merged;
    }, []);
  }

  /** The span whose turn it is to be counted anew, newest first and then round; undefined while there is none. */
  nextToRecount(): ClosedSpan | undefined {
    if (this.spans.length === 0) return undefined;
    const index = this.spans.length - 1 - (this.recounted++ % this.spans.length);
    const span = this.spans[index];
    // What comes late may be older than anything that was there.
    return index === 0 ? { ...span, startMs: 0 } : span;
  }

  /** Puts what the log says now in the place of what it said. */
  replace({ endMs }: Pick<ClosedSpan, 'endMs'>, hours: ReadonlyMap<number, LogFigures>): void {
    const figures = [...hours.values()].reduce(sumOf, NO_FIGURES);
    this.spans = this.spans.map(span => (span.endMs === endMs ? { ...span, figures } : span));
  }
}
