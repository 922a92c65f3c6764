import { type toolCallContract, type ToolName, type ToolReply } from '@svc/contracts';
import type { JsonObject } from '@svc/durability';
import type { BusClient } from '@svc/platform';
import { askEffect } from './remote-effect.js';

/** One call of a tool, known again by its key. */
export interface KeyedToolCall {
  readonly tool: ToolName;
  readonly input: JsonObject;
  /** 32 bytes as hexadecimal. */
  readonly idemKey: string;
  /** Receipt of the payment, as the answer repeats it. */
  readonly receipt: string;
  /** Where the caller reached us, `https://host`; for links. */
  readonly baseUrl?: string;
  /** The account whose key pays, where one does. */
  readonly accountId?: string;
}

export type ToolCallState = 'unknown' | 'running' | 'done' | 'revoked';

/**
 * Runs tools: each key once, however often it is asked, and never after the key was revoked.
 */
export interface ToolRunner {
  /** Whether the inputs can be worked on, before anything is taken. @throws ProblemError */
  admit(tool: ToolName, input: JsonObject): Promise<void>;
  /** @throws StepFailed where the tool refuses for good; anything else leaves the outcome unknown */
  call(call: KeyedToolCall, signal: AbortSignal): Promise<ToolReply>;
  /** What a key came to; undefined where it is to be run (again) to know. */
  outcome(idemKey: string, signal: AbortSignal): Promise<ToolReply | undefined>;
  /** Takes a key back, also one that never came. What it was. */
  revoke(idemKey: string, tool: ToolName, signal: AbortSignal): Promise<ToolCallState>;
}

/** Runs tools of another service, over the bus. */
export class BusToolRunner implements ToolRunner {
  constructor(
    private readonly bus: BusClient,
    private readonly procedures: (typeof toolCallContract)[keyof typeof toolCallContract],
  ) {}

  async admit(tool: ToolName, input: JsonObject): Promise<void> {
    await this.bus.call(this.procedures.admitTool, { tool, input });
  }

  call(call: KeyedToolCall, signal: AbortSignal): Promise<ToolReply> {
    return askEffect(this.bus, this.procedures.callTool, call, signal);
  }

  async outcome(idemKey: string, signal: AbortSignal): Promise<ToolReply | undefined> {
    return (await askEffect(this.bus, this.procedures.toolOutcome, { idemKey }, signal)).reply;
  }

  async revoke(idemKey: string, _tool: ToolName, signal: AbortSignal): Promise<ToolCallState> {
    return (await this.bus.call(this.procedures.revokeTool, { idemKey }, { signal })).was;
  }
}
