import { Controller } from '@nestjs/common';
import { escrowContract, type ParsedRequestOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { EscrowService } from './escrow.service.js';

@Controller()
export class EscrowNatsController {
  constructor(private readonly escrows: EscrowService) {}

  @Handle(escrowContract.create)
  create(request: ParsedRequestOf<typeof escrowContract.create>) {
    return this.escrows.create(request);
  }

  @Handle(escrowContract.find)
  find({ accountId, intentId }: ParsedRequestOf<typeof escrowContract.find>) {
    return this.escrows.find(accountId, intentId);
  }

  @Handle(escrowContract.release)
  release(request: ParsedRequestOf<typeof escrowContract.release>) {
    return this.escrows.release(request);
  }

  @Handle(escrowContract.cancel)
  cancel(request: ParsedRequestOf<typeof escrowContract.cancel>) {
    return this.escrows.cancel(request);
  }
}
