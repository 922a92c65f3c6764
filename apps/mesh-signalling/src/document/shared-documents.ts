import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Peer } from '../peer/peer.js';
import { MeshDocuments, type DocumentChannel, type DocumentOutlet } from './mesh-documents.js';
import type { DocumentReplica } from './document-replica.js';
import { PeerAllowances } from './peer-allowance.js';
import { PeerChannel } from './peer-channel.js';
import type { ReplicaSync } from './replica-sync.js';
import { StoredNews } from './stored-news.js';

/** How long the end of the service waits for Postgres to take what peers wrote, milliseconds. */
const CLOSE_MS = 5_000;

/** The document of the mesh, for the peers of this replica. */
export class SharedDocuments extends MeshDocuments implements OnModuleInit, OnModuleDestroy {
  private readonly channels = new Set<PeerChannel>();
  private readonly allowances = new PeerAllowances();

  constructor(
    readonly replica: DocumentReplica,
    private readonly sync: ReplicaSync,
    private readonly logger: Logger,
  ) {
    super();
    replica.listen({
      onStored: updates => {
        const news = new StoredNews(updates);
        for (const channel of [...this.channels]) channel.stored(news);
      },
      onGivenUp: ({ from }) => {
        for (const channel of [...this.channels]) if (channel === from) channel.givenUp();
      },
      onReplaced: isRenewed => {
        for (const channel of [...this.channels]) channel.restart(isRenewed);
      },
    });
  }

  /** How many channels are open. */
  get channelCount(): number {
    return this.channels.size;
  }

  async onModuleInit(): Promise<void> {
    await this.replica.load();
    this.sync.start();
    // What was stored since, and before it was listened for.
    await this.sync.round();
  }

  open(peer: Peer, outlet: DocumentOutlet): DocumentChannel {
    const channel = new PeerChannel({
      ...{ peer, outlet, replica: this.replica, logger: this.logger },
      allowance: this.allowances.of(peer.keyHash),
      onClosed: closed => void this.channels.delete(closed),
    });
    this.channels.add(channel);
    channel.begin();
    return channel;
  }

  /** Reads what other replicas have stored and tells them what is here. @throws ProblemError SERVICE_UNAVAILABLE */
  async compare(): Promise<void> {
    await this.replica.catchUp();
    void this.sync.round();
  }

  async onModuleDestroy(): Promise<void> {
    for (const channel of [...this.channels]) channel.close();
    await this.sync.stop();
    await this.replica.close(CLOSE_MS);
  }
}
