import { problem } from '@svc/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Transform, type TransformCallback } from 'node:stream';

/** A route whose body may be longer than this takes files. */
const LONG_BODY_BYTES = 1_048_576;
/**
 * Bytes of such bodies that are held at once. A body is read into text, its file into bytes, and those into an envelope for the
 * bus: some four times its length, within the 512 MB that the gateway has.
 */
export const LONG_BODIES_BYTES_MAX = 67_108_864;

/** What is held for a request whose body is long. */
const bodies = new WeakMap<FastifyRequest, CountedBody>();

/** Says that of the body of a request no more than so many bytes are held from now on. */
export function keepOfLongBody(request: FastifyRequest, bytes: number): void {
  bodies.get(request)?.keep(bytes);
}

/**
 * Bounds the memory of long bodies: what has arrived of them counts until their request is answered, and what would go beyond
 * the bound is 503 OVERLOADED, before anything is asked or taken for it. Counted is what came, not what was announced, so that
 * nobody holds room with a header.
 */
export function boundLongBodies(instance: FastifyInstance, bytesMax = LONG_BODIES_BYTES_MAX): void {
  const held = { bytes: 0 };
  instance.addHook('preParsing', (request, reply, payload, done) => {
    if ((request.routeOptions.bodyLimit ?? 0) <= LONG_BODY_BYTES) return done(null, payload);
    const counted = new CountedBody(held, bytesMax);
    bodies.set(request, counted);
    reply.raw.once('close', () => counted.release());
    payload.once('error', error => counted.destroy(error));
    return done(null, payload.pipe(counted));
  });
}

class CountedBody extends Transform {
  /** Fastify compares it with the announced length. */
  receivedEncodedLength = 0;
  private heldBytes = 0;
  private isReleased = false;

  constructor(
    private readonly held: { bytes: number },
    private readonly bytesMax: number,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: string, next: TransformCallback): void {
    if (this.isReleased) return next();
    if (this.held.bytes + chunk.length > this.bytesMax) return next(this.refusal());
    this.held.bytes += chunk.length;
    this.heldBytes += chunk.length;
    this.receivedEncodedLength += chunk.length;
    return next(null, chunk);
  }

  /** What was read has been let go of, but for so many bytes. */
  keep(bytes: number): void {
    if (this.isReleased || bytes >= this.heldBytes) return;
    this.held.bytes -= this.heldBytes - bytes;
    this.heldBytes = bytes;
  }

  /** The request has been answered, or its connection is gone. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.held.bytes -= this.heldBytes;
  }

  private refusal() {
    const detail = `More than ${this.bytesMax} bytes of request bodies are being worked on; nothing was taken for this one`;
    return Object.assign(problem('OVERLOADED', detail, { retryAfterSeconds: 1 }), { statusCode: 503 });
  }
}
