import type { Measurement } from '@svc/contracts';

const SAMPLES_MAX = 101;

interface Series {
  readonly values: number[];
  next: number;
  measuredAt: string;
}

/**
 * Figures that a service measured on its own work: the median of the last {@link SAMPLES_MAX}
 * values of each name. A name that was declared but never measured is 0 with a reason.
 */
export class MeasurementRegistry {
  private readonly series = new Map<string, Series>();
  private readonly reasons = new Map<string, string>();

  /** Announces a figure before its first measurement, with the reason why there is none. */
  declare(name: string, reason: string): void {
    this.reasons.set(name, reason);
  }

  /** @param value a finite figure, in the unit that the name says */
  record(name: string, value: number): void {
    if (!Number.isFinite(value)) throw new RangeError(`measurement ${name}: ${value} is not a finite number`);
    const series = this.series.get(name) ?? { values: [], next: 0, measuredAt: '' };
    series.values[series.next] = value;
    series.next = (series.next + 1) % SAMPLES_MAX;
    series.measuredAt = new Date().toISOString();
    this.series.set(name, series);
  }

  /** Puts a figure in the place of those before it: one that says how things stand, and is no sample of many. */
  set(name: string, value: number): void {
    this.series.delete(name);
    this.record(name, value);
  }

  snapshot(): Record<string, Measurement> {
    const figures: Record<string, Measurement> = {};
    for (const [name, reason] of this.reasons) figures[name] = { value: 0, samples: 0, reason };
    for (const [name, { values, measuredAt }] of this.series) {
      figures[name] = { value: median(values), samples: values.length, measuredAt };
    }
    return figures;
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
