import { Controller } from '@nestjs/common';
import { type Admission, proverContract, type ProveReply, type ProveRequest } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { ProveService } from './prove.service.js';

@Controller()
export class ProveNatsController {
  constructor(private readonly service: ProveService) {}

  @Handle(proverContract.admit)
  admit(request: ProveRequest): Admission {
    return this.service.admit(request);
  }

  @Handle(proverContract.prove)
  prove(request: ProveRequest): Promise<ProveReply> {
    return this.service.prove(request);
  }
}
