import { Body, Controller } from '@nestjs/common';
import { proverContract, ProveRequest, type ProveResult, starkRoutes } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { Endpoint } from '../endpoint/endpoint.decorator.js';

@Controller()
export class ProveHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(starkRoutes.prove)
  async prove(@Body({ schema: ProveRequest }) request: ProveRequest): Promise<ProveResult> {
    const { proof, ...result } = await this.bus.call(proverContract.prove, request);
    return { ...result, proof: Buffer.from(proof).toString('base64') };
  }
}
