import { PeerConnection, type RtcConfig } from 'node-datachannel';
import type { Logger } from 'pino';
import type { Peer } from '../peer/peer.js';
import { CHANNEL_LABELS, type Guard } from './channel.js';
import { ChannelSet, type ChannelSetParts } from './channel-set.js';
import type { ServiceMessage } from './control-channel.js';
import type { BareOffer } from './session-description.js';

/** How long gathering may take: long only with a STUN server that does not answer. */
const GATHER_MS_MAX = 500;
/** Channels that the peer has not opened so long after the connection are opened for it. */
const OWN_CHANNELS_MS = 250;
/** A peer that was not heard so long after the answer may be behind a NAT that lets nobody in whom it did not send to. */
const LATE_CHECKS_MS = 1_000;
/** A peer that is told why closes the connection itself; it is closed so long after in any case. */
const LINGER_MS_DEFAULT = 1_000;

/** What one connection is. */
export interface ConnectionSettings {
  readonly sessionId: string;
  readonly peer: Peer;
  readonly nodeId: string;
  readonly documentName: string;
  /** Its channels are open so long after the answer, or it is closed. */
  readonly unopenedMs: number;
  /** No message is sent or received for so long, and it is closed. */
  readonly idleMs: number;
  readonly lingerMs?: number | undefined;
  readonly rtc: RtcConfig;
}

/** What a connection tells; each once. */
export interface ConnectionEvents {
  connected(): void;
  /** It does nothing any more, but that the peer may be told why still. */
  ended(reason: string): void;
  /** Nothing of it is left. */
  released(): void;
}

type TimerName = 'own' | 'late' | 'unopened' | 'idle' | 'linger';

/**
 * One peer's connection to this replica.
 *
 * The peer's candidates are not given to the library: it learns where the peer is from the first check that was made with the password
 * of the answer. So an offer makes this replica send nothing anywhere, where libjuice would make seven checks within 40 s for each
 * of up to thirty candidates of whatever address. And the handshake of DTLS begins when the peer has had the answer: its first
 * message would be lost before that, and come again after a second.
 */
export class Connection {
  private readonly native: PeerConnection;
  private readonly channels: ChannelSet;
  private readonly timers = new Map<TimerName, NodeJS.Timeout>();
  /** Candidates of the peer that the library was not told; none is told where this is undefined. */
  private untold: string[] | undefined = [];
  private mid = '0';
  private activeAt = 0;
  private isEnded = false;
  private isReleased = false;

  /** @throws Error where the library makes none */
  constructor(
    private readonly settings: ConnectionSettings,
    parts: ChannelSetParts,
    private readonly events: ConnectionEvents,
    private readonly logger: Logger,
  ) {
    this.channels = new ChannelSet(
      {
        peer: settings.peer,
        welcome: () => this.welcome(),
        active: () => void (this.activeAt = performance.now()),
        connected: () => this.connected(),
        bye: () => this.drop('PEER_CLOSED'),
        end: reason => this.end(reason),
      },
      parts,
      this.guarded(() => this.isEnded),
    );
    // One that did not show who it is could have anybody's address sent to.
    if (settings.peer.identity !== 'verified') this.untold = undefined;
    this.native = new PeerConnection(settings.sessionId, settings.rtc);
  }

  /**
   * Takes the offer, and resolves with the library's answer and what could be gathered, or undefined where it was ended meanwhile
   * or has none in time.
   * @throws Error where the library does not take the offer
   */
  async answer({ sdp, candidates, mid }: BareOffer): Promise<string | undefined> {
    const { native } = this;
    const guard = this.guarded(() => this.isReleased);
    native.onStateChange(state => guard(() => this.stateChanged(state)));
    native.onDataChannel(channel => guard(() => this.isEnded || this.channels.take(channel)));
    const isComplete = new Promise<void>(resolve =>
      native.onGatheringStateChange(state => {
        if (state === 'complete') resolve();
      }),
    );
    this.mid = mid;
    native.setRemoteDescription(sdp, 'offer');
    if (native.gatheringState() !== 'complete') await within(isComplete, GATHER_MS_MAX);
    if (this.isEnded) return undefined;
    this.addCandidates(candidates);
    this.after('late', LATE_CHECKS_MS, () => this.tellCandidates());
    this.after('unopened', this.settings.unopenedMs, () => this.end('UNOPENED'));
    return native.localDescription()?.sdp;
  }

