import { Controller } from '@nestjs/common';
import {
  type ParsedRequestOf,
  type ReplyOf,
  toolCallContract,
  type ToolProgress,
  type ToolReply,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { ProximityTool } from './proximity-tool.js';
import { ToolCalls } from './tool-calls.js';

const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract.acoustic;

/** Between two looks at how far a call is, milliseconds. */
const LOOK_MS = 100;

@Controller()
export class ToolNatsController {
  constructor(
    private readonly proximity: ProximityTool,
    private readonly calls: ToolCalls,
  ) {}

  @Handle(admitTool)
  async admitTool({ tool, input }: ParsedRequestOf<typeof admitTool>): Promise<ReplyOf<typeof admitTool>> {
    await this.proximity.admit(this.proximity.read(tool, input));
    return {};
  }

  @Handle(callTool)
  async callTool({ tool, input, idemKey }: ParsedRequestOf<typeof callTool>): Promise<ToolReply> {
    return this.proximity.run(this.proximity.read(tool, input), idemKey);
  }

  /** A run that has died is not told from one that runs: whoever asks is to call again, and gets the same. */
  @Handle(toolOutcome)
  async toolOutcome({ idemKey }: ParsedRequestOf<typeof toolOutcome>): Promise<ReplyOf<typeof toolOutcome>> {
    const outcome = await this.calls.outcome(idemKey);
    return outcome.state === 'running' ? { state: 'unknown' } : outcome;
  }

  @Handle(toolProgress)
  async toolProgress({
    idemKey,
    afterSeq,
    waitMs,
  }: ParsedRequestOf<typeof toolProgress>): Promise<ToolProgress> {
    const until = performance.now() + waitMs;
    for (;;) {
      const progress = PROGRESS[(await this.calls.outcome(idemKey)).state];
      const leftMs = until - performance.now();
      if (progress.ended || progress.seq > afterSeq || leftMs <= 0) return progress;
      await delay(Math.min(LOOK_MS, leftMs));
    }
  }

  @Handle(revokeTool)
  async revokeTool({ idemKey }: ParsedRequestOf<typeof revokeTool>): Promise<ReplyOf<typeof revokeTool>> {
    return { was: await this.proximity.revoke(idemKey) };
  }
}

/** A call has one step: it has begun, or it has ended. */
const PROGRESS = {
  unknown: { seq: 0, progress: 0, ended: false },
  running: { seq: 1, progress: 0, stage: 'listening', ended: false },
  done: { seq: 2, progress: 1, ended: true },
  revoked: { seq: 2, progress: 0, ended: true },
} as const;
