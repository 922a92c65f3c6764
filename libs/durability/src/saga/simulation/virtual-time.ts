import type { Prng } from './prng.js';

/** Lets everything that is ready run: resolves when only waiting is left. */
export type Turn = () => Promise<void>;

interface Appointment {
  readonly atMs: number;
  /** Of two at the same time, chance says which is first. */
  readonly order: number;
  run?: () => void;
}

/**
 * Time that passes only when nothing else can happen: it jumps from one appointment to the next. With the same chance
 * the same happens in the same order, however fast the machine is.
 */
export class VirtualTime {
  nowMs = Date.UTC(2026, 0, 1);
  private readonly heap: Appointment[] = [];

  constructor(
    private readonly prng: Prng,
    private readonly turn: Turn,
  ) {}

  /** @returns what takes the appointment back */
  after(ms: number, run: () => void): () => void {
    const appointment: Appointment = { atMs: this.nowMs + Math.max(0, ms), order: this.prng.word(), run };
    this.push(appointment);
    return () => (appointment.run = undefined);
  }

  sleep(ms: number): Promise<void> {
    return new Promise(resolve => this.after(ms, resolve));
  }

  /** @returns false where `untilMs` came, or nothing was left to wait for, before `done` */
  async runUntil(done: () => boolean, untilMs: number): Promise<boolean> {
    for (;;) {
      await this.turn();
      if (done()) return true;
      let next = this.pop();
      while (next && !next.run) next = this.pop();
      if (!next?.run) return false;
      if (next.atMs > untilMs) {
        this.push(next);
        return false;
      }
      this.nowMs = next.atMs;
      next.run();
    }
  }

  private push(appointment: Appointment): void {
    const { heap } = this;
    let at = heap.push(appointment) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[at], heap[parent])) break;
      [heap[at], heap[parent]] = [heap[parent], heap[at]];
      at = parent;
    }
  }

  private pop(): Appointment | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      let least = at;
      if (left < heap.length && isBefore(heap[left], heap[least])) least = left;
      if (left + 1 < heap.length && isBefore(heap[left + 1], heap[least])) least = left + 1;
      if (least === at) return first;
      [heap[at], heap[least]] = [heap[least], heap[at]];
      at = least;
    }
  }
}

const isBefore = (a: Appointment, b: Appointment): boolean =>
  a.atMs === b.atMs ? a.order < b.order : a.atMs < b.atMs;
