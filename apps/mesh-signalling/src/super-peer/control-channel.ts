import { z } from 'zod';
import type { Refusal } from '../document/mesh-documents.js';
import type { Channel } from './channel.js';

/** Bytes of one message of `ctl`. */
export const CONTROL_BYTES_MAX = 16_384;
/** Messages that are none of these, after which the connection is closed. */
export const CONTROL_ERRORS_MAX = 16;
/** Bytes of answers that a peer may leave unread. */
const UNREAD_BYTES_MAX = 262_144;

/** From the peer. */
const PeerMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ping'),
    id: z.union([z.string().max(128), z.int()]),
  }),
  z.object({ type: z.literal('bye') }),
]);

/** To the peer. */
export type ServiceMessage =
  | {
      readonly type: 'welcome';
      readonly sessionId: string;
      readonly nodeId: string;
      readonly identity: 'verified' | 'unverified';
      readonly keyHash: string;
      readonly documentName: string;
      readonly idleMs: number;
      readonly channels: readonly string[];
    }
  | { readonly type: 'pong'; readonly id: string | number; readonly at: number }
  | { readonly type: 'draining'; readonly reconnectWithinMs: number }
  | ({ readonly type: 'refused' } & Refusal)
  | { readonly type: 'error'; readonly detail: string }
  | { readonly type: 'closing'; readonly reason: string };

/** What `ctl` asks of its connection. */
export interface ControlUser {
  readonly now: () => number;
  bye(): void;
  /** @param reason `PROTOCOL_ERRORS`, `CTL_OVERFLOW` */
  end(reason: string): void;
}

/** Talk about the connection itself: JSON objects with a `type`, one a message. It outlives its channel, which a peer may open anew. */
export class ControlChannel {
  private errors = 0;
  private channel: Channel | undefined;

  constructor(private readonly user: ControlUser) {}

  /** @param channel that is open from now on; undefined: none is */
  attach(channel: Channel | undefined): void {
    this.channel = channel;
  }

  /** Returns whether it is on its way: not where the peer has no `ctl`, or does not read it. */
  tell(message: ServiceMessage): boolean {
    if (!this.channel) return false;
    if (this.channel.bufferedBytes <= UNREAD_BYTES_MAX) return this.channel.send(JSON.stringify(message));
    this.channel = undefined;
    this.user.end('CTL_OVERFLOW');
    return false;
  }

  receive(message: string | Buffer): void {
    if (typeof message !== 'string') return this.refuse('ctl carries text alone');
    const sizeBytes = Buffer.byteLength(message);
    if (sizeBytes > CONTROL_BYTES_MAX)
      return this.refuse(`a message has at most ${CONTROL_BYTES_MAX} bytes, not ${sizeBytes}`);
    const parsed = PeerMessage.safeParse(objectOf(message));
    if (!parsed.success) return this.refuse('a message is {"type":"ping","id":…} or {"type":"bye"}');
    if (parsed.data.type === 'bye') return this.user.bye();
    this.tell({ type: 'pong', id: parsed.data.id, at: this.user.now() });
  }

  /** Says what was wrong with a message of any channel, and ends the connection after too many. */
  refuse(detail: string): void {
    this.errors++;
    this.tell({ type: 'error', detail });
    if (this.errors >= CONTROL_ERRORS_MAX) this.user.end('PROTOCOL_ERRORS');
  }
}

function objectOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
