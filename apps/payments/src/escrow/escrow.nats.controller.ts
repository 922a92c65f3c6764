import { Controller } from '@nestjs/common';
import { escrowContract, type ParsedRequestOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { EscrowPayees } from './escrow-payees.js';
import { EscrowService } from './escrow.service.js';

@Controller()
export class EscrowNatsController {
  constructor(
    private readonly escrows: EscrowService,
    private readonly payees: EscrowPayees,
  ) {}

  @Handle(escrowContract.create)
  create(request: ParsedRequestOf<typeof escrowContract.create>) {
    return this.escrows.create(request);
  }

  @Handle(escrowContract.find)
  find({ accountId, intentId }: ParsedRequestOf<typeof escrowContract.find>) {
    return this.escrows.find(accountId, intentId);
  }

  @Handle(escrowContract.list)
  list(request: ParsedRequestOf<typeof escrowContract.list>) {
    return this.payees.list(request);
  }

  @Handle(escrowContract.accept)
  accept({ accountId, intentId }: ParsedRequestOf<typeof escrowContract.accept>) {
    return this.payees.accept(accountId, intentId);
  }

  @Handle(escrowContract.claimOf)
  claimOf({ claimToken }: ParsedRequestOf<typeof escrowContract.claimOf>) {
    return this.payees.claimOf(claimToken);
  }

  @Handle(escrowContract.claim)
  claim(request: ParsedRequestOf<typeof escrowContract.claim>) {
    return this.payees.claim(request);
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
