import { createLogger } from '@svc/platform';
import { type DocumentChannel, type DocumentOutlet, MeshDocuments } from '../src/document/mesh-documents.js';
import type { Peer } from '../src/peer/peer.js';
import { SessionLedger } from '../src/sessions/session-ledger.js';
import {
  NodeDatachannelSuperPeer,
  type SuperPeerSettings,
} from '../src/super-peer/node-datachannel-super-peer.js';
import { DataChannelPeer } from './data-channel-peer.js';

/** What connections told of themselves. */
export class KeptLedger extends SessionLedger {
  readonly opened: string[] = [];
  readonly ended = new Map<string, string>();

  connected(sessionId: string): void {
    this.opened.push(sessionId);
  }

  closed(sessionId: string, reason: string): void {
    if (this.ended.has(sessionId)) throw new Error(`${sessionId} is closed twice`);
    this.ended.set(sessionId, reason);
  }
}

/** Documents that keep what comes, and let a test send. */
export class KeptDocuments extends MeshDocuments {
  readonly opened: { peer: Peer; outlet: DocumentOutlet; received: Uint8Array[]; isClosed: boolean }[] = [];
  onReceive: (message: Uint8Array, outlet: DocumentOutlet) => void = () => undefined;

  open(peer: Peer, outlet: DocumentOutlet): DocumentChannel {
    const kept = { peer, outlet, received: [] as Uint8Array[], isClosed: false };
    this.opened.push(kept);
    outlet.send(Uint8Array.of(0, 0, 1, 0));
    return {
      receive: message => {
        kept.received.push(message);
        this.onReceive(message, outlet);
      },
      close: () => void (kept.isClosed = true),
    };
  }
}

/** A presence board that never forgets. */
export class KeptBoard {
  readonly entries = new Map<string, unknown>();
  private revisions = 0;

  async claim(key: string, value: unknown) {
    if (this.entries.has(key)) return undefined;
    this.entries.set(key, value);
    return { revision: `${++this.revisions}` };
  }

  async renew() {
    return { revision: `${++this.revisions}` };
  }

  async release(key: string) {
    this.entries.delete(key);
  }
}

/** A super-peer without the service around it. */
export class LoneSuperPeer {
  readonly ledger = new KeptLedger();
  readonly documents = new KeptDocuments();
  readonly board = new KeptBoard();
  readonly superPeer: NodeDatachannelSuperPeer;
  private sessions = 0;

  private constructor(settings: Partial<SuperPeerSettings> = {}) {
    const { ledger, documents, board } = this;
    this.superPeer = new NodeDatachannelSuperPeer(
      {
        ...{ nodeId: 'node-of-the-tests', udpPort: 0, candidateRules: { candidates: 'any' } },
        ...{ connectionsMax: 1_000, unopenedMs: 30_000, idleMs: 120_000 },
        ...{ presenceTtlMs: 60_000, documentName: 'mesh', drainMs: 500, lingerMs: 250, ...settings },
      },
      { ledger, documents, board, logger: createLogger('mesh-signalling', { level: 'silent' }) },
    );
  }

  static async start(settings?: Partial<SuperPeerSettings>): Promise<LoneSuperPeer> {
    const lone = new LoneSuperPeer(settings);
    await lone.superPeer.onModuleInit();
    return lone;
  }

  newSessionId(): string {
    return `mesh_${++this.sessions}`;
  }

  /** Takes a peer through offer and answer; returns the session. */
  async join(peer: DataChannelPeer, labels?: readonly string[]): Promise<string> {
    const sessionId = this.newSessionId();
    const offer = await peer.offer(labels);
    peer.accept((await this.superPeer.answer(sessionId, offer, peer.peer)).sdpAnswer);
    return sessionId;
  }

  async close(): Promise<void> {
    await this.superPeer.beforeApplicationShutdown();
  }
}
