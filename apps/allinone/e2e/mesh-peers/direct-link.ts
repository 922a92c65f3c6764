import { whenOpen } from './plain-document.js';

/** One channel between two peers. */
export class DirectLink {
  readonly opened: Promise<void>;
  private readonly messages: string[] = [];
  private arrived: () => void = () => undefined;

  constructor(
    readonly connection: RTCPeerConnection,
    private readonly channel: RTCDataChannel,
  ) {
    this.opened = new Promise(resolve => whenOpen(channel, resolve));
    channel.addEventListener('message', ({ data }) => {
      this.messages.push(data as string);
      this.arrived();
    });
  }

  send(text: string): void {
    this.channel.send(text);
  }

  /** The next message of the other side. */
  async next(): Promise<string> {
    while (this.messages.length === 0) await new Promise<void>(resolve => (this.arrived = resolve));
    return this.messages.shift()!;
  }
}
