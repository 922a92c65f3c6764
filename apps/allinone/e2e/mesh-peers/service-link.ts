import type { PlainDocument } from './plain-document.js';
import { whenOpen } from './plain-document.js';

/** What `ctl` begins with. */
export interface Welcome {
  readonly sessionId: string;
  readonly nodeId: string;
  readonly identity: string;
  readonly keyHash: string;
}

const LABELS = ['ctl', 'crdt', 'echo'] as const;
/** What every implementation takes at once. */
const ECHO_MESSAGE_BYTES = 16_384;
/** A pong that does not come in this time does not come: the other side is gone, or the way there. */
const PONG_MS = 3_000;

/** The three channels to the service, opened from this side. */
export class ServiceLink {
  /** Resolves once all three are open and the service has said who it is. */
  readonly opened: Promise<Welcome>;
  private readonly channels: Readonly<Record<(typeof LABELS)[number], RTCDataChannel>>;
  private readonly pongs = new Map<number, () => void>();
  private lastPing = 0;

  constructor(
    readonly connection: RTCPeerConnection,
    document: PlainDocument,
  ) {
    const open = (label: string) => {
      const channel = connection.createDataChannel(label);
      channel.binaryType = 'arraybuffer';
      return channel;
    };
    this.channels = { ctl: open('ctl'), crdt: open('crdt'), echo: open('echo') };
    document.connect(this.channels.crdt);
    const welcome = new Promise<Welcome>(resolve => {
      this.channels.ctl.addEventListener('message', ({ data }) => {
        const message = JSON.parse(data as string) as { type: string; id: number };
        if (message.type === 'welcome') resolve(message as unknown as Welcome);
        if (message.type === 'pong') this.pongs.get(message.id)?.();
      });
    });
    const channels = LABELS.map(
      label => new Promise<void>(resolve => whenOpen(this.channels[label], resolve)),
    );
    this.opened = Promise.all(channels).then(() => welcome);
  }

  /** What comes back for bytes that are sent, as long as they are. */
  async echo(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const { echo } = this.channels;
    const back = new Uint8Array(bytes.length);
    let length = 0;
    const whole = new Promise<void>(resolve => {
      const take = ({ data }: MessageEvent) => {
        const part = new Uint8Array(data as ArrayBuffer);
        back.set(part, length);
        length += part.length;
        if (length < bytes.length) return;
        echo.removeEventListener('message', take);
        resolve();
      };
      echo.addEventListener('message', take);
    });
    for (let at = 0; at < bytes.length; at += ECHO_MESSAGE_BYTES)
      echo.send(bytes.slice(at, at + ECHO_MESSAGE_BYTES));
    await whole;
    return back;
  }

  /** Whether the service answers. */
  async isAlive(): Promise<boolean> {
    const id = ++this.lastPing;
    const pong = new Promise<boolean>(resolve => this.pongs.set(id, () => resolve(true)));
    try {
      this.channels.ctl.send(JSON.stringify({ type: 'ping', id }));
    } catch {
      // Closed.
      return false;
    }
    // a fixed wait: a service that was killed says nothing, and its channel closes half a minute later
    const late = new Promise<boolean>(resolve => setTimeout(() => resolve(false), PONG_MS));
    return Promise.race([pong, late]);
  }

  close(): void {
    this.connection.close();
  }
}
