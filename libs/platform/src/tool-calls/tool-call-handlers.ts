import {
  type ParsedRequestOf,
  type ReplyOf,
  toolCallContract,
  type ToolProgress,
  type ToolReply,
} from '@svc/contracts';
import { Handle } from '../messaging/handle.js';
import { problem, type ProblemError } from '../problem-details/problem-error.js';

type ToolCallService = keyof typeof toolCallContract;
type ToolCallContract = (typeof toolCallContract)[ToolCallService];

/** A tool and its inputs, as they were sent. */
export type AskedTool = ParsedRequestOf<ToolCallContract['admitTool']>;
/** A call of a tool under its key. */
export type ToolCallRequest = ParsedRequestOf<ToolCallContract['callTool']>;
export type ToolOutcome = ReplyOf<ToolCallContract['toolOutcome']>;
export type ToolRevocation = ReplyOf<ToolCallContract['revokeTool']>;

/** The keys under which a service's tools are called. */
export interface ToolCallKeys {
  /** What became of a key; `unknown` also where it is to be called again to learn that. */
  outcome(idemKey: string): Promise<ToolOutcome>;
  /** How far a key is: answered when that is more than `afterSeq`, when it has ended, or after `waitMs`. */
  progress(idemKey: string, afterSeq: number, waitMs: number): Promise<ToolProgress>;
  /** Takes a key back for good, also one that never came. */
  revoke(idemKey: string): ToolRevocation | Promise<ToolRevocation>;
}

/** A key that stands for another request. Whoever made the key out of a payment, which may be spent again, takes the next. */
export const otherRequest = (): ProblemError =>
  problem('UNPROCESSABLE', 'Another request was made under this idempotency key', {
    extensions: { state: 'other-request' },
  });

/** What is a service's own of the calls of its tools. */
export abstract class OwnToolCalls {
  abstract readonly keys: ToolCallKeys;
  /** @throws ProblemError where the inputs cannot be worked on; before any work or payment */
  abstract admit(asked: AskedTool): void | Promise<void>;
  /** Runs the tool once for its key. @throws ProblemError */
  abstract run(call: ToolCallRequest): Promise<ToolReply>;
}

/**
 * The base of the controller that answers a service's part of `toolCallContract`; the class that extends it is a Nest `Controller`.
 * @example `class ToolNatsController extends toolCallHandlers('snn')`, with its `keys`, `admit` and `run`
 */
export function toolCallHandlers(service: ToolCallService): abstract new () => OwnToolCalls {
  const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract[service];

  abstract class ToolCallHandlers extends OwnToolCalls {
    @Handle(admitTool)
    async admitTool(asked: AskedTool): Promise<ReplyOf<typeof admitTool>> {
      await this.admit(asked);
      return {};
    }

    @Handle(callTool)
    callTool(call: ToolCallRequest): Promise<ToolReply> {
      return this.run(call);
    }

    @Handle(toolOutcome)
    toolOutcome({ idemKey }: ParsedRequestOf<typeof toolOutcome>): Promise<ToolOutcome> {
      return this.keys.outcome(idemKey);
    }

    @Handle(toolProgress)
    toolProgress({ idemKey, afterSeq, waitMs }: ParsedRequestOf<typeof toolProgress>): Promise<ToolProgress> {
      return this.keys.progress(idemKey, afterSeq, waitMs);
    }

    @Handle(revokeTool)
    async revokeTool({ idemKey }: ParsedRequestOf<typeof revokeTool>): Promise<ToolRevocation> {
      return this.keys.revoke(idemKey);
    }
  }
  return ToolCallHandlers;
}
