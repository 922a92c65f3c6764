import type { DataChannel } from 'node-datachannel';
import type { DocumentChannel, DocumentOutlet, MeshDocuments } from '../document/mesh-documents.js';
import type { Peer } from '../peer/peer.js';
import {
  Channel,
  CHANNEL_LABELS,
  type ChannelLabel,
  type ChannelUser,
  type Guard,
  MESSAGE_BYTES_MAX,
} from './channel.js';
import { ControlChannel, type ServiceMessage } from './control-channel.js';
import { type EchoBudget, EchoChannel } from './echo-channel.js';

/** Bytes of the document that a peer may leave unread. */
const DOCUMENT_BYTES_MAX = 8 * 1_048_576;
/** Channels that are none of the three, or a second of one, after which the connection is closed. */
export const STRAY_CHANNELS_MAX = 16;

/** What the channels of one connection ask of it. */
export interface ChannelSetUser {
  readonly peer: Peer;
  /** What `ctl` begins with. */
  welcome(): ServiceMessage;
  /** Something was sent or received. */
  active(): void;
  /** Each of the three is open, or was. Told once. */
  connected(): void;
  /** The peer says that it goes. */
  bye(): void;
  end(reason: string): void;
}

/** What the channels of all connections of a replica share. */
export interface ChannelSetParts {
  readonly documents: MeshDocuments;
  readonly echoBudget: EchoBudget;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The three channels of a connection, at most one of each; whoever opens it. */
export class ChannelSet {
  private readonly channels = new Map<string, Channel>();
  private readonly everOpened = new Set<string>();
  private readonly control: ControlChannel;
  private strays = 0;

  /** @param guard for what the channels call back */
  constructor(
    private readonly user: ChannelSetUser,
    private readonly parts: ChannelSetParts,
    private readonly guard: Guard,
  ) {
    this.control = new ControlChannel({
      now: parts.now,
      bye: () => user.bye(),
      end: reason => user.end(reason),
    });
  }

  /** The labels of which there is none, and was none. */
  get missing(): readonly ChannelLabel[] {
    return CHANNEL_LABELS.filter(label => !this.channels.has(label) && !this.everOpened.has(label));
  }

  /** Takes a channel, of the peer's or of ours; what is none of the three is closed. */
  take(native: DataChannel): void {
    const channel = new Channel(native, this.guard);
    const { label } = channel;
    if (!isOfTheThree(label) || this.channels.has(label)) return this.refuse(channel);
    this.channels.set(label, channel);
    const use = this.useOf(label, channel);
    channel.use({
      opened: () => {
        use.opened();
        if (this.everOpened.has(label)) return;
        this.everOpened.add(label);
        if (this.everOpened.size === CHANNEL_LABELS.length) this.user.connected();
      },
      received: message => {
        this.user.active();
        if (Buffer.byteLength(message) > MESSAGE_BYTES_MAX) return this.user.end('MESSAGE_TOO_LONG');
        use.received(message);
      },
      closed: () => {
        this.channels.delete(label);
        use.closed();
      },
      drained: () => use.drained?.(),
    });
  }

  /** Returns whether it is on its way. */
  tell(message: ServiceMessage): boolean {
    return this.control.tell(message);
  }

  close(): void {
    for (const channel of [...this.channels.values()]) channel.close();
  }

  private refuse(channel: Channel): void {
    // The library lets go of a channel that is listened to when it is closed, and of others never.
    channel.use({ opened: () => undefined, received: () => undefined, closed: () => undefined });
    channel.close();
    if (++this.strays >= STRAY_CHANNELS_MAX) this.user.end('STRAY_CHANNELS');
  }

  private useOf(label: ChannelLabel, channel: Channel): ChannelUser {
    if (label === 'ctl') return this.controlUse(channel);
    return label === 'crdt' ? this.documentUse(channel) : this.echoUse(channel);
  }

  private controlUse(channel: Channel): ChannelUser {
    return {
      opened: () => {
        this.control.attach(channel);
        this.control.tell(this.user.welcome());
      },
      received: message => this.control.receive(message),
      closed: () => this.control.attach(undefined),
    };
  }

  private documentUse(channel: Channel): ChannelUser {
    let document: DocumentChannel | undefined;
    let isClosed = false;
    const send = (message: Uint8Array) => {
      if (channel.bufferedBytes <= DOCUMENT_BYTES_MAX && channel.send(message)) {
        this.user.active();
        return true;
      }
      // Whoever misses one message of it misses all that are built on it: a new channel begins with what the peer has.
      channel.close();
      return false;
    };
    const refused: DocumentOutlet['refused'] = ({ closes, ...refusal }) => {
      this.control.tell({ type: 'refused', ...refusal });
      if (closes) this.user.end(refusal.code);
    };
    return {
      opened: () => {
        document = this.parts.documents.open(this.user.peer, { send, refused });
        // Its first message may be too much already.
        if (isClosed) document.close();
      },
      received: message =>
        typeof message === 'string'
          ? this.control.refuse('crdt carries binary messages alone')
          : document?.receive(message),
      closed: () => {
        isClosed = true;
        document?.close();
        document = undefined;
      },
    };
  }

  private echoUse(channel: Channel): ChannelUser {
    const echo = new EchoChannel(channel, this.parts.echoBudget, reason => this.user.end(reason));
    return {
      opened: () => undefined,
      received: message => echo.receive(message),
      closed: () => echo.close(),
      drained: () => echo.measure(),
    };
  }
}

const isOfTheThree = (label: string): label is ChannelLabel =>
  (CHANNEL_LABELS as readonly string[]).includes(label);
