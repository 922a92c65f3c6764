import { addCandidates } from './direct-connection.js';

/** More than one side may have. */
const HELD_MAX = 64;

/**
 * Candidates of the side that offered, kept from the connection that answers it until they are released. Checks of ICE that come
 * before the answer does are of no use to the other side, and libdatachannel fails by them: it does not know the certificate yet.
 * Its own checks, which it sends when it has the answer, open the connection without these.
 */
export class HeldCandidates {
  private held: string[] | undefined = [];
  private readonly added = new Set<string>();

  constructor(private readonly connection: RTCPeerConnection) {}

  add(candidates: readonly string[]): void {
    if (this.held === undefined) void addCandidates(this.connection, candidates, this.added);
    else this.held.push(...candidates.slice(0, HELD_MAX - this.held.length));
  }

  /** From now on candidates go to the connection at once. */
  release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    this.add(held);
  }
}
