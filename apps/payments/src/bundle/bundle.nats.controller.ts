import { Controller } from '@nestjs/common';
import { l402BundleContract, type ParsedRequestOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { BundleDesk } from './bundle-desk.js';

@Controller()
export class BundleNatsController {
  constructor(private readonly desk: BundleDesk) {}

  @Handle(l402BundleContract.open)
  open(request: ParsedRequestOf<typeof l402BundleContract.open>) {
    return this.desk.open(request);
  }
}
