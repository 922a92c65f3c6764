import { Controller, Header, Param, Req } from '@nestjs/common';
import { type ReplyOf, x402Contract, x402Routes } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { accountKeyOf, Endpoint } from '@svc/edge';
import { ticketOf } from './presented-ticket.js';

const { params } = x402Routes.saga;

/** Where a saga of the caller's stands. */
@Controller()
export class SagaHttpController {
  constructor(private readonly bus: BusClient) {}

  /** A payment that comes along is not looked at: the state of what was paid for costs nothing. */
  @Endpoint(x402Routes.saga)
  @Header('cache-control', 'no-store')
  saga(
    @Param({ schema: params }) { sagaId }: { sagaId: string },
    @Req() { raw }: FastifyRequest,
  ): Promise<ReplyOf<typeof x402Contract.saga>> {
    const [ticket, accountKey] = [ticketOf(raw), accountKeyOf(raw)];
    return this.bus.call(x402Contract.saga, { sagaId, ticket, accountKey });
  }
}
