import { Controller } from '@nestjs/common';
import { coiBatchContract, type ParsedRequestOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { CoiBatchesService } from './coi-batches.service.js';

type Contract = typeof coiBatchContract;

@Controller()
export class CoiBatchesNatsController {
  constructor(private readonly batches: CoiBatchesService) {}

  @Handle(coiBatchContract.openBatch)
  openBatch(asked: ParsedRequestOf<Contract['openBatch']>) {
    return this.batches.open(asked);
  }

  @Handle(coiBatchContract.untakenDocuments)
  untakenDocuments(asked: ParsedRequestOf<Contract['untakenDocuments']>) {
    return this.batches.untaken(asked);
  }

  @Handle(coiBatchContract.batch)
  batch(asked: ParsedRequestOf<Contract['batch']>) {
    return this.batches.batch(asked);
  }

  @Handle(coiBatchContract.cancelBatch)
  cancelBatch(asked: ParsedRequestOf<Contract['cancelBatch']>) {
    return this.batches.cancel(asked);
  }
}
