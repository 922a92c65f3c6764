import { Controller } from '@nestjs/common';
import { accountRecoveryContract, type ParsedRequestOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { KeyRecovery } from './key-recovery.js';

@Controller()
export class KeyRecoveryNatsController {
  constructor(private readonly recovery: KeyRecovery) {}

  @Handle(accountRecoveryContract.challenge)
  challenge(request: ParsedRequestOf<typeof accountRecoveryContract.challenge>) {
    return this.recovery.challenge(request);
  }

  @Handle(accountRecoveryContract.recover)
  recover(request: ParsedRequestOf<typeof accountRecoveryContract.recover>) {
    return this.recovery.recover(request);
  }
}
