import type { ServiceName } from '@svc/contracts';

/** Who holds an entry says so by its revision: opaque, another one after each renewal, known to the holder alone. */
export type PresenceRevision = string;

/** What is there under a key. */
export interface PresenceEntry {
  /** Tokens of `[A-Za-z0-9_-]` joined by dots, at most 200 characters. */
  readonly key: string;
  /** A JSON value of at most 8 KiB; everybody gets a copy. */
  readonly value: unknown;
}

/** `put`: it is there, with this value. `gone`: released, expired, or lost with its server. */
export type PresenceChange =
  ({ readonly kind: 'put' } & PresenceEntry) | { readonly kind: 'gone'; readonly key: string };

export interface PresenceWatch {
  /** Nothing more is told. */
  stop(): void;
}

/**
 * Who is there, known to all replicas of a service: entries that live `ttlMs` unless they are renewed. What it promises:
 *
 * - Of all who claim a key that is free exactly one gets it, also at the moment when the entry before it expires.
 * - An entry is the holder's until it is released or was not renewed for `ttlMs`. Nobody is shown it longer than that, by
 *   the clock of whoever keeps it: the clocks of the readers do not matter.
 * - It is kept in memory. A server that starts again has lost every entry: their renewals answer undefined, and the holders
 *   claim again. A revision from before is of no use then, whatever was claimed since.
 * - What rejects may be done or not: a claim that nobody knows of expires by itself.
 *
 * @example
 * let held = await board.claim(`peers.${peerId}`, { node });
 * // each third of the lifetime:
 * held = held && (await board.renew(`peers.${peerId}`, { node }, held.revision));
 * held ??= await board.claim(`peers.${peerId}`, { node });
 */
export interface PresenceBoard {
  /**
   * Takes the key where nobody has it, and undefined where somebody does.
   * @throws RangeError for a key or a value that cannot be; ProblemError SERVICE_UNAVAILABLE, OVERLOADED when it is full
   */
  claim(key: string, value: unknown): Promise<{ readonly revision: PresenceRevision } | undefined>;
  /**
   * Begins the lifetime anew, with this value; undefined where the entry is another's or gone.
   * @throws RangeError, ProblemError as `claim`
   */
  renew(
    key: string,
    value: unknown,
    revision: PresenceRevision,
  ): Promise<{ readonly revision: PresenceRevision } | undefined>;
  /** Frees the key if the revision is still its own, and does nothing otherwise. @throws RangeError, ProblemError */
  release(key: string, revision: PresenceRevision): Promise<void>;
  /** @throws RangeError, ProblemError SERVICE_UNAVAILABLE */
  get(key: string): Promise<PresenceEntry | undefined>;
  /**
   * The entries of a prefix, which is a key: that one and those with more tokens behind it, in the order of their keys. The
   * empty prefix is all. What was done, here or elsewhere, before the question is in the answer. @throws RangeError, ProblemError
   */
  list(prefix: string): Promise<readonly PresenceEntry[]>;
  /** How many `list` would answer. @throws RangeError, ProblemError */
  count(prefix: string): Promise<number>;
  /**
   * Tells what is there, before it resolves, and from then on how that changes, for each key in order. It tells of state and
   * not of history: a renewal with the same value is not told, and of several changes while the server is away the last one.
   * While it is away, what is not seen to be renewed expires. @throws RangeError, ProblemError SERVICE_UNAVAILABLE at the start
   */
  watch(prefix: string, onChange: (change: PresenceChange) => void): Promise<PresenceWatch>;
}

export interface PresenceSettings {
  /** The service whose board it is: it sees no other's. */
  readonly owner: ServiceName;
  /** Lifetime of an entry that is not renewed, 100 to 86,400,000 ms; 60,000 by default. The same on all replicas. */
  readonly ttlMs?: number;
  /** Servers that keep each entry; 1 by default. */
  readonly replicas?: number;
  /** Size of all entries together, at most; 16 MiB by default. In process it is not counted. */
  readonly bytesMax?: number;
  /** How often the server says that it is there, from 100 ms on: two that are missed lead to it anew; 1,000 by default. */
  readonly heartbeatMs?: number;
}
