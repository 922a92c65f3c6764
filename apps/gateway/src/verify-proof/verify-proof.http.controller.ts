import { Body, Controller } from '@nestjs/common';
import { proverContract, starkRoutes, VerifyProofRequest, type VerifyProofResult } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { Endpoint } from '../endpoint/endpoint.decorator.js';

@Controller()
export class VerifyProofHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(starkRoutes.verifyProof)
  verifyProof(@Body({ schema: VerifyProofRequest }) request: VerifyProofRequest): Promise<VerifyProofResult> {
    return this.bus.call(proverContract.verifyProof, {
      ...request,
      proof: Buffer.from(request.proof, 'base64'),
    });
  }
}
