import { Body, Controller, Query, Req, UseInterceptors } from '@nestjs/common';
import {
  bullionContract,
  type BullionEnrolment,
  bullionRoutes,
  EnrolBullionRequest,
  EnrolmentFile,
  type enrolmentsQuery,
  type ImportedEnrolments,
  type ReplyOf,
  type RingChallenge,
  type VerifyBullionRequest,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AccountKey, Endpoint, Keyed, Paid, UnpaidWork, WorkUnits } from '@svc/edge';
import { operationOf, VERIFY_BULLION } from './agent-calls.js';

/** A challenge stays a row for a day: thirty a minute of one address, as its window has 30,000 units. */
const CHALLENGE_UNITS = 1_000;

@Controller()
export class BullionHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(bullionRoutes.verify)
  @Paid(operationOf(VERIFY_BULLION))
  verify(@Body() body: VerifyBullionRequest, @Req() request: FastifyRequest): Promise<object> {
    return VERIFY_BULLION.run(this.bus, { body }, request);
  }

  @Endpoint(bullionRoutes.products)
  products(): Promise<ReplyOf<typeof bullionContract.products>> {
    return this.bus.call(bullionContract.products, {});
  }

  @Endpoint(bullionRoutes.challenge)
  @UseInterceptors(UnpaidWork)
  @WorkUnits(CHALLENGE_UNITS)
  challenge(): Promise<RingChallenge> {
    return this.bus.call(bullionContract.challenge, {});
  }

  @Endpoint(bullionRoutes.enrol)
  @Keyed({ scope: 'admin:bullion' })
  enrol(
    @AccountKey() accountKey: string,
    @Body({ schema: EnrolBullionRequest }) body: z.output<typeof EnrolBullionRequest>,
  ): Promise<BullionEnrolment> {
    const { recordingBase64, ...request } = body;
    const recording = Buffer.from(recordingBase64, 'base64');
    return this.bus.call(bullionContract.enrol, { accountKey, request, recording });
  }

  @Endpoint(bullionRoutes.exportEnrolments)
  @Keyed({ scope: 'admin:bullion' })
  exportEnrolments(
    @AccountKey() accountKey: string,
    @Query({ schema: bullionRoutes.exportEnrolments.query }) { productId }: z.output<typeof enrolmentsQuery>,
  ): Promise<EnrolmentFile> {
    return this.bus.call(bullionContract.exportEnrolments, { accountKey, productId });
  }

  @Endpoint(bullionRoutes.importEnrolments)
  @Keyed({ scope: 'admin:bullion' })
  importEnrolments(
    @AccountKey() accountKey: string,
    @Body({ schema: EnrolmentFile }) file: EnrolmentFile,
  ): Promise<ImportedEnrolments> {
    return this.bus.call(bullionContract.importEnrolments, { accountKey, file });
  }
}
