import { Controller, Headers, Query, Req, Res } from '@nestjs/common';
import { type InboxQuery, meshContract, meshRoutes } from '@svc/contracts';
import { addressOf, Endpoint, EventStreams } from '@svc/edge';
import { BusClient, parseOrProblem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { closeInbox, inboxStream } from './inbox-stream.js';

const { inbox } = meshRoutes;
/** A peer is present for as long as its inbox is open: many more are than readers of anything else. */
export const INBOXES_MAX = 4_096;

/** Inboxes of peers that can be called. */
@Controller()
export class InboxHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly streams: EventStreams,
  ) {}

  @Endpoint(inbox)
  async inbox(
    @Query({ schema: inbox.query }) query: InboxQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const headers = parseOrProblem(inbox.headers, { 'Last-Event-ID': lastEventId });
    const last = headers['Last-Event-ID'];
    // Before the proof is: its nonce serves once.
    this.streams.requireRoom(request, 'inboxes', INBOXES_MAX);
    const { inboxId } = await this.bus.call(meshContract.openInbox, {
      query: { ...query, timestamp: String(query.timestamp) },
      caller: { address: addressOf(request) },
    });
    const after = last === undefined ? undefined : Number(last);
    const source = (signal: AbortSignal) => inboxStream(this.bus, inboxId, after, signal);
    try {
      await this.streams.send(reply, 'inboxes', source, INBOXES_MAX);
    } catch (error) {
      await closeInbox(this.bus, inboxId);
      throw error;
    }
  }
}
