import { Controller } from '@nestjs/common';
import { type AdmittedWork, type InferenceReply, type ParsedRequestOf, snnContract } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { RunningCalls } from '../calls/running-calls.js';
import { InferenceService } from './inference.service.js';

const { admitInference, infer } = snnContract;

@Controller()
export class InferenceNatsController {
  constructor(
    private readonly service: InferenceService,
    private readonly calls: RunningCalls,
  ) {}

  @Handle(admitInference)
  admitInference({ model }: ParsedRequestOf<typeof admitInference>): Promise<AdmittedWork> {
    return this.service.admit(model);
  }

  @Handle(infer)
  infer({ model, callId }: ParsedRequestOf<typeof infer>): Promise<InferenceReply> {
    return this.calls.run(callId, signal => this.service.infer(model, signal));
  }
}
