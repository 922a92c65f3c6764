import { BODY_BYTES_MAX_DEFAULT } from '@svc/contracts';
import { problem, type ProblemError } from '@svc/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { addressOf } from '../rate-limit/caller.js';
import { FairShares } from '../rate-limit/fair-shares.js';

/**
 * Bytes of such bodies that are held at once. A body is read into text, its file into bytes, and those into an envelope for the
 * bus: some four times its length, within the 512 MB that the gateway has.
 */
const LONG_BODIES_BYTES_MAX = 67_108_864;

/**
 * Of them those of one address: room for the longest body, and for as much again of others. Whoever holds more is refused and
 * stands in nobody's way. Of the last quarter an address has no more than a third of what the others leave, so that it takes many of
 * them to leave nothing for one more.
 */
const LONG_BODIES_BYTES_OF_ADDRESS = LONG_BODIES_BYTES_MAX / 2;
/** A third of what the others leave, of the last quarter. */
const [SHARE_PARTS, RESERVE_PARTS] = [3, 4];
/** Bytes a second below which a body has stalled: the slowest that could arrive within the time for a request is much faster. */
const RECEIVED_PER_SECOND_MIN = 16_384;
/** Over how long that is looked at, milliseconds. */
const STALLED_MS = 4_000;

export interface LongBodyBounds {
  readonly bytesMax: number;
  readonly bytesOfAddress: number;
  readonly stalledMs: number;
}

/** What is held for a request whose body is long. */
const bodies = new WeakMap<FastifyRequest, CountedBody>();

/** Says that of the body of a request no more than so many bytes are held from now on. */
export function keepOfLongBody(request: FastifyRequest, bytes: number): void {
  bodies.get(request)?.keep(bytes);
}

/**
 * Bounds the memory of long bodies: what has arrived of them counts until their request is answered, and what would go beyond
 * the bound is 503 OVERLOADED, or 429 RATE_LIMITED where its address alone holds too much, before anything is asked or taken for
 * it. Counted is what came, not what was announced, so that nobody holds room with a header; and a body that stalls is given up.
 */
export function boundLongBodies(instance: FastifyInstance, bounds: Partial<LongBodyBounds> = {}): void {
  const all = {
    bytesMax: LONG_BODIES_BYTES_MAX,
    bytesOfAddress: LONG_BODIES_BYTES_OF_ADDRESS,
    stalledMs: STALLED_MS,
    ...bounds,
  };
  const held = new HeldBytes(all);
  instance.addHook('preParsing', (request, reply, payload, done) => {
    if (!mayBeLong(request)) return done(null, payload);
    const counted = new CountedBody(held, addressOf(request), all.stalledMs);
    bodies.set(request, counted);
    reply.raw.once('close', () => counted.release());
    // From when somebody reads: before that nobody would hear of an error, and what is refused unread stays with Node.
    counted.once('resume', () => counted.receive(payload));
    return done(null, counted);
  });
}

/**
 * Whether a body may come to more than the least that any route takes: of that much each connection may hold one. One that comes in
 * chunks announces nothing.
 */
function mayBeLong({ headers, routeOptions }: FastifyRequest): boolean {
  const announced = Number(headers['content-length'] ?? Infinity);
  return Math.min(routeOptions.bodyLimit ?? 0, announced) > BODY_BYTES_MAX_DEFAULT;
}

/** Bytes that are held, by address and in all. */
class HeldBytes {
  private readonly shares: FairShares;

  constructor(private readonly bounds: LongBodyBounds) {
    this.shares = new FairShares(bounds.bytesMax, SHARE_PARTS);
  }

  /** @throws ProblemError RATE_LIMITED, OVERLOADED */
  take(address: string, bytes: number): void {
    const { shares } = this;
    const { bytesMax, bytesOfAddress } = this.bounds;
    const own = shares.heldBy(address) + bytes;
    if (own > bytesOfAddress) {
      const detail = `More than ${bytesOfAddress} bytes of request bodies from this address are being worked on; nothing was taken for this one`;
      throw problem('RATE_LIMITED', detail, { retryAfterSeconds: 1 });
    }
    const left = shares.free - bytes;
    if (left < bytesMax / RESERVE_PARTS && !shares.hasRoomFor(address, bytes)) {
      const detail = `${shares.free} of ${bytesMax} bytes are left for request bodies, of which this address has its share; nothing was taken for this one`;
      throw problem('OVERLOADED', detail, { retryAfterSeconds: 1 });
    }
    shares.take(address, bytes);
  }

  giveBack(address: string, bytes: number): void {
    this.shares.giveBack(address, bytes);
  }
}

class CountedBody extends Transform {
  /** Fastify compares it with the announced length. */
  receivedEncodedLength = 0;
  private heldBytes = 0;
  private isReleased = false;
  private receivedBefore = 0;
  private watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly held: HeldBytes,
    private readonly address: string,
    private readonly stalledMs: number,
  ) {
    super();
  }

  receive(payload: Readable): void {
    this.watch = setInterval(() => this.look(), this.stalledMs);
    this.watch.unref();
    payload.once('error', error => this.destroy(error)).pipe(this);
  }

  override _transform(chunk: Buffer, _encoding: string, next: TransformCallback): void {
    if (this.isReleased) return next();
    try {
      this.held.take(this.address, chunk.length);
    } catch (error) {
      return next(asHttpError(error as ProblemError));
    }
    this.heldBytes += chunk.length;
    this.receivedEncodedLength += chunk.length;
    return next(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    clearInterval(this.watch);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.watch);
    done(error);
  }

  /** What was read has been let go of, but for so many bytes. */
  keep(bytes: number): void {
    if (this.isReleased || bytes >= this.heldBytes) return;
    this.held.giveBack(this.address, this.heldBytes - bytes);
    this.heldBytes = bytes;
  }

  /** The request has been answered, or its connection is gone. */
  release(): void {
    clearInterval(this.watch);
    if (this.isReleased) return;
    this.isReleased = true;
    this.held.giveBack(this.address, this.heldBytes);
  }

  private look(): void {
    const received = this.receivedEncodedLength - this.receivedBefore;
    this.receivedBefore = this.receivedEncodedLength;
    const bound = (RECEIVED_PER_SECOND_MIN * this.stalledMs) / 1_000;
    if (received >= bound) return;
    const detail = `Less than ${RECEIVED_PER_SECOND_MIN} bytes of the body came in a second`;
    this.destroy(asHttpError(problem('REQUEST_TIMEOUT', detail)));
  }
}

/** Fastify takes the status of an error in the midst of a body from its `statusCode`. */
const asHttpError = (error: ProblemError) => Object.assign(error, { statusCode: error.status });
