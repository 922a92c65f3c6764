import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { type Drains, type PresenceBoard, problem, unprocessable } from '@svc/platform';
import type { RtcConfig } from 'node-datachannel';
import type { Logger } from 'pino';
import type { MeshDocuments } from '../document/mesh-documents.js';
import type { Peer, PeerPresence } from '../peer/peer.js';
import type { SessionLedger } from '../sessions/session-ledger.js';
import { MESSAGE_BYTES_MAX } from './channel.js';
import type { ChannelSetParts } from './channel-set.js';
import { Connection, type ConnectionEvents } from './connection.js';
import { EchoBudget } from './echo-channel.js';
import { PresenceClaims } from './presence-claims.js';
import { completeAnswer, withoutCandidates } from './session-description.js';
import { NOT_ANSWERED, SuperPeer, type SuperPeerAnswer } from './super-peer.js';
import { onPort, UdpPort } from './udp-port.js';

const DRAIN_MS_DEFAULT = 2_000;

/** Where connections are, and how many and how long. */
export interface SuperPeerSettings {
  readonly nodeId: string;
  /** The one UDP port of all connections; 0: any free one. */
  readonly udpPort: number;
  /** Of this machine; all of them where it is not given. */
  readonly bindAddress?: string | undefined;
  /** Where the world reaches the port, where that is no address of this machine. */
  readonly publicAddress?: string | undefined;
  /** `stun:host:port`; asked where there is no public address. */
  readonly stunUrls?: readonly string[];
  readonly candidateRules: { readonly candidates: 'any' | 'public' };
  readonly connectionsMax: number;
  readonly unopenedMs: number;
  readonly idleMs: number;
  /** Lifetime of an entry of the presence board. */
  readonly presenceTtlMs: number;
  readonly documentName: string;
  /** How long connections stay open once their peers were told to find another replica; 2,000 by default. */
  readonly drainMs?: number;
  /** A peer that is told why closes the connection itself; it is closed so long after in any case, 1,000 by default. */
  readonly lingerMs?: number;
}

