import { AccountKeyText, type KeyHolder } from '@svc/contracts';
import { ProblemError } from '@svc/platform';
import { createHash } from 'node:crypto';

/** Keys that are remembered at one time; the one that was asked for first goes first. */
const KEYS_MAX = 10_000;
const REMEMBERED_MS = 60_000;
/** Keys that are being asked for at one time; others count by their address meanwhile. */
const ASKED_MAX = 32;

interface Remembered {
  readonly holder?: KeyHolder;
  readonly untilMs: number;
}

/**
 * Whose keys lately were, so that a burst can be counted by account without asking for every request. It admits nobody:
 * what a key may do is asked of its owner's service each time.
 */
export class KnownKeys {
  /** By digest: a key itself is kept nowhere. */
  private readonly remembered = new Map<string, Remembered>();
  private readonly asked = new Set<string>();

  /** @param ask whose key it is; rejects for a key that is none */
  constructor(private readonly ask: (accountKey: string) => Promise<KeyHolder>) {}

  /** The holder, where known; one that is not is asked for, for the next time. */
  holderOf(accountKey: string): KeyHolder | undefined {
    if (!AccountKeyText.safeParse(accountKey).success) return undefined;
    const digest = createHash('sha256').update(accountKey).digest('base64url');
    const known = this.remembered.get(digest);
    if (!known || known.untilMs <= Date.now()) this.learn(digest, accountKey);
    return known?.holder;
  }

  private learn(digest: string, accountKey: string): void {
    if (this.asked.has(digest) || this.asked.size >= ASKED_MAX) return;
    this.asked.add(digest);
    void this.ask(accountKey)
      .then(
        holder => this.remember(digest, holder),
        (error: unknown) => {
          const isNone = error instanceof ProblemError && error.status < 500;
          if (isNone) this.remember(digest, undefined);
        },
      )
      .finally(() => this.asked.delete(digest));
  }

  private remember(digest: string, holder: KeyHolder | undefined): void {
    this.remembered.delete(digest);
    this.remembered.set(digest, { holder, untilMs: Date.now() + REMEMBERED_MS });
    if (this.remembered.size <= KEYS_MAX) return;
    const [oldest] = this.remembered.keys();
    this.remembered.delete(oldest);
  }
}
