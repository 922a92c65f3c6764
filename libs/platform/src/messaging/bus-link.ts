import type { DecodedEnvelope } from './envelope.js';
import type { Reply } from './wire.js';

/** One message that came in, and the way to answer it. */
export interface InboundRequest {
  readonly subject: string;
  readonly payload: DecodedEnvelope;
  readonly traceparent: string | undefined;
  /** For whom it comes, where it was said. */
  readonly turn?: string;
  /**
   * @throws ProblemError BODY_TOO_LARGE when the reply is larger than the bus carries
   * @throws EnvelopeEncodeError when it holds what cannot cross
   */
  respond(reply: Reply): void;
}

/** How a request is sent: how long its answer is waited for, and what goes along with it. */
export interface RequestOptions {
  readonly timeoutMs: number;
  readonly traceparent: string;
  readonly turn?: string;
  readonly signal?: AbortSignal;
}

/**
 * Moves values between services; NATS, which writes them as envelopes, and the process-wide memory bus, which copies them,
 * are the two implementations, and one contract suite holds both. Guarantees: a request reaches exactly one
 * member of the queue group; with no member listening it fails at once; what is sent is a copy.
 */
export interface BusLink {
  /** Resolves when the bus is reached, however long that takes; rejects when closed meanwhile. */
  connect(): Promise<void>;
  readonly connected: boolean;
  /**
   * Resolves to the reply, or to why it cannot be read.
   * @throws ProblemError SERVICE_UNAVAILABLE (nobody listens, or the bus is away), TIMEOUT, or
   * BODY_TOO_LARGE; the signal's reason when it aborts
   * @throws EnvelopeEncodeError when the payload holds what cannot cross
   */
  request(subject: string, payload: unknown, options: RequestOptions): Promise<DecodedEnvelope>;
  listen(subject: string, queue: string, onRequest: (request: InboundRequest) => void): void;
  /**
   * Tells every end that hears the subject, this one too, at most once each: who is away, or not heard of yet, misses it.
   * @throws ProblemError SERVICE_UNAVAILABLE while the bus is away, BODY_TOO_LARGE
   */
  tell(subject: string, envelope: Uint8Array): void;
  /** Hears what is told on the subject until the end is closed, also while it drains. */
  hear(subject: string, onNotice: (envelope: Uint8Array) => void): void;
  /** Resolves when the bus knows of everything that was `listen`ed to or is heard: from then on it arrives. */
  flush(): Promise<void>;
  /** Takes no new requests; those already delivered are still handed to `listen`'s callbacks. */
  stopListening(): Promise<void>;
  /** Sends what is still to be sent, then lets go of the bus. */
  close(): Promise<void>;
}
