import type { Logger } from 'pino';
import { isUnder } from './presence-key.js';
import type { PresenceChange, PresenceEntry, PresenceRevision, PresenceWatch } from './presence-board.js';

/** An entry as it is kept; as text, so that nobody can change what another reads. */
export interface LiveEntry {
  readonly json: string;
  readonly revision: PresenceRevision;
  /** By the clock of the view, milliseconds. */
  readonly expiresAtMs: number;
}

interface Watcher {
  readonly prefix: string;
  readonly onChange: (change: PresenceChange) => void;
  open: boolean;
}

/** A timer may fire a little before its time. */
const SWEEP_MS_MIN = 1;

/**
 * The entries that live, and who watches them. What has expired is not there, whether it was swept or not; a timer that
 * keeps no process alive tells the watchers.
 *
 * The entries are in the order in which they were put, which is that of their ends, because all live as long: the first is
 * the only one to look at. Where a clock was set back meanwhile, that makes the telling late and never what is shown.
 */
export class PresenceView {
  private readonly entries = new Map<string, LiveEntry>();
  private readonly watchers = new Set<Watcher>();
  private readonly untold: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private telling = false;

  constructor(
    private readonly now: () => number,
    private readonly logger: Logger,
  ) {}

  get(key: string): LiveEntry | undefined {
    const entry = this.entries.get(key);
    return entry && entry.expiresAtMs > this.now() ? entry : undefined;
  }

  /** In the order of their keys. */
  list(prefix: string): PresenceEntry[] {
    return [...this.under(prefix)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { json }]) => ({ key, value: JSON.parse(json) }));
  }

  count(prefix: string): number {
    let count = 0;
    for (const _ of this.under(prefix)) count++;
    return count;
  }

  put(key: string, entry: LiveEntry): void {
    this.sweep();
    // It may come when its time is over already.
    if (entry.expiresAtMs <= this.now()) return this.remove(key);
    const before = this.entries.get(key);
    // To the end, also where it was there.
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (before?.json !== entry.json)
      this.tell(key, () => ({ kind: 'put', key, value: JSON.parse(entry.json) }));
    this.schedule();
    this.flush();
  }

  remove(key: string): void {
    if (this.entries.delete(key)) this.tell(key, () => ({ kind: 'gone', key }));
    this.flush();
  }

  /** Removes all but these. */
  retain(keys: ReadonlySet<string>): void {
    for (const key of [...this.entries.keys()]) if (!keys.has(key)) this.remove(key);
  }

  watch(prefix: string, onChange: (change: PresenceChange) => void): PresenceWatch {
    this.sweep();
    const watcher = { prefix, onChange, open: true };
    this.watchers.add(watcher);
    for (const entry of this.list(prefix))
      this.untold.push(() => this.call(watcher, { kind: 'put', ...entry }));
    this.flush();
    return {
      stop: () => {
        watcher.open = false;
        this.watchers.delete(watcher);
      },
    };
  }

  /** Ends it: nothing expires any more, and nobody is told. */
  close(): void {
    clearTimeout(this.timer);
    this.watchers.clear();
    this.untold.length = 0;
    this.entries.clear();
  }

  private *under(prefix: string): Iterable<[string, LiveEntry]> {
    const nowMs = this.now();
    for (const each of this.entries) if (each[1].expiresAtMs > nowMs && isUnder(prefix, each[0])) yield each;
  }

  private sweep(): void {
    const nowMs = this.now();
    for (const [key, { expiresAtMs }] of this.entries) {
      if (expiresAtMs > nowMs) break;
      this.remove(key);
    }
  }

  /** One timer, for the first that ends. It is left as it is when that one is renewed, and looks again when it fires. */
  private schedule(): void {
    if (this.timer !== undefined) return;
    const first = this.entries.values().next();
    if (first.done) return;
    const inMs = Math.max(SWEEP_MS_MIN, first.value.expiresAtMs - this.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.sweep();
      this.schedule();
    }, inMs).unref();
  }

  private tell(key: string, change: () => PresenceChange): void {
    for (const watcher of this.watchers)
      if (isUnder(watcher.prefix, key)) this.untold.push(() => this.call(watcher, change()));
  }

  /** In order, also where a watcher changes something while it is told. */
  private flush(): void {
    if (this.telling) return;
    this.telling = true;
    for (let next = this.untold.shift(); next; next = this.untold.shift()) next();
    this.telling = false;
  }

  private call({ open, onChange }: Watcher, change: PresenceChange): void {
    if (!open) return;
    try {
      onChange(change);
    } catch (error) {
      this.logger.error({ err: error, key: change.key }, 'A watcher of presence failed');
    }
  }
}
