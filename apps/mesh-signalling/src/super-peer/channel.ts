import type { DataChannel } from 'node-datachannel';

/** Channels of a connection. */
export const CHANNEL_LABELS = ['ctl', 'crdt', 'echo'] as const;
export type ChannelLabel = (typeof CHANNEL_LABELS)[number];

/** Bytes of one message, both ways; said in the answer (RFC 8841 section 6). */
export const MESSAGE_BYTES_MAX = 262_144;

/** What a channel is used for. */
export interface ChannelUser {
  opened(): void;
  /** In the order in which they were sent. */
  received(message: string | Buffer): void;
  /** Once, also where it has never opened. */
  closed(): void;
  /** Little is left of what waited to be sent. */
  drained?(): void;
}

/** Runs what the library calls back, unless the connection is over; whatever it throws is not thrown any further. */
export type Guard = (callback: () => void) => void;

/** What waits is little when it is at most this. */
const DRAINED_BYTES = 1_048_576;

/** A channel of the library, as it is used here. */
export class Channel {
  readonly label: string;
  private user: ChannelUser | undefined;
  private hasOpened = false;
  private isClosed = false;

  constructor(
    private readonly native: DataChannel,
    private readonly guard: Guard,
  ) {
    this.label = native.getLabel();
  }

  /** Begins to listen. */
  use(user: ChannelUser): void {
    const { native, guard } = this;
    this.user = user;
    native.onOpen(() => guard(() => this.opened()));
    native.onClosed(() => guard(() => this.closed()));
    native.setBufferedAmountLowThreshold(DRAINED_BYTES);
    native.onBufferedAmountLow(() => guard(() => user.drained?.()));
    native.onMessage(message => guard(() => this.received(message)));
    // A channel of the peer is open when it is first seen, and that may not be told again.
    if (native.isOpen()) this.opened();
  }

  /** Bytes that were given to be sent and are not yet. */
  get bufferedBytes(): number {
    return this.native.bufferedAmount();
  }

  /** Gives a message to be sent; false where it cannot be: the channel is not open, or the peer takes none so long. */
  send(message: string | Uint8Array): boolean {
    if (!this.native.isOpen() || Buffer.byteLength(message) > this.native.maxMessageSize()) return false;
    try {
      // False would say that it waits, which is no failure.
      if (typeof message === 'string') this.native.sendMessage(message);
      else this.native.sendMessageBinary(message);
      return true;
    } catch {
      // The peer closed it between the question and the answer.
      return false;
    }
  }

  close(): void {
    this.native.close();
    this.closed();
  }

  private received(message: string | Buffer | ArrayBuffer): void {
    // What is heard was sent on an open channel, whether that was told already or not.
    this.opened();
    this.user!.received(message instanceof ArrayBuffer ? Buffer.from(message) : message);
  }

  private opened(): void {
    if (this.hasOpened || this.isClosed) return;
    this.hasOpened = true;
    this.user!.opened();
  }

  private closed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.user?.closed();
  }
}
