/** What may be used at once, and how fast it comes back. */
interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * What one peer may do, over all its channels. The bursts are for whoever comes back from being offline, or sets thousands of
 * values at once; the client ids for an editor that is opened again and again.
 */
export const PEER_RATES = {
  messages: { burst: 8_192, perSecond: 500 },
  bytes: { burst: 4 * 1024 * 1024, perSecond: 1024 * 1024 },
  clientIds: { burst: 16, perSecond: 1 / 60 },
} as const satisfies Record<string, Rate>;
type Use = keyof typeof PEER_RATES;

/** Peers that are remembered after they left; beyond that those that have used nothing lately are forgotten. */
const PEERS_KEPT_MAX = 4_096;

/** Token buckets of one peer: a use that is larger than what is left makes the next ones wait, and is not refused. */
export class PeerAllowance {
  private readonly left: Record<Use, number>;
  private atMs: number;

  /** @param nowMs a clock that never goes back */
  constructor(private readonly nowMs: () => number) {
    this.left = { messages: 0, bytes: 0, clientIds: 0 };
    for (const use of USES) this.left[use] = PEER_RATES[use].burst;
    this.atMs = nowMs();
  }

  /** Whether nothing was used lately. */
  get isFull(): boolean {
    this.refill();
    return USES.every(use => this.left[use] >= PEER_RATES[use].burst);
  }

  take(use: Use, count: number): void {
    this.refill();
    this.left[use] -= count;
  }

  /** Takes it where there is so much. */
  takeIfThere(use: Use, count: number): boolean {
    this.refill();
    if (this.left[use] < count) return false;
    this.left[use] -= count;
    return true;
  }

  /** How long until the next message may be taken, milliseconds; 0: now. */
  get waitMs(): number {
    this.refill();
    const lacking = (['messages', 'bytes'] as const).map(
      use => ((this.left[use] < 0 ? -this.left[use] : 0) * 1_000) / PEER_RATES[use].perSecond,
    );
    return Math.ceil(Math.max(...lacking));
  }

  private refill(): void {
    const now = this.nowMs();
    const seconds = (now - this.atMs) / 1_000;
    this.atMs = now;
    for (const use of USES) {
      const { burst, perSecond } = PEER_RATES[use];
      this.left[use] = Math.min(burst, this.left[use] + seconds * perSecond);
    }
  }
}

const USES = Object.keys(PEER_RATES) as readonly Use[];

/** The allowances of the peers of a replica, by their names: whoever goes and comes again has the same. */
export class PeerAllowances {
  private readonly peers = new Map<string, PeerAllowance>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  get count(): number {
    return this.peers.size;
  }

  of(peer: string): PeerAllowance {
    const known = this.peers.get(peer) ?? new PeerAllowance(this.nowMs);
    if (this.peers.size >= PEERS_KEPT_MAX) this.forgetIdle();
    this.peers.set(peer, known);
    return known;
  }

  private forgetIdle(): void {
    for (const [peer, allowance] of this.peers) if (allowance.isFull) this.peers.delete(peer);
  }
}
