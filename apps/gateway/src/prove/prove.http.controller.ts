import { Body, Controller } from '@nestjs/common';
import { proverContract, ProveRequest, type ProveResult, starkRoutes } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { Endpoint } from '../endpoint/endpoint.decorator.js';
import { Paid } from '../payment/paid.decorator.js';

@Controller()
export class ProveHttpController {
  constructor(private readonly bus: BusClient) {}

  /** @param request validated by the payment guard, which has to see it before any money */
  @Endpoint(starkRoutes.prove)
  @Paid({ operationId: starkRoutes.prove.operationId, body: ProveRequest, admit: proverContract.admit })
  async prove(@Body() request: ProveRequest): Promise<ProveResult> {
    const { proof, ...result } = await this.bus.call(proverContract.prove, request);
    return { ...result, proof: Buffer.from(proof).toString('base64') };
  }
}
