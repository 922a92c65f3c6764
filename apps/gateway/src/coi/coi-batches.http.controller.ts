import { Body, Controller, Header, Param, Req, Res } from '@nestjs/common';
import {
  type CoiBatch,
  coiBatchContract,
  coiBatchesRoutes,
  CoiBatchRequest,
  type KeyHolder,
} from '@svc/contracts';
import { AccountOf, accountKeyOf, Endpoint, idempotencyKeyOf, Keyed } from '@svc/edge';
import { BusClient } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { batchPathOf, CoiBatchTaking } from './coi-batch-taking.js';

const { create, batch, cancel } = coiBatchesRoutes;
type OfBatch = z.output<typeof batch.params>;

/** Batches of certificate audits. A batch answers whoever holds its unguessable id. */
@Controller()
export class CoiBatchesHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly taking: CoiBatchTaking,
  ) {}

  @Endpoint(create)
  @Keyed()
  async create(
    @AccountOf() holder: KeyHolder,
    @Body({ schema: CoiBatchRequest }) { documents }: CoiBatchRequest,
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CoiBatch> {
    const accountKey = accountKeyOf(raw)!;
    const idempotencyKey = idempotencyKeyOf(raw);
    const taken = await this.taking.take({ documents, holder, accountKey, idempotencyKey });
    reply.header('Location', batchPathOf(taken.batchId));
    return taken;
  }

  @Endpoint(batch)
  @Header('cache-control', 'no-store')
  batch(@Param({ schema: batch.params }) { batchId }: OfBatch): Promise<CoiBatch> {
    return this.bus.call(coiBatchContract.batch, { batchId });
  }

  @Endpoint(cancel)
  @Header('cache-control', 'no-store')
  cancel(@Param({ schema: cancel.params }) { batchId }: OfBatch): Promise<CoiBatch> {
    return this.bus.call(coiBatchContract.cancelBatch, { batchId });
  }
}
