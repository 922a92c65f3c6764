import { Body, Controller, Header, Req, UseInterceptors } from '@nestjs/common';
import { type LightningRefund, LightningRefundRequest, refundsContract, refundsRoutes } from '@svc/contracts';
import { BurstLimits, Endpoint, readCredential, UnpaidWork } from '@svc/edge';
import { BusClient, ProblemError } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** What a credential is answered with that was none, or has no refund. */
const NO_PROOF: readonly number[] = [401, 402, 404];

/** Refunds of Lightning payments, whose payers alone can say where to. */
@Controller()
export class LightningRefundsHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly bursts: BurstLimits,
  ) {}

  /** Tries that prove nothing count as payments that were none: so many of an address, and then 429. Any try is work. */
  @Endpoint(refundsRoutes.lightning)
  @UseInterceptors(UnpaidWork)
  @Header('cache-control', 'no-store')
  async lightning(
    @Body({ schema: LightningRefundRequest }) { invoice }: z.output<typeof LightningRefundRequest>,
    @Req() request: FastifyRequest,
  ): Promise<LightningRefund> {
    await this.bursts.checkBadPayments(request, 'L402');
    const { payment: credential } = readCredential(request.raw);
    try {
      return await this.bus.call(refundsContract.lightning, { invoice, ...(credential && { credential }) });
    } catch (error) {
      if (error instanceof ProblemError && NO_PROOF.includes(error.status))
        await this.bursts.countBadPayment(request);
      throw error;
    }
  }
}
