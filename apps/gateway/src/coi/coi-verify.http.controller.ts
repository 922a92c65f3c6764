import { Body, Controller, Req } from '@nestjs/common';
import {
  accountContract,
  certificatesContract,
  certificatesRoutes,
  CoiVerifyRequest,
  type CoiVerifyResult,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { Endpoint, Paid } from '@svc/edge';
import { presentedHolder } from '../account/presented-holder.js';
import { certificateCallOf } from '../agents/call-with-file.js';

@Controller()
export class CoiVerifyHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(certificatesRoutes.verify)
  @Paid({
    operationId: certificatesRoutes.verify.operationId,
    body: CoiVerifyRequest,
    admit: async (bus, body, request) =>
      bus.call(
        certificatesContract.admit,
        certificateCallOf(body as CoiVerifyRequest, await presentedHolder(bus, request)),
      ),
  })
  async verify(@Body() body: CoiVerifyRequest, @Req() request: FastifyRequest): Promise<CoiVerifyResult> {
    const holder = await presentedHolder(this.bus, request);
    // After the claim: what this audit takes from the key has been taken.
    const account = holder && (await this.bus.call(accountContract.account, { by: holder }));
    return this.bus.call(certificatesContract.verify, {
      ...certificateCallOf(body, holder),
      creditsRemaining: account?.credits ?? null,
    });
  }
}
