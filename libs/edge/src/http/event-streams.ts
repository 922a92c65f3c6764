import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { problem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { addressOf } from '../rate-limit/caller.js';
import { FairShares } from '../rate-limit/fair-shares.js';

/** Streams of one kind that one gateway keeps open, where the kind does not say otherwise; each asks a service anew every few seconds. */
const STREAMS_MAX = 256;
/** Streams and questions of all kinds together. */
const ALL_MAX = 4_096;
/** One address has an eighth of those that the others leave. */
const ADDRESS_PARTS = 8;
/** How long a reader waits before it comes back after a break, milliseconds. */
const RETRY_MS = 1_000;

/** The first lines of a stream. */
export const STREAM_BEGIN = `retry: ${RETRY_MS}\n\n`;
/** A comment keeps proxies from closing a connection that is silent. */
export const NOTHING_NEW = ': nothing new\n\n';

/** Streams of server-sent events, and questions that wait: so many at once. No stream keeps a close waiting or outlives its client. */
@Injectable()
export class EventStreams implements BeforeApplicationShutdown {
  private readonly closing = new AbortController();
  /** By kind; of a kind by address. */
  private readonly open = new Map<string, FairShares>();
  /** Of all kinds, by address. */
  private readonly all = new FairShares(ALL_MAX, ADDRESS_PARTS);

  /** A stream would keep the close waiting for as long as its work takes; its reader comes back. */
  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  /**
   * For whoever has something to lose between the question and {@link send}, which asks again.
   * @throws ProblemError OVERLOADED where so many are open in all; RATE_LIMITED where so many of the caller's address are
   */
  requireRoom(request: FastifyRequest, kind: string, streamsMax = STREAMS_MAX): void {
    this.requirePlace(request, `streams of ${kind}`, streamsMax);
  }

  /**
   * Waits for the answer to a question that is held open, which has its place as a stream has.
   * @param questionsMax questions of the kind that may be open at once
   * @throws ProblemError as {@link requireRoom}, and whatever `ask` throws
   */
  async hold<T>(
    request: FastifyRequest,
    kind: string,
    questionsMax: number,
    ask: () => Promise<T>,
  ): Promise<T> {
    const giveBack = this.take(request, `questions for ${kind}`, questionsMax);
    try {
      return await ask();
    } finally {
      giveBack();
    }
  }

  /**
   * Answers with the events of a source, which must end once its signal aborts. That may be before it is asked for an event: what
   * it has to give back it gives back by the signal.
   * @param streamsMax streams of the kind that may be open at once
   * @throws ProblemError as {@link requireRoom}
   */
  async send(
    reply: FastifyReply,
    kind: string,
    source: (signal: AbortSignal) => AsyncIterable<string>,
    streamsMax = STREAMS_MAX,
  ): Promise<void> {
    const giveBack = this.take(reply.request, `streams of ${kind}`, streamsMax);
    const stream = Readable.from(source(AbortSignal.any([closeSignal(reply), this.closing.signal])));
    stream.once('close', giveBack);
    // An answer that is over before it begins reads no stream to its end, and ends none.
    const { raw } = reply;
    if (raw.destroyed) stream.destroy();
    else raw.once('close', () => stream.destroy());
    await reply
      .header('cache-control', 'no-store')
      .header('content-type', 'text/event-stream; charset=utf-8')
      // Proxies of the nginx kind would hold events back.
      .header('x-accel-buffering', 'no')
      .send(stream);
  }

  /** Takes a place. @returns gives it back @throws ProblemError as {@link requireRoom} */
  private take(request: FastifyRequest, what: string, max: number): () => void {
    const address = addressOf(request);
    const taken = this.requirePlace(request, what, max);
    for (const shares of taken) shares.take(address);
    return () => taken.forEach(shares => shares.giveBack(address));
  }

  /** Among which others a place of the kind is, of that kind and of all. @throws ProblemError OVERLOADED, RATE_LIMITED */
  private requirePlace(request: FastifyRequest, what: string, max: number): FairShares[] {
    const shares = this.open.get(what) ?? new FairShares(max, ADDRESS_PARTS);
    this.open.set(what, shares);
    requireShare(shares, addressOf(request), what, max);
    requireShare(this.all, addressOf(request), 'streams and questions of all kinds', ALL_MAX);
    return [shares, this.all];
  }
}

/** @throws ProblemError OVERLOADED where none is free, RATE_LIMITED where the address has its share */
function requireShare(shares: FairShares, address: string, what: string, max: number): void {
  if (shares.hasRoomFor(address)) return;
  const refused = (code: 'OVERLOADED' | 'RATE_LIMITED', bound: number, where: string) =>
    problem(code, `${bound} ${what} are open ${where}, which is the bound`, { retryAfterSeconds: 5 });
  const own = shares.heldBy(address);
  throw own > 0 ? refused('RATE_LIMITED', own, 'from this address') : refused('OVERLOADED', max, 'here');
}

/** A signal that aborts when the answer is over, for whatever reason: that of `HEAD` is at once, and whole. */
function closeSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  if (raw.destroyed) controller.abort();
  else raw.once('close', () => controller.abort());
  return controller.signal;
}
