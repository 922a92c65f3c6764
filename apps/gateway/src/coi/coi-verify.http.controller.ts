import { Body, Controller, Req } from '@nestjs/common';
import {
  accountContract,
  certificatesContract,
  certificatesRoutes,
  CoiVerifyRequest,
  type CoiVerifyResult,
  type KeyHolder,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { accountKeyOf, Endpoint, Paid } from '@svc/edge';
import { certificateCallOf } from '../agents/call-with-file.js';

/** Whose key came along; it may pay, or be there beside a payment. @throws ProblemError UNKNOWN_CREDENTIAL */
async function holderOf(bus: BusClient, request: FastifyRequest): Promise<KeyHolder | undefined> {
  const accountKey = accountKeyOf(request.raw);
  return accountKey === undefined ? undefined : bus.call(accountContract.authenticate, { accountKey });
}

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
        certificateCallOf(body as CoiVerifyRequest, await holderOf(bus, request)),
      ),
  })
  async verify(@Body() body: CoiVerifyRequest, @Req() request: FastifyRequest): Promise<CoiVerifyResult> {
    const holder = await holderOf(this.bus, request);
    // After the claim: what this audit takes from the key has been taken.
    const account = holder && (await this.bus.call(accountContract.account, { by: holder }));
    return this.bus.call(certificatesContract.verify, {
      ...certificateCallOf(body, holder),
      creditsRemaining: account?.credits ?? null,
    });
  }
}
