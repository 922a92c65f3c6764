import type { Peer } from '../src/peer/peer.js';
import { HANGS_MS } from '@svc/platform/testing';
import { afterAll } from '@jest/globals';
import { cleanup, type DataChannel, PeerConnection, type RtcConfig } from 'node-datachannel';
import { createHash, randomBytes } from 'node:crypto';

// Its threads keep the process, though every connection is closed.
afterAll(() => cleanup());

/** A peer that opens channels to the service, as somebody's program would with this library. */
export class DataChannelPeer {
  readonly peer: Peer;
  readonly states: string[] = [];
  readonly channels = new Map<string, PeerChannel>();
  private readonly native: PeerConnection;

  constructor(identity: Peer['identity'] = 'verified', config: Partial<RtcConfig> = {}) {
    const publicKey = randomBytes(32);
    const keyHash = createHash('sha256').update(publicKey).digest('hex');
    this.peer = { publicKey: publicKey.toString('hex'), keyHash, identity };
    this.native = new PeerConnection('peer', { iceServers: [], ...config });
    this.native.onStateChange(state => void this.states.push(state));
    this.native.onDataChannel(channel => this.add(channel));
  }

  /** Opens channels, and resolves with an offer that has all candidates. */
  async offer(labels: readonly string[] = ['ctl', 'crdt', 'echo']): Promise<string> {
    const isComplete = new Promise<void>(resolve =>
      this.native.onGatheringStateChange(state => state === 'complete' && resolve()),
    );
    for (const label of labels) this.openChannel(label);
    if (this.native.gatheringState() !== 'complete') await isComplete;
    return this.native.localDescription()!.sdp;
  }

  openChannel(label: string): PeerChannel {
    return this.add(this.native.createDataChannel(label));
  }

  accept(sdpAnswer: string): void {
    this.native.setRemoteDescription(sdpAnswer, 'answer');
  }

  /** The channel of a label, once it is open. */
  async channel(label: string): Promise<PeerChannel> {
    await until(() => this.channels.get(label)?.isOpen === true, `${label} is open`);
    return this.channels.get(label)!;
  }

  /** Channels first: the library does not let go of one that was never open. */
  close(): void {
    for (const { native } of this.channels.values()) native.close();
    this.native.close();
  }

  private add(native: DataChannel): PeerChannel {
    const channel = new PeerChannel(native);
    this.channels.set(channel.label, channel);
    return channel;
  }
}

/** One channel at its peer's end: what came is kept until it is asked for. */
export class PeerChannel {
  readonly label: string;
  readonly received: (string | Buffer)[] = [];
  receivedBytes = 0;
  isOpen = false;
  isClosed = false;

  constructor(readonly native: DataChannel) {
    this.label = native.getLabel();
    native.onOpen(() => void (this.isOpen = true));
    native.onClosed(() => void (this.isClosed = true));
    native.onMessage(message => {
      this.received.push(message instanceof ArrayBuffer ? Buffer.from(message) : message);
      this.receivedBytes += Buffer.byteLength(message);
    });
    if (native.isOpen()) this.isOpen = true;
  }

  send(message: string | Uint8Array): void {
    if (typeof message === 'string') this.native.sendMessage(message);
    else this.native.sendMessageBinary(message);
  }

  tell(message: object): void {
    this.send(JSON.stringify(message));
  }

  /** The first message of a type that came, or comes. */
  async message(type: string): Promise<Record<string, unknown>> {
    const find = () => this.objects().find(each => each.type === type);
    await until(() => find() !== undefined, `a message ${type} on ${this.label}`);
    return find()!;
  }

  objects(): Record<string, unknown>[] {
    return this.received.flatMap(each => (typeof each === 'string' ? [JSON.parse(each)] : []));
  }
}

/** Resolves when it holds. @throws Error where it hangs */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + HANGS_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`it hangs: ${what}`);
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}
