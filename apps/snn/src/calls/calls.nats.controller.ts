import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, type ReplyOf, snnContract, type ToolProgress } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { RunningCalls } from './running-calls.js';

const { cancelCall, callProgress } = snnContract;

@Controller()
export class CallsNatsController {
  constructor(private readonly calls: RunningCalls) {}

  @Handle(cancelCall)
  cancelCall({ callId }: ParsedRequestOf<typeof cancelCall>): ReplyOf<typeof cancelCall> {
    return { cancelled: this.calls.cancel(callId) };
  }

  @Handle(callProgress)
  callProgress({ callId, afterSeq, waitMs }: ParsedRequestOf<typeof callProgress>): Promise<ToolProgress> {
    return this.calls.progress(callId, afterSeq, waitMs);
  }
}
