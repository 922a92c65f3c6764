import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, proverContract, type VerifyProofResult } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { VerifyService } from './verify.service.js';

@Controller()
export class VerifyNatsController {
  constructor(private readonly service: VerifyService) {}

  @Handle(proverContract.verifyProof)
  verifyProof(call: ParsedRequestOf<typeof proverContract.verifyProof>): Promise<VerifyProofResult> {
    return this.service.verify(call);
  }
}
