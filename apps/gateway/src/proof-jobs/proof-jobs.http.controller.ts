import { Controller, Headers, Param, Res } from '@nestjs/common';
import { type ProofJob, proofJobContract, starkRoutes } from '@svc/contracts';
import { BusClient, parseOrProblem } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import { Endpoint, EventStreams } from '@svc/edge';
import { jobEventStream } from './job-event-stream.js';

const { params } = starkRoutes.job;
const LastEventId = starkRoutes.jobEvents.headers;

/** Proof jobs answer whoever holds their unguessable id. */
@Controller()
export class ProofJobsHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly streams: EventStreams,
  ) {}

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
    const source = (signal: AbortSignal) => jobEventStream(this.bus, jobId, after, first, signal);
    await this.streams.send(reply, 'events of jobs', source);
  }
}
