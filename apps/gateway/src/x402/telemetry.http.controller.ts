import { Controller, Headers, Res } from '@nestjs/common';
import { x402Contract, x402Routes } from '@svc/contracts';
import { BusClient, parseOrProblem } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import { Endpoint, EventStreams, preferredType } from '@svc/edge';
import { telemetryStream } from './telemetry-stream.js';

const { telemetry } = x402Routes;
const TYPES = ['application/json', 'text/event-stream'] as const;

/** What was executed and cleared: a snapshot, or each change as it comes. */
@Controller()
export class TelemetryHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly streams: EventStreams,
  ) {}

  @Endpoint(telemetry)
  async telemetry(
    @Headers('accept') accept: string | undefined,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const headers = parseOrProblem(telemetry.headers, { 'Last-Event-ID': lastEventId });
    reply.header('vary', 'accept');
    const first = await this.bus.call(x402Contract.telemetry, {});
    if (preferredType(accept, TYPES) === 'application/json') {
      await reply.header('cache-control', 'no-store').send(first.telemetry);
      return;
    }
    const after = headers['Last-Event-ID'];
    const source = (signal: AbortSignal) => telemetryStream(this.bus, after, first, signal);
    await this.streams.send(reply, 'telemetry', source);
  }
}
