import { Controller } from '@nestjs/common';
import {
  arenaContract,
  type ArenaLeaders,
  type ParsedRequestOf,
  type ReplyOf,
  toolCallContract,
  type ToolName,
  type ToolReply,
} from '@svc/contracts';
import { Handle, problem } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { ArenaCalls } from './arena-calls.js';
import { ArenaChallenges } from './arena-challenges.js';
import { ArenaRecord } from './arena-record.js';
import { ArenaService } from './arena.service.js';

const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract.department;

/** Between two looks at how far a call is, milliseconds. */
const LOOK_MS = 100;

@Controller()
export class ArenaNatsController {
  constructor(
    private readonly arena: ArenaService,
    private readonly calls: ArenaCalls,
    private readonly challenges: ArenaChallenges,
    private readonly record: ArenaRecord,
  ) {}

  @Handle(admitTool)
  async admitTool({ tool, input }: ParsedRequestOf<typeof admitTool>): Promise<ReplyOf<typeof admitTool>> {
    requireArena(tool);
    await this.arena.admit(this.arena.read(input));
    return {};
  }

  @Handle(callTool)
  async callTool({ tool, input, idemKey, accountId }: ParsedRequestOf<typeof callTool>): Promise<ToolReply> {
    requireArena(tool);
    return this.arena.run(this.arena.read(input), idemKey, accountId);
  }

  /** A run that has died is not told from one that runs: whoever asks is to call again, and gets the same. */
  @Handle(toolOutcome)
  async toolOutcome({ idemKey }: ParsedRequestOf<typeof toolOutcome>): Promise<ReplyOf<typeof toolOutcome>> {
    const state = await this.calls.stateOf(idemKey);
    if (state === 'running') return { state: 'unknown' };
    const reply = state === 'done' ? await this.arena.replyOf(idemKey) : undefined;
    return { state, ...(reply && { reply }) };
  }

  @Handle(toolProgress)
  async toolProgress({
    idemKey,
    afterSeq,
    waitMs,
  }: ParsedRequestOf<typeof toolProgress>): Promise<ReplyOf<typeof toolProgress>> {
    const until = performance.now() + waitMs;
    for (;;) {
      const progress = PROGRESS[await this.calls.stateOf(idemKey)];
      const leftMs = until - performance.now();
      if (progress.ended || progress.seq > afterSeq || leftMs <= 0) return progress;
      await delay(Math.min(LOOK_MS, leftMs));
    }
  }

  @Handle(revokeTool)
  async revokeTool({ idemKey }: ParsedRequestOf<typeof revokeTool>): Promise<ReplyOf<typeof revokeTool>> {
    return { was: await this.calls.revoke(idemKey, manager => this.challenges.undo(manager, idemKey)) };
  }

  @Handle(arenaContract.leaders)
  leaders(query: ParsedRequestOf<typeof arenaContract.leaders>): Promise<ArenaLeaders> {
    return this.record.leaders(query);
  }
}

/** A call has one step: it has begun, or it has ended. */
const PROGRESS = {
  unknown: { seq: 0, progress: 0, ended: false },
  running: { seq: 1, progress: 0, stage: 'grading', ended: false },
  done: { seq: 2, progress: 1, ended: true },
  revoked: { seq: 2, progress: 0, ended: true },
} as const;

/** @throws ProblemError NOT_YET_AVAILABLE for a tool of another service */
function requireArena(tool: ToolName): void {
  if (tool !== 'arena_challenge') {
    throw problem('NOT_YET_AVAILABLE', `The department service does not run the tool ${tool}`);
  }
}
