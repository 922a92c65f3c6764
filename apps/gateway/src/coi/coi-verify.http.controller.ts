import { Body, Controller, Req } from '@nestjs/common';
import { certificatesRoutes, type CoiVerifyRequest } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { Endpoint, Paid } from '@svc/edge';
import { operationOf, VERIFY_CERTIFICATE } from '../agents/agent-calls.js';

@Controller()
export class CoiVerifyHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(certificatesRoutes.verify)
  @Paid(operationOf(VERIFY_CERTIFICATE))
  verify(@Body() body: CoiVerifyRequest, @Req() request: FastifyRequest): Promise<object> {
    return VERIFY_CERTIFICATE.run(this.bus, { body }, request);
  }
}
