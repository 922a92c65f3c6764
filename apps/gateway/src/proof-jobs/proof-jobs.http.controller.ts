import { type BeforeApplicationShutdown, Controller, Headers, Param, Res } from '@nestjs/common';
import { type ProofJob, proofJobContract, starkRoutes } from '@svc/contracts';
import { BusClient, parseOrProblem, problem } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { Endpoint } from '../endpoint/endpoint.decorator.js';
import { hangUpSignal } from '../http/hang-up.js';
import { jobEventStream } from './job-event-stream.js';

const { params } = starkRoutes.job;
const LastEventId = starkRoutes.jobEvents.headers;
/** Streams that one gateway keeps open; each asks the prover anew every few seconds. */
const STREAMS_MAX = 256;

/** Proof jobs answer whoever holds their unguessable id. */
@Controller()
export class ProofJobsHttpController implements BeforeApplicationShutdown {
  private readonly closing = new AbortController();
  private streamCount = 0;

  constructor(private readonly bus: BusClient) {}

  /** A stream would keep the close waiting for as long as its job takes; its reader comes back. */
  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  @Endpoint(starkRoutes.job)
  job(
    @Param({ schema: params }) { jobId }: { jobId: string },
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProofJob> {
    reply.header('cache-control', 'no-store');
    return this.bus.call(proofJobContract.job, { jobId });
  }

  @Endpoint(starkRoutes.cancelJob)
  cancelJob(@Param({ schema: params }) { jobId }: { jobId: string }): Promise<ProofJob> {
    return this.bus.call(proofJobContract.cancelJob, { jobId });
  }

  @Endpoint(starkRoutes.jobEvents)
  async jobEvents(
    @Param({ schema: params }) { jobId }: { jobId: string },
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const headers = parseOrProblem(LastEventId, { 'Last-Event-ID': lastEventId });
    const after = Number(headers['Last-Event-ID'] ?? 0);
    const first = await this.bus.call(proofJobContract.jobEvents, { jobId, after, waitMs: 0 });
    reply.header('cache-control', 'no-store');
    if (first.ended && first.events.length === 0) {
      await reply.status(204).send();
      return;
    }
    if (this.streamCount >= STREAMS_MAX) {
      throw problem('OVERLOADED', `${STREAMS_MAX} streams of events are open here, which is the bound`, {
        retryAfterSeconds: 5,
      });
    }
    const signal = AbortSignal.any([hangUpSignal(reply), this.closing.signal]);
    const stream = Readable.from(jobEventStream(this.bus, jobId, after, first, signal));
    this.streamCount++;
    stream.once('close', () => this.streamCount--);
    await reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      // Proxies of the nginx kind would hold events back.
      .header('x-accel-buffering', 'no')
      .send(stream);
  }
}
