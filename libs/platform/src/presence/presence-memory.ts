import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { problem } from '../problem-details/problem-error.js';
import type {
  PresenceBoard,
  PresenceChange,
  PresenceEntry,
  PresenceRevision,
  PresenceWatch,
} from './presence-board.js';
import { assertPresenceKey, assertPresencePrefix, presenceJson } from './presence-key.js';
import { PresenceView } from './presence-view.js';

/** The boards of all services on a bus within one process, kept by it and not by its ends. */
export class MemoryPresenceStore {
  private readonly boards = new Map<string, PresenceView>();

  /** @param now a clock that never goes back, milliseconds */
  constructor(readonly now: () => number = () => performance.now()) {}

  board(owner: string, logger: Logger): PresenceView {
    const known = this.boards.get(owner) ?? new PresenceView(this.now, logger);
    this.boards.set(owner, known);
    return known;
  }
}

/** One service's end of a {@link MemoryPresenceStore}. */
export class MemoryPresenceBoard implements PresenceBoard {
  private readonly store: MemoryPresenceStore;
  private readonly view: PresenceView;

  constructor(
    private readonly link: { readonly connected: boolean; readonly presence: MemoryPresenceStore },
    private readonly settings: { readonly owner: string; readonly ttlMs: number },
    logger: Logger,
  ) {
    this.store = link.presence;
    this.view = this.store.board(settings.owner, logger);
  }

  async claim(key: string, value: unknown): Promise<{ revision: PresenceRevision } | undefined> {
    assertPresenceKey(key);
    const json = presenceJson(value);
    this.assertOpen();
    return this.view.get(key) ? undefined : this.put(key, json);
  }

  async renew(
    key: string,
    value: unknown,
    revision: PresenceRevision,
  ): Promise<{ revision: PresenceRevision } | undefined> {
    assertPresenceKey(key);
    const json = presenceJson(value);
    this.assertOpen();
    return this.view.get(key)?.revision === revision ? this.put(key, json) : undefined;
  }

  async release(key: string, revision: PresenceRevision): Promise<void> {
    assertPresenceKey(key);
    this.assertOpen();
    if (this.view.get(key)?.revision === revision) this.view.remove(key);
  }

  async get(key: string): Promise<PresenceEntry | undefined> {
    assertPresenceKey(key);
    this.assertOpen();
    const entry = this.view.get(key);
    return entry && { key, value: JSON.parse(entry.json) };
  }

  async list(prefix: string): Promise<readonly PresenceEntry[]> {
    assertPresencePrefix(prefix);
    this.assertOpen();
    return this.view.list(prefix);
  }

  async count(prefix: string): Promise<number> {
    assertPresencePrefix(prefix);
    this.assertOpen();
    return this.view.count(prefix);
  }

  async watch(prefix: string, onChange: (change: PresenceChange) => void): Promise<PresenceWatch> {
    assertPresencePrefix(prefix);
    this.assertOpen();
    // A link that is closed is a process that has died: it hears nothing any more.
    return this.view.watch(prefix, change => {
      if (this.link.connected) onChange(change);
    });
  }

  private put(key: string, json: string): { revision: PresenceRevision } {
    const revision = randomUUID();
    this.view.put(key, { json, revision, expiresAtMs: this.store.now() + this.settings.ttlMs });
    return { revision };
  }

  private assertOpen(): void {
    if (!this.link.connected)
      throw problem('SERVICE_UNAVAILABLE', 'The bus is closed', { retryAfterSeconds: 1 });
  }
}
