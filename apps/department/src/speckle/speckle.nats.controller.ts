import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, type ReplyOf, speckleContract } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { SpeckleService } from './speckle.service.js';

type Asked<P extends keyof typeof speckleContract> = ParsedRequestOf<(typeof speckleContract)[P]>;
type Answered<P extends keyof typeof speckleContract> = ReplyOf<(typeof speckleContract)[P]>;

@Controller()
export class SpeckleNatsController {
  constructor(private readonly speckle: SpeckleService) {}

  @Handle(speckleContract.admitExtract)
  admitExtract(call: Asked<'admitExtract'>): Promise<Answered<'admitExtract'>> {
    return this.speckle.admitExtract(call);
  }

  @Handle(speckleContract.extract)
  extract(call: Asked<'extract'>): Promise<Answered<'extract'>> {
    return this.speckle.extract(call);
  }

  @Handle(speckleContract.admitVerify)
  admitVerify(call: Asked<'admitVerify'>): Promise<Answered<'admitVerify'>> {
    return this.speckle.admitVerify(call);
  }

  @Handle(speckleContract.verify)
  verify(call: Asked<'verify'>): Promise<Answered<'verify'>> {
    return this.speckle.verify(call);
  }
}
