import type { PresenceBoard } from '@svc/platform';
import type { Logger } from 'pino';

type Board = Pick<PresenceBoard, 'claim' | 'renew' | 'release'>;

interface Claim {
  readonly value: unknown;
  revision: string | undefined;
  /** What was last begun for this key: one thing at a time, in order. */
  done: Promise<void>;
}

/** Within a lifetime, each entry is renewed so often. */
const RENEWALS = 3;
/** Between two renewals of all, one of them is looked at so often less one: a board that has lost it has lost all. */
const LOOKS = 4;
/** Keys that are renewed at once. */
const TOGETHER = 64;

/**
 * Entries of the presence board that this replica keeps up, until it lets them go. A board that is away or has forgotten them
 * gets them again with the next look; nothing here rejects.
 */
export class PresenceClaims {
  private readonly claims = new Map<string, Claim>();
  private readonly released = new Set<Promise<void>>();
  private readonly timer: NodeJS.Timeout;
  private round: Promise<void> | undefined;
  private isClosed = false;
  private looks = 0;

  /** @param ttlMs of the board: each entry is renewed three times within it */
  constructor(
    private readonly board: Board,
    ttlMs: number,
    private readonly logger: Logger,
  ) {
    const look = () => void (this.round ??= this.look().finally(() => (this.round = undefined)));
    this.timer = setInterval(look, ttlMs / RENEWALS / LOOKS).unref();
  }

  get size(): number {
    return this.claims.size;
  }

  /** Claims the key, and renews it from now on. */
  hold(key: string, value: unknown): void {
    if (this.isClosed || this.claims.has(key)) return;
    const claim: Claim = { value, revision: undefined, done: Promise.resolve() };
    this.claims.set(key, claim);
    this.next(key, claim, () => this.take(key, claim));
  }

  /** Gives the key back, if it is held. */
  let(key: string): void {
    const claim = this.claims.get(key);
    if (!claim) return;
    this.claims.delete(key);
    const releasing = this.next(key, claim, async () => {
      if (claim.revision !== undefined) await this.board.release(key, claim.revision);
    });
    this.released.add(releasing);
    void releasing.then(() => this.released.delete(releasing));
  }

  /** Gives all back. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    for (const key of [...this.claims.keys()]) this.let(key);
    await Promise.all(this.released);
  }

  private async look(): Promise<void> {
    if (++this.looks % LOOKS === 0) return this.renewAll();
    // One that another replica has is not lost.
    const first = [...this.claims].find(([, { revision }]) => revision !== undefined);
    if (!first) return;
    const [key, claim] = first;
    let isLost = false;
    await this.next(key, claim, async () => void (isLost = !(await this.renew(key, claim))));
    if (isLost) await this.renewAll();
  }

  private async renewAll(): Promise<void> {
    const all = [...this.claims];
    for (let i = 0; i < all.length; i += TOGETHER) {
      const part = all.slice(i, i + TOGETHER).filter(([key, claim]) => this.claims.get(key) === claim);
      await Promise.all(part.map(([key, claim]) => this.next(key, claim, () => this.renew(key, claim))));
    }
  }

  /** Returns whether it was there still. */
  private async renew(key: string, claim: Claim): Promise<boolean> {
    const renewed =
      claim.revision === undefined ? undefined : await this.board.renew(key, claim.value, claim.revision);
    claim.revision = renewed?.revision;
    if (!renewed) await this.take(key, claim);
    return renewed !== undefined;
  }

  private async take(key: string, claim: Claim): Promise<void> {
    claim.revision = (await this.board.claim(key, claim.value))?.revision;
  }

  private next(key: string, claim: Claim, step: () => Promise<unknown>): Promise<void> {
    claim.done = claim.done
      .then(step)
      .then(() => undefined)
      .catch((error: unknown) => this.logger.warn({ err: error, key }, 'Presence could not be told'));
    return claim.done;
  }
}
