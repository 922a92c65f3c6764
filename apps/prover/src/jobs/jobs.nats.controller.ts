import { Controller } from '@nestjs/common';
import {
  type Admission,
  type ParsedRequestOf,
  type PaymentInFlight,
  type ProofJob,
  proofJobContract,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { JobService } from './job.service.js';

@Controller()
export class JobsNatsController {
  constructor(private readonly service: JobService) {}

  @Handle(proofJobContract.admitJob)
  admitJob({ order }: ParsedRequestOf<typeof proofJobContract.admitJob>): Promise<Admission> {
    return this.service.admit(order);
  }

  @Handle(proofJobContract.startJob)
  startJob(request: ParsedRequestOf<typeof proofJobContract.startJob>): Promise<ProofJob> {
    return this.service.start(request);
  }

  @Handle(proofJobContract.job)
  job({ jobId }: ParsedRequestOf<typeof proofJobContract.job>): Promise<ProofJob> {
    return this.service.find(jobId);
  }

  @Handle(proofJobContract.jobOfClaim)
  jobOfClaim(claim: ParsedRequestOf<typeof proofJobContract.jobOfClaim>): Promise<PaymentInFlight> {
    return this.service.holderOf(claim);
  }

  @Handle(proofJobContract.cancelJob)
  cancelJob({ jobId }: ParsedRequestOf<typeof proofJobContract.cancelJob>): Promise<ProofJob> {
    return this.service.cancel(jobId);
  }

  @Handle(proofJobContract.jobEvents)
  jobEvents(request: ParsedRequestOf<typeof proofJobContract.jobEvents>) {
    return this.service.events(request);
  }
}
