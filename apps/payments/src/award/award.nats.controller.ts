import { Controller } from '@nestjs/common';
import { arenaContract, type ParsedRequestOf, type ReplyOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { CreditAwards } from './credit-awards.js';

@Controller()
export class AwardNatsController {
  constructor(private readonly awards: CreditAwards) {}

  @Handle(arenaContract.awardCredit)
  awardCredit(
    asked: ParsedRequestOf<typeof arenaContract.awardCredit>,
  ): Promise<ReplyOf<typeof arenaContract.awardCredit>> {
    return this.awards.award(asked);
  }
}