  /** Whether its channels were all open, and it has not ended. */
  get isOpen(): boolean {
    return this.timers.has('idle');
  }

  /** Candidates of the peer, for the case that it cannot be heard without a check of ours; of a verified peer alone. */
  addCandidates(candidates: readonly string[]): void {
    this.untold?.push(...candidates);
    if (!this.timers.has('late') && this.timers.has('unopened')) this.tellCandidates();
  }

  /** Returns whether it is on its way. */
  tell(message: ServiceMessage): boolean {
    return !this.isEnded && this.channels.tell(message);
  }

  /** Ends it, and says why to a peer that can hear it. Again, it does nothing. */
  end(reason: string): void {
    if (this.isEnded) return;
    const isTold = this.channels.tell({ type: 'closing', reason });
    // Telling may end it for a reason of its own.
    if (this.isEnded) return;
    this.over(reason);
    if (isTold) this.after('linger', this.settings.lingerMs ?? LINGER_MS_DEFAULT, () => this.release());
    else this.release();
  }

  /** Ends it at once: the peer is gone, or was told before. */
  drop(reason: string): void {
    if (!this.isEnded) this.over(reason);
    this.release();
  }

  private over(reason: string): void {
    this.isEnded = true;
    this.clearTimers();
    this.events.ended(reason);
  }

  private release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.clearTimers();
    this.channels.close();
    this.native.close();
    this.events.released();
  }

  private stateChanged(state: string): void {
    if (state === 'connected') {
      this.untold = undefined;
      if (!this.isEnded) this.after('own', OWN_CHANNELS_MS, () => this.openOwnChannels());
    } else if (state === 'failed') this.drop('FAILED');
    else if (state === 'disconnected' || state === 'closed') this.drop('PEER_CLOSED');
  }

  private openOwnChannels(): void {
    for (const label of this.channels.missing) this.channels.take(this.native.createDataChannel(label));
  }

  private connected(): void {
    this.clearTimer('unopened');
    this.activeAt = performance.now();
    this.after('idle', this.settings.idleMs, () => this.lookWhetherIdle());
    this.events.connected();
  }

  private lookWhetherIdle(): void {
    const leftMs = this.activeAt + this.settings.idleMs - performance.now();
    if (leftMs <= 0) this.end('IDLE');
    else this.after('idle', leftMs, () => this.lookWhetherIdle());
  }

  private tellCandidates(): void {
    for (const candidate of this.untold?.splice(0) ?? []) {
      try {
        this.native.addRemoteCandidate(candidate, this.mid);
      } catch (error) {
        this.logger.info({ err: error, sessionId: this.settings.sessionId }, 'A candidate was not taken');
      }
    }
  }

  private welcome(): ServiceMessage {
    const { sessionId, nodeId, peer, documentName, idleMs } = this.settings;
    const { identity, keyHash } = peer;
    return {
      ...{ type: 'welcome', sessionId, nodeId, identity, keyHash },
      ...{ documentName, idleMs, channels: CHANNEL_LABELS },
    };
  }

  private after(name: TimerName, ms: number, act: () => void): void {
    const guard = this.guarded(() => this.isReleased);
    this.clearTimer(name);
    const timer = setTimeout(() => {
      this.timers.delete(name);
      guard(act);
    }, ms);
    this.timers.set(name, timer.unref());
  }

  private clearTimer(name: TimerName): void {
    clearTimeout(this.timers.get(name));
    this.timers.delete(name);
  }

  private clearTimers(): void {
    for (const name of [...this.timers.keys()]) this.clearTimer(name);
  }

  /** What the library calls may be called late, and must not throw: nothing stands above it but the process. */
  private guarded(isOver: () => boolean): Guard {
    return callback => {
      if (isOver()) return;
      try {
        callback();
      } catch (error) {
        this.logger.error({ err: error, sessionId: this.settings.sessionId }, 'A connection failed');
        this.drop('INTERNAL');
      }
    };
  }
}

/** Resolves with the work, or without it after `ms`. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>(resolve => void (timer = setTimeout(resolve, ms)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}
