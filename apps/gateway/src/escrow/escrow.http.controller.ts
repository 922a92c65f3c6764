import { Body, Controller, Param, Req } from '@nestjs/common';
import {
  CreateEscrowRequest,
  escrowContract,
  type EscrowIntent,
  escrowRoutes,
  type KeyHolder,
  ReleaseEscrowRequest,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AccountOf, Endpoint, idempotencyKeyOf, Keyed } from '@svc/edge';

const { createIntent, intent, release, cancel } = escrowRoutes;

type Intent = z.output<typeof EscrowIntent>;
interface IntentParams {
  readonly intentId: string;
}

/** Held payments of the account whose key comes. */
@Controller()
export class EscrowHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(createIntent)
  @Keyed()
  create(
    @Body({ schema: CreateEscrowRequest }) escrow: z.output<typeof CreateEscrowRequest>,
    @AccountOf() holder: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<Intent> {
    return this.bus.call(escrowContract.create, { ...callerOf(holder, request), escrow });
  }

  @Endpoint(intent)
  @Keyed()
  find(
    @Param({ schema: intent.params }) { intentId }: IntentParams,
    @AccountOf() { accountId }: KeyHolder,
  ): Promise<Intent> {
    return this.bus.call(escrowContract.find, { accountId, intentId });
  }

  @Endpoint(release)
  @Keyed()
  release(
    @Param({ schema: release.params }) { intentId }: IntentParams,
    @Body({ schema: ReleaseEscrowRequest.prefault({}) }) wish: z.output<typeof ReleaseEscrowRequest>,
    @AccountOf() holder: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<Intent> {
    return this.bus.call(escrowContract.release, { ...callerOf(holder, request), intentId, release: wish });
  }

  @Endpoint(cancel)
  @Keyed()
  cancel(
    @Param({ schema: cancel.params }) { intentId }: IntentParams,
    @AccountOf() holder: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<Intent> {
    return this.bus.call(escrowContract.cancel, { ...callerOf(holder, request), intentId });
  }
}

function callerOf({ accountId }: KeyHolder, request: FastifyRequest) {
  const idempotencyKey = idempotencyKeyOf(request.raw);
  return { accountId, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}