export interface SuperPeerParts {
  readonly ledger: SessionLedger;
  readonly documents: MeshDocuments;
  readonly board: Pick<PresenceBoard, 'claim' | 'renew' | 'release'>;
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * Connections by libdatachannel, all on one UDP port. Each has a certificate of its own: that costs half a millisecond an answer,
 * there is no key to keep, and the fingerprint of one session says nothing of another. The signature of the answer covers it.
 *
 * The library's own `cleanup` is not called: it would close the connections of everybody in the process. Once each connection is
 * closed nothing of it keeps the process.
 */
export class NodeDatachannelSuperPeer
  extends SuperPeer
  implements Drains, OnModuleInit, BeforeApplicationShutdown
{
  readonly nodeId: string;
  private readonly open = new Map<string, Connection>();
  private readonly channelParts: ChannelSetParts;
  private readonly claims: PresenceClaims;
  private readonly now: () => number;
  private port: UdpPort | undefined;
  private drained: Promise<void> | undefined;
  private allReleased: (() => void) | undefined;

  constructor(
    private readonly settings: SuperPeerSettings,
    private readonly parts: SuperPeerParts,
  ) {
    super();
    this.nodeId = settings.nodeId;
    this.now = parts.now ?? Date.now;
    this.claims = new PresenceClaims(parts.board, settings.presenceTtlMs, parts.logger);
    this.channelParts = { documents: parts.documents, echoBudget: new EchoBudget(), now: this.now };
  }

  /** Connections that are open, or may be. */
  get connections(): number {
    return this.open.size;
  }

  /** Takes the port. @throws Error where somebody has it */
  async onModuleInit(): Promise<void> {
    const { udpPort, bindAddress, nodeId } = this.settings;
    this.port = await UdpPort.take(udpPort, bindAddress);
    this.claims.hold(`node.${nodeId}`, { startedAt: new Date(this.now()).toISOString() });
  }

  async answer(sessionId: string, sdpOffer: string, peer: Peer): Promise<SuperPeerAnswer> {
    const port = this.requireRoom();
    const offer = withoutCandidates(sdpOffer);
    let isAnswered = false;
    const connection = this.connect(sessionId, peer, port, () => isAnswered);
    try {
      const sdpAnswer = await this.answerOf(connection, offer);
      isAnswered = true;
      const { publicAddress, candidateRules } = this.settings;
      return completeAnswer(sdpAnswer, {
        ...(publicAddress !== undefined && { publicAddress }),
        ...{ port: port.number, messageBytesMax: MESSAGE_BYTES_MAX, candidates: candidateRules.candidates },
      });
    } catch (error) {
      connection.drop('FAILED');
      throw error;
    }
  }

  sessionIds(): readonly string[] {
    return [...this.open.keys()];
  }

  isOpen(sessionId: string): boolean | undefined {
    return this.open.get(sessionId)?.isOpen;
  }

  addCandidates(sessionId: string, candidates: readonly string[]): boolean {
    const connection = this.open.get(sessionId);
    connection?.addCandidates(candidates);
    return connection !== undefined;
  }

  close(sessionId: string, reason: string): boolean {
    const connection = this.open.get(sessionId);
    connection?.end(reason);
    return connection !== undefined;
  }

  /** Takes no more offers, tells the peers to go, and closes what is left after `drainMs`. */
  drain(): void {
    this.drained ??= this.drainAll();
  }

  /** Before the ledger and the bus close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.drain();
    await this.drained;
    await this.claims.close();
    this.port?.close();
    this.port = undefined;
  }

  private async drainAll(): Promise<void> {
    const { drainMs = DRAIN_MS_DEFAULT } = this.settings;
    for (const connection of this.open.values()) {
      // Whoever cannot be told has nothing to finish.
      if (!connection.tell({ type: 'draining', reconnectWithinMs: drainMs })) connection.drop('DRAINED');
    }
    if (this.open.size > 0) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, drainMs);
        this.allReleased = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    for (const connection of [...this.open.values()]) connection.drop('DRAINED');
  }

  /** @throws ProblemError OVERLOADED */
  private requireRoom(): UdpPort {
    const { connectionsMax } = this.settings;
    if (this.drained || !this.port) {
      throw problem('OVERLOADED', 'This replica takes no more connections', { retryAfterSeconds: 1 });
    }
    if (this.open.size >= connectionsMax) {
      const detail = `All ${connectionsMax} connections of this replica are in use`;
      throw problem('OVERLOADED', detail, { retryAfterSeconds: 5 });
    }
    return this.port;
  }

  private connect(sessionId: string, peer: Peer, port: UdpPort, isAnswered: () => boolean): Connection {
    if (this.open.has(sessionId)) throw new Error(`session ${sessionId} has a connection`);
    const { nodeId, documentName, unopenedMs, idleMs, lingerMs } = this.settings;
    const rtc = this.rtcConfig(port.number);
    const connection = new Connection(
      { sessionId, peer, nodeId, documentName, unopenedMs, idleMs, lingerMs, rtc },
      this.channelParts,
      this.eventsOf(sessionId, peer, isAnswered),
      this.parts.logger,
    );
    this.open.set(sessionId, connection);
    return connection;
  }

  private eventsOf(sessionId: string, peer: Peer, isAnswered: () => boolean): ConnectionEvents {
    const { ledger } = this.parts;
    const { publicKey, keyHash, identity } = peer;
    const { claims, nodeId } = this;
    return {
      connected: () => {
        claims.hold(`session.${sessionId}`, { nodeId });
        if (identity === 'verified') {
          const presence: PeerPresence = { via: 'channel', nodeId, publicKey, since: this.now() };
          claims.hold(`peer.${keyHash}.${sessionId}`, presence);
        }
        ledger.connected(sessionId);
      },
      ended: reason => {
        claims.let(`session.${sessionId}`);
        claims.let(`peer.${keyHash}.${sessionId}`);
        // A peer that goes because it was told to did not end it.
        const told = this.drained && reason === 'PEER_CLOSED' ? 'DRAINED' : reason;
        if (isAnswered() && reason !== NOT_ANSWERED) ledger.closed(sessionId, told);
      },
      released: () => {
        this.open.delete(sessionId);
        if (this.open.size === 0) this.allReleased?.();
      },
    };
  }

  private async answerOf(
    connection: Connection,
    offer: ReturnType<typeof withoutCandidates>,
  ): Promise<string> {
    let sdpAnswer: string | undefined;
    try {
      sdpAnswer = await connection.answer(offer);
    } catch (error) {
      this.parts.logger.info({ err: error }, 'An offer was not taken');
      throw unprocessable('sdpOffer', 'the offer cannot be answered');
    }
    if (sdpAnswer !== undefined) return sdpAnswer;
    if (this.drained) throw problem('OVERLOADED', 'This replica closes', { retryAfterSeconds: 1 });
    throw problem('TIMEOUT', 'No address of this replica was found in time');
  }

  private rtcConfig(port: number): RtcConfig {
    const { bindAddress, publicAddress, stunUrls = [] } = this.settings;
    return {
      // Of these the library speaks STUN over UDP alone.
      iceServers: publicAddress === undefined ? stunUrls.filter(url => url.startsWith('stun:')) : [],
      // It cuts what is longer: with one byte more to spare that shows.
      maxMessageSize: MESSAGE_BYTES_MAX + 1,
      ...onPort(port, bindAddress),
    };
  }
}
