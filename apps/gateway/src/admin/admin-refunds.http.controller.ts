import { Body, Controller, Param, Query, Req } from '@nestjs/common';
import {
  type Refund,
  REFUND_SCOPE,
  RefundRequest,
  refundsContract,
  refundsRoutes,
  type RefundsQuery,
  type ReplyOf,
} from '@svc/contracts';
import { AccountKey, Endpoint, idempotencyKeyOf, Keyed } from '@svc/edge';
import { BusClient, problem } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

const { refund, refunds, findRefund } = refundsRoutes;

/** What operators give back of payments. */
@Controller()
export class AdminRefundsHttpController {
  constructor(private readonly bus: BusClient) {}

  /** @throws ProblemError VALIDATION_FAILED without an Idempotency-Key: one that is asked again must be known again */
  @Endpoint(refund)
  @Keyed({ scope: REFUND_SCOPE })
  refund(
    @AccountKey() accountKey: string,
    @Req() request: FastifyRequest,
    @Body({ schema: RefundRequest }) asked: z.output<typeof RefundRequest>,
  ): Promise<Refund> {
    const idempotencyKey = idempotencyKeyOf(request.raw);
    if (idempotencyKey !== undefined)
      return this.bus.call(refundsContract.refund, { ...asked, accountKey, idempotencyKey });
    const message = 'is missing: the same value for every retry of one refund';
    throw problem('VALIDATION_FAILED', `Idempotency-Key: ${message}`, {
      errors: [{ path: 'Idempotency-Key', message, bound: '1 to 255 characters' }],
    });
  }

  @Endpoint(refunds)
  @Keyed({ scope: REFUND_SCOPE })
  refunds(
    @AccountKey() accountKey: string,
    @Query({ schema: refunds.query }) query: RefundsQuery,
  ): Promise<ReplyOf<typeof refundsContract.refunds>> {
    return this.bus.call(refundsContract.refunds, { ...query, accountKey });
  }

  @Endpoint(findRefund)
  @Keyed({ scope: REFUND_SCOPE })
  findRefund(
    @AccountKey() accountKey: string,
    @Param({ schema: findRefund.params }) { refundId }: z.output<typeof findRefund.params>,
  ): Promise<Refund> {
    return this.bus.call(refundsContract.findRefund, { accountKey, refundId });
  }
}
