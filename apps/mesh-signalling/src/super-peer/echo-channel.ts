import type { Channel } from './channel.js';

/** Bytes that may wait to go back to one peer: more than that is not what a peer that reads lets gather. */
export const ECHO_BYTES_MAX = 16 * 1_048_576;

/**
 * Bytes that wait to go back to all peers of a replica. A message that came is in memory until its peer reads it again: without
 * this bound the bounds of single peers would add up to more than a replica has.
 */
export class EchoBudget {
  private waiting = 0;

  constructor(private readonly bytesMax = 16 * ECHO_BYTES_MAX) {}

  get isSpent(): boolean {
    return this.waiting > this.bytesMax;
  }

  /** One peer's part is another than it was. */
  change(byBytes: number): void {
    this.waiting += byBytes;
  }
}

/** Gives back what comes, as it came and in order. */
export class EchoChannel {
  private waiting = 0;

  /** @param end closes the connection: `ECHO_OVERFLOW`, `MESSAGE_TOO_LONG` */
  constructor(
    private readonly channel: Channel,
    private readonly budget: EchoBudget,
    private readonly end: (reason: string) => void,
  ) {}

  receive(message: string | Buffer): void {
    // To a peer that takes less than it sends.
    if (!this.channel.send(message)) return this.end('MESSAGE_TOO_LONG');
    this.measure();
    if (this.waiting > ECHO_BYTES_MAX || this.budget.isSpent) this.end('ECHO_OVERFLOW');
  }

  /** Looks at what waits still. */
  measure(): void {
    const bytes = this.channel.bufferedBytes;
    this.budget.change(bytes - this.waiting);
    this.waiting = bytes;
  }

  close(): void {
    this.budget.change(-this.waiting);
    this.waiting = 0;
  }
}
