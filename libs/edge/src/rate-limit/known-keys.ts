import { AccountKeyText, type KeyHolder } from '@svc/contracts';
import { ProblemError } from '@svc/platform';
import { hash } from 'node:crypto';
import { FairShares } from './fair-shares.js';

/** Holders that are remembered at one time; the one whose key has not been shown for longest goes first. */
const HOLDERS_MAX = 10_000;
/** Keys that are known to be none; the one that was asked for first goes first. Anybody can make such keys up. */
const STRANGERS_MAX = 10_000;
const REMEMBERED_MS = 60_000;
/** Keys that are being asked for at one time, of holders and of strangers; others count by their address meanwhile. */
const ASKED_MAX = 32;
/** Of strangers' keys one address has an eighth of what the others leave. */
const ADDRESS_PARTS = 8;

interface Remembered {
  readonly holder: KeyHolder;
  readonly untilMs: number;
}

/**
 * Whose keys lately were, so that a burst can be counted by account without asking for every request. It admits nobody:
 * what a key may do is asked of its owner's service each time. Keys that are none are remembered beside, so that whoever makes keys
 * up displaces nobody's.
 */
export class KnownKeys {
  /** By digest: a key itself is kept nowhere. */
  private readonly holders = new Map<string, Remembered>();
  /** Until when they are known to be none, milliseconds. */
  private readonly strangers = new Map<string, number>();
  private readonly asked = new Set<string>();
  private readonly ofStrangers = new FairShares(ASKED_MAX, ADDRESS_PARTS);
  /** All of them ours: whoever has a good key has no share of its own to use up. */
  private readonly ofHolders = new FairShares(ASKED_MAX, 1);

  /** @param ask whose key it is; rejects for a key that is none */
  constructor(private readonly ask: (accountKey: string) => Promise<KeyHolder>) {}

  /** The holder, where known; one that is not is asked for, for the next time. */
  holderOf(accountKey: string, address: string): KeyHolder | undefined {
    if (!AccountKeyText.safeParse(accountKey).success) return undefined;
    const digest = hash('sha256', accountKey, 'base64url');
    const known = this.holders.get(digest);
    if (known) putLast(this.holders, digest, known, HOLDERS_MAX);
    const untilMs = known?.untilMs ?? this.strangers.get(digest) ?? -Infinity;
    if (untilMs <= Date.now()) this.learn(digest, accountKey, known ? undefined : address);
    return known?.holder;
  }

  /** @param address of a stranger */
  private learn(digest: string, accountKey: string, address: string | undefined): void {
    const [shares, whose] = address === undefined ? [this.ofHolders, ''] : [this.ofStrangers, address];
    if (this.asked.has(digest) || !shares.hasRoomFor(whose)) return;
    this.asked.add(digest);
    shares.take(whose);
    void this.ask(accountKey)
      .then(
        holder => this.remember(digest, holder),
        (error: unknown) => {
          const isNone = error instanceof ProblemError && error.status < 500;
          if (isNone) this.remember(digest, undefined);
        },
      )
      .finally(() => {
        this.asked.delete(digest);
        shares.giveBack(whose);
      });
  }

  private remember(digest: string, holder: KeyHolder | undefined): void {
    const untilMs = Date.now() + REMEMBERED_MS;
    this.holders.delete(digest);
    this.strangers.delete(digest);
    if (holder) putLast(this.holders, digest, { holder, untilMs }, HOLDERS_MAX);
    else putLast(this.strangers, digest, untilMs, STRANGERS_MAX);
  }
}

/** Puts an entry behind the others, of which the first goes where there are too many. */
export function putLast<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const [oldest] = map.keys();
  map.delete(oldest);
}
