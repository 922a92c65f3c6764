import { Body, Controller, Header, Param, Query, Req, UseInterceptors } from '@nestjs/common';
import {
  ClaimEscrowRequest,
  CreateEscrowRequest,
  type EscrowClaim,
  escrowContract,
  type EscrowIntent,
  type EscrowList,
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
  realmOf,
  schemeOf,
  unknownCharge,
  UnpaidWork,
} from '@svc/edge';

const { createIntent, intent, intents, release, cancel, accept, claimOf, claim } = escrowRoutes;

interface IntentParams {
  readonly intentId: string;
}
interface ClaimParams {
  readonly claimToken: string;
}

/** Held payments of the account whose key comes, made by it or for it. */
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
  ): Promise<EscrowIntent> {
    const asked = {
      ...callerOf(holder, request),
      address: addressOf(request),
      baseUrl: baseUrlOf(request),
      escrow,
    };
    return this.inTurn(request, () => this.bus.call(escrowContract.create, asked));
  }

  @Endpoint(intent)
  @Keyed()
  find(
    @Param({ schema: intent.params }) { intentId }: IntentParams,
    @AccountOf() { accountId }: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<EscrowIntent> {
    return this.inTurn(request, () => this.bus.call(escrowContract.find, { accountId, intentId }));
  }

  @Endpoint(intents)
  @Keyed()
  list(
    @AccountOf() { accountId }: KeyHolder,
    @Query({ schema: intents.query }) query: z.output<typeof intents.query>,
  ): Promise<EscrowList> {
    return this.bus.call(escrowContract.list, { ...query, accountId });
  }

  @Endpoint(accept)
  @Keyed()
  accept(
    @Param({ schema: accept.params }) { intentId }: IntentParams,
    @AccountOf() { accountId }: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<EscrowIntent> {
    return this.inTurn(request, () => this.bus.call(escrowContract.accept, { accountId, intentId }));
  }

  /** Shows the escrow to the holder of the link. No cache may keep the answer. */
  @Endpoint(claimOf)
  @UseInterceptors(UnpaidWork)
  @Header('cache-control', 'no-store')
  @Header('referrer-policy', 'no-referrer')
  claimOf(@Param({ schema: claimOf.params }) { claimToken }: ClaimParams): Promise<EscrowClaim> {
    return this.bus.call(escrowContract.claimOf, { claimToken });
  }

  @Endpoint(claim)
  @UseInterceptors(UnpaidWork)
  @Keyed({ optional: true })
  claim(
    @Param({ schema: claim.params }) { claimToken }: ClaimParams,
    @Body({ schema: ClaimEscrowRequest.prefault({}) }) asked: z.output<typeof ClaimEscrowRequest>,
    @AccountOf() holder: KeyHolder | undefined,
  ): Promise<EscrowIntent> {
    const account = holder && { accountId: holder.accountId };
    return this.bus.call(escrowContract.claim, { ...asked, ...account, claimToken });
  }

  @Endpoint(release)
  @Keyed({ whole: true })
  release(
    @Param({ schema: release.params }) { intentId }: IntentParams,
    @Body({ schema: ReleaseEscrowRequest.prefault({}) }) wish: z.output<typeof ReleaseEscrowRequest>,
    @AccountOf() holder: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<EscrowIntent> {
    const asked = { ...callerOf(holder, request), intentId, release: wish };
    return this.inTurn(request, () => this.moving(escrowContract.release, asked));
  }

  @Endpoint(cancel)
  @Keyed({ whole: true })
  cancel(
    @Param({ schema: cancel.params }) { intentId }: IntentParams,
    @AccountOf() holder: KeyHolder,
    @Req() request: FastifyRequest,
  ): Promise<EscrowIntent> {
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

/** Where the caller reached us: of a configured PUBLIC_URL it says nothing else. */
const baseUrlOf = (request: FastifyRequest): string => `${schemeOf(request)}://${realmOf(request)}`;

function callerOf({ accountId }: KeyHolder, request: FastifyRequest) {
  const idempotencyKey = idempotencyKeyOf(request.raw);
  return { accountId, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}
