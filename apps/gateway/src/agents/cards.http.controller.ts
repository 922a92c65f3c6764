import { Body, Controller, Param, Query, Req, UseInterceptors } from '@nestjs/common';
import {
  cardsContract,
  cardsRoutes,
  type CardValuationRequest,
  ImportSalesRequest,
  type ReplyOf,
  ResolveQuarantineRequest,
  type SalesImport,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AccountKey, Endpoint, Keyed, Paid, UnpaidWork } from '@svc/edge';
import { operationOf, VALUE_CARD } from './agent-calls.js';

const { valuation, search, importSales, quarantine, resolveQuarantine } = cardsRoutes;

@Controller()
export class CardsHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(valuation)
  @Paid(operationOf(VALUE_CARD))
  value(@Body() body: CardValuationRequest, @Req() request: FastifyRequest): Promise<object> {
    return VALUE_CARD.run(this.bus, { body }, request);
  }

  @Endpoint(search)
  @UseInterceptors(UnpaidWork)
  search(
    @Query({ schema: search.query }) query: z.output<typeof search.query>,
  ): Promise<ReplyOf<typeof cardsContract.search>> {
    return this.bus.call(cardsContract.search, query);
  }

  @Endpoint(importSales)
  @Keyed({ scope: 'admin:sales' })
  importSales(
    @AccountKey() accountKey: string,
    @Body({ schema: ImportSalesRequest }) request: z.output<typeof ImportSalesRequest>,
  ): Promise<SalesImport> {
    return this.bus.call(cardsContract.importSales, { accountKey, request });
  }

  @Endpoint(quarantine)
  @Keyed({ scope: 'admin:sales' })
  quarantine(
    @AccountKey() accountKey: string,
    @Query({ schema: quarantine.query }) query: z.output<typeof quarantine.query>,
  ): Promise<ReplyOf<typeof cardsContract.quarantine>> {
    return this.bus.call(cardsContract.quarantine, { ...query, accountKey });
  }

  @Endpoint(resolveQuarantine)
  @Keyed({ scope: 'admin:sales' })
  resolve(
    @AccountKey() accountKey: string,
    @Param({ schema: resolveQuarantine.params }) params: z.output<typeof resolveQuarantine.params>,
    @Body({ schema: ResolveQuarantineRequest }) request: z.output<typeof ResolveQuarantineRequest>,
  ): Promise<ReplyOf<typeof cardsContract.resolveQuarantine>> {
    return this.bus.call(cardsContract.resolveQuarantine, { ...params, accountKey, request });
  }
}
