import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { MeshNode } from '@svc/mesh';
import { LeaderLoop, type PresenceBoard, type PresenceWatch, SessionLock } from '@svc/platform';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { PeerPresence } from '../peer/peer.js';
import type { DocumentReplica } from './document-replica.js';

/** Prefix of the presences of peers: `peer.<hash of its key>.<what it is there by>`. */
const PEER = 'peer';
/** Between two looks at who is there, where nothing was told in between, milliseconds. */
const LOOK_MS = 5_000;
/** Entries of one update. */
const ENTRIES_MAX = 256;

/** A peer that is there. */
export interface PresentPeer {
  readonly keyHash: string;
  readonly publicKey: string;
  /** When it came, Unix milliseconds. */
  readonly since: number;
}

/** Who is there, each peer once however often it is. @throws ProblemError SERVICE_UNAVAILABLE */
export async function presentPeers(board: PresenceBoard): Promise<ReadonlyMap<string, PresentPeer>> {
  const peers = new Map<string, PresentPeer>();
  for (const { key, value } of await board.list(PEER)) {
    const keyHash = key.split('.')[1] ?? '';
    const parsed = PeerPresence.safeParse(value);
    if (!parsed.success || !/^[0-9a-f]{64}$/.test(keyHash)) continue;
    const { publicKey, since } = parsed.data;
    const earlier = peers.get(keyHash)?.since;
    peers.set(keyHash, { keyHash, publicKey, since: Math.min(earlier ?? since, since) });
  }
  return peers;
}

export interface NodeEntriesParts {
  readonly dataSource: DataSource;
  readonly replica: DocumentReplica;
  readonly board: PresenceBoard;
  /** How long an entry stays after the peer was there last, milliseconds. */
  readonly graceMs: number;
  readonly logger: Logger;
}

/**
 * Writes into the document who is there: `nodes[<hash of the key>]`. One replica of all does it, so that no entry comes and
 * goes by turns; an entry outlives the presence for a while, so that none goes when all presences are claimed anew.
 */
export class NodeEntries implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: LeaderLoop;
  /** Since when an entry's peer is seen no more, by the clock of this process. */
  private readonly goneSince = new Map<string, number>();
  private watch: PresenceWatch | undefined;
  private watching = false;

  constructor(private readonly parts: NodeEntriesParts) {
    const { dataSource, logger, replica, graceMs } = parts;
    this.loop = new LeaderLoop(
      {
        begin: () => {
          this.goneSince.clear();
          return replica.catchUp();
        },
        turn: session => this.turn(session),
      },
      {
        lock: new SessionLock(dataSource, 'mesh nodes', logger),
        ...{ logger, onFailure: 'The nodes of the mesh were not written' },
        pollMs: Math.min(LOOK_MS, Math.max(100, graceMs)),
      },
    );
  }

  onApplicationBootstrap(): void {
    this.loop.start();
    void this.watchPeers();
  }

  async onModuleDestroy(): Promise<void> {
    this.watch?.stop();
    await this.loop.stop();
  }

  private async turn(session: SessionLock): Promise<boolean> {
    if (!this.watch) void this.watchPeers();
    const { replica, logger } = this.parts;
    const present = await this.present(session);
    const { nodes } = replica.document.state;
    const coming = [...present.values()].filter(({ keyHash }) => !Object.hasOwn(nodes, keyHash));
    const going = this.goneOf(Object.keys(nodes), present);
    if (coming.length + going.length === 0) return false;
    await replica.write(entries => {
      for (const { keyHash, publicKey, since } of coming.slice(0, ENTRIES_MAX)) {
        const node: MeshNode = { publicKey, identity: 'verified', since };
        entries.nodes.set(keyHash, node);
      }
      for (const keyHash of going.slice(0, ENTRIES_MAX)) entries.nodes.delete(keyHash);
    });
    logger.debug({ coming: coming.length, going: going.length }, 'Nodes of the mesh were written');
    return Math.max(coming.length, going.length) > ENTRIES_MAX;
  }

  /** Who is there. Where this replica cannot see that, another may, and does it from then on. */
  private async present(session: SessionLock): Promise<ReadonlyMap<string, PresentPeer>> {
    try {
      return await presentPeers(this.parts.board);
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  /** Entries whose peers have not been there for the time of grace. */
  private goneOf(entries: readonly string[], present: ReadonlyMap<string, PresentPeer>): string[] {
    const now = performance.now();
    const absent = entries.filter(keyHash => !present.has(keyHash));
    for (const keyHash of [...this.goneSince.keys()])
      if (present.has(keyHash) || !entries.includes(keyHash)) this.goneSince.delete(keyHash);
    for (const keyHash of absent) if (!this.goneSince.has(keyHash)) this.goneSince.set(keyHash, now);
    return absent.filter(keyHash => now - (this.goneSince.get(keyHash) ?? now) >= this.parts.graceMs);
  }

  private async watchPeers(): Promise<void> {
    if (this.watching) return;
    this.watching = true;
    try {
      this.watch = await this.parts.board.watch(PEER, () => this.loop.wake());
    } catch (error) {
      // Without it, presences are looked at less often.
      this.parts.logger.warn(
        { reason: (error as Error).message },
        'The presences of peers are not watched yet',
      );
    } finally {
      this.watching = false;
    }
  }
}
