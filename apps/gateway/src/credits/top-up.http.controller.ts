import { Body, Controller, Req, Res } from '@nestjs/common';
import { checkoutContract, creditsRoutes, type KeyHolder, TopUpRequest } from '@svc/contracts';
import { AccountOf, AnswerOfPayment, Endpoint, Keyed, paidCallOf, PaymentDesk } from '@svc/edge';
import { BusClient, parseOrProblem } from '@svc/platform';
import { CREDIT_PACKS, topUpOperation } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

const MICRO_USD_PER_CENT = 10_000;
const DEFAULT_PACK = 'pack_10';

/** Turns payments into credit, without a browser. */
@Controller()
export class TopUpHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly desk: PaymentDesk,
  ) {}

  @Endpoint(creditsRoutes.topUp)
  @Keyed({ optional: true })
  topUp(
    @Body() body: unknown,
    @AccountOf() holder: KeyHolder | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    reply.header('cache-control', 'no-store');
    const cents = centsOf(parseOrProblem(TopUpRequest, body ?? {}));
    const accountId = holder?.accountId;
    // What the payment is bound to: the amount, and whose the credit is to be.
    request.body = { cents, ...(accountId !== undefined && { accountId }) };
    const operation = { operationId: topUpOperation(cents), body: z.unknown(), isPaidApart: true };
    return this.desk.answer({
      operation,
      request,
      reply,
      run: () => this.credit(request, accountId),
      status: 200,
    });
  }

  private async credit(request: FastifyRequest, accountId: string | undefined): Promise<AnswerOfPayment> {
    const { claimId, attempt } = paidCallOf(request).claim;
    const { response, credit } = await this.bus.call(checkoutContract.topUp, { claimId, attempt, accountId });
    return new AnswerOfPayment(response, credit);
  }
}

function centsOf({ usd, packId = DEFAULT_PACK }: TopUpRequest): number {
  if (usd !== undefined) return Math.round(Number(usd) * 100);
  return CREDIT_PACKS.find(pack => pack.packId === packId)!.amountMicroUsd / MICRO_USD_PER_CENT;
}
