import { Body, Controller, Param, Req } from '@nestjs/common';
import {
  CreateEscrowRequest,
  escrowContract,
  type EscrowIntent,
  escrowRoutes,
  type KeyHolder,
  ReleaseEscrowRequest,
  type ReplyOf,
  type RequestOf,
} from '@svc/contracts';
import { BusClient, runInTurn } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  AccountOf,
  addressOf,
  BurstLimits,
  Endpoint,
  idempotencyKeyOf,
  Keyed,
  unknownCharge,
} from '@svc/edge';

const { createIntent, intent, release, cancel } = escrowRoutes;

type Intent = z.output<typeof EscrowIntent>;
interface IntentParams {
  readonly intentId: string;
}

/** Held payments of the account whose key comes. */
@Controller()
export class EscrowHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly bursts: BurstLimits,
  ) {}

  @Endpoint(createIntent)
  @Keyed()
  create(
    @Body({ schema: CreateEscrowRequest }) escrow: z.output<typeof CreateEscrowRequest>,
    @AccountOf() holder: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<Intent> {
    const asked = { ...callerOf(holder, request), address: addressOf(request), escrow };
    return this.inTurn(request, () => this.bus.call(escrowContract.create, asked));
  }

  @Endpoint(intent)
  @Keyed()
  find(
    @Param({ schema: intent.params }) { intentId }: IntentParams,
    @AccountOf() { accountId }: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<Intent> {
    return this.inTurn(request, () => this.bus.call(escrowContract.find, { accountId, intentId }));
  }

  @Endpoint(release)
  @Keyed()
  release(
    @Param({ schema: release.params }) { intentId }: IntentParams,
    @Body({ schema: ReleaseEscrowRequest.prefault({}) }) wish: z.output<typeof ReleaseEscrowRequest>,
    @AccountOf() holder: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<Intent> {
    const asked = { ...callerOf(holder, request), intentId, release: wish };
    return this.inTurn(request, () => this.moving(escrowContract.release, asked));
  }

  @Endpoint(cancel)
  @Keyed()
  cancel(
    @Param({ schema: cancel.params }) { intentId }: IntentParams,
    @AccountOf() holder: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<Intent> {
    return this.moving(escrowContract.cancel, { ...callerOf(holder, request), intentId });
  }

  /** Asks for what moves held money: where no answer comes, it may have moved. */
  private moving<P extends typeof escrowContract.release | typeof escrowContract.cancel>(
    procedure: P,
    asked: RequestOf<P>,
  ): Promise<ReplyOf<P>> {
    return this.bus.call(procedure, asked).catch((error: unknown) => {
      throw unknownCharge(error);
    });
  }

  /** The card processor is asked for callers by turns. */
  private inTurn<T>(request: FastifyRequest, ask: () => Promise<T>): Promise<T> {
    return runInTurn({ subject: this.bursts.subjectOf(request), standing: 'later' }, ask);
  }
}

function callerOf({ accountId }: KeyHolder, request: FastifyRequest) {
  const idempotencyKey = idempotencyKeyOf(request.raw);
  return { accountId, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}
