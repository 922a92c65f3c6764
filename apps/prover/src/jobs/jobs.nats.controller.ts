import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, type ProofJob, proofJobContract } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { JobService } from './job.service.js';

@Controller()
export class JobsNatsController {
  constructor(private readonly service: JobService) {}

  @Handle(proofJobContract.startJob)
  startJob(request: ParsedRequestOf<typeof proofJobContract.startJob>): Promise<ProofJob> {
    return this.service.start(request);
  }

  @Handle(proofJobContract.job)
  job({ jobId }: ParsedRequestOf<typeof proofJobContract.job>): Promise<ProofJob> {
    return this.service.find(jobId);
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
