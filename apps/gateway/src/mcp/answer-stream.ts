import type { FastifyReply } from 'fastify';
import { PassThrough } from 'node:stream';

/** Milliseconds of {@link KEEP_ALIVE_MS} where nothing else is set. */
export const KEEP_ALIVE_EVERY_MS = 15_000;
export const KEEP_ALIVE_MS = Symbol('KEEP_ALIVE_MS');
const STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** One message as an event of a stream. */
export const eventOf = (text: string): string => `event: message\ndata: ${text}\n\n`;

/**
 * The stream of server-sent events that answers one POST. It is opened by the first thing that there is to say, or once so much time has
 * passed: a stream that has nothing to say says so, because proxies close connections that are silent.
 */
export class AnswerStream {
  private opened: PassThrough | undefined;
  private quiet: NodeJS.Timeout | undefined;

  constructor(
    private readonly reply: FastifyReply,
    private readonly keepAliveMs: number,
  ) {}

  /** Says from now on that it goes on, until it ends or is stopped. */
  start(): void {
    this.quiet = setInterval(() => this.write(': still at it\n\n'), this.keepAliveMs);
  }

  get isOpen(): boolean {
    return this.opened !== undefined;
  }

  /** @param message JSON of one message */
  tell(message: string): void {
    this.write(eventOf(message));
  }

  /** Ends with a last message where there is one. */
  end(message?: string): void {
    this.stop();
    (this.opened ?? this.open()).end(message === undefined ? undefined : eventOf(message));
  }

  /** Sends events that another has written, whole ones each, and ends with the last. */
  async pass(events: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const event of events) {
        if (this.opened?.destroyed) break;
        this.write(event);
      }
    } finally {
      this.end();
    }
  }

  /** Has no more to say by itself. */
  stop(): void {
    clearInterval(this.quiet);
  }

  private write(text: string | Uint8Array): void {
    (this.opened ?? this.open()).write(text);
  }

  private open(): PassThrough {
    const stream = new PassThrough();
    // The connection tells of a client that has gone.
    stream.on('error', () => undefined).on('close', () => this.stop());
    this.opened = stream;
    void this.reply
      .header('content-type', STREAM_TYPE)
      .header('cache-control', 'no-store, no-transform')
      // Proxies of the nginx kind would hold events back.
      .header('x-accel-buffering', 'no')
      .send(stream);
    return stream;
  }
}
