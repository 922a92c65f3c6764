import { Injectable } from '@nestjs/common';
import {
  TOOL_RUNNERS,
  toolCallContract,
  toolDefinition,
  type ToolName,
  type ToolReply,
} from '@svc/contracts';
import {
  type PaidCall,
  paidCallOf,
  type PaidOperation,
  PaymentDesk,
  realmOf,
  receiptTextOf,
  schemeOf,
} from '@svc/edge';
import { BusClient, problem, ProblemError } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ToolExecution } from '../x402/tool-execution.js';
import { ToolEvidence } from './tool-evidence.js';
import { type CallProgress, followProgress } from './tool-progress.js';

/** What a caller that is more than an HTTP client can say of its call, and hear of it. */
export interface ToolCallHooks {
  /** Ends the call as a hang-up does. */
  readonly signal?: AbortSignal;
  /** Told how far the call has come, while it runs. */
  readonly onProgress?: (progress: CallProgress) => void;
}

type Runner = keyof typeof toolCallContract;
type Input = Record<string, unknown>;

/** The one tool of Class Gamma: it is sold wholly or not at all, as a saga. */
const SAGA_TOOL = 'm2m_license_contract';

/** Wait before a call is asked for again that runs at another replica, unless it says how long, seconds. */
const ASK_AGAIN_SECONDS = 1;

/** Calls of the catalogue's tools, as `POST /v1/tools/:name` and MCP sell them. */
@Injectable()
export class ToolCalls {
  constructor(
    private readonly bus: BusClient,
    private readonly desk: PaymentDesk,
    private readonly execution: ToolExecution,
    private readonly evidence: ToolEvidence,
  ) {}

  /**
   * Sells one call: the bytes of its JSON answer, with status and headers set on the reply.
   * @param input as it came; it is looked at before anything is asked or taken for it
   * @throws ProblemError those of {@link PaymentDesk.answer}
   */
  async answer(
    tool: ToolName,
    input: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    hooks: ToolCallHooks = {},
  ): Promise<Buffer> {
    reply.header('cache-control', 'no-store');
    const runner = TOOL_RUNNERS[tool];
    if (tool === SAGA_TOOL) return this.execution.sell(tool, input, request, reply);
    request.body = input ?? {};
    return this.desk.answer({
      operation: operationOf(tool, runner),
      request,
      reply,
      status: 200,
      signal: hooks.signal,
      run: () => this.run(tool, runner, request, hooks),
    });
  }

  /** Runs a tool that is paid for, and has the evidence of its answer made. */
  private async run(
    tool: ToolName,
    runner: Runner,
    request: FastifyRequest,
    { onProgress }: ToolCallHooks,
  ): Promise<object> {
    const paid = paidCallOf(request);
    const input = request.body as Input;
    // What is not to be given up has to come to its end, and its answer is kept for the payer.
    const signal = paid.claim.canBeGivenUp ? paid.signal : undefined;
    const asked = {
      ...{ tool, input, receipt: receiptTextOf(paid), accountId: paid.claim.accountId },
      baseUrl: `${schemeOf(request)}://${realmOf(request)}`,
    };
    const { idemKey, toolReply } = await this.underKeys(runner, paid, asked, signal, onProgress);
    try {
      return await this.evidence.answer(tool, input, toolReply, signal);
    } catch (error) {
      if (signal?.aborted) this.revoke(runner, idemKey);
      throw error;
    }
  }

  /**
   * Runs a call under a key of its claim, so that whoever takes the claim over after a crash gets what it came to. A key that
   * an earlier attempt gave up is revoked for good, and one that it spent on another request stands for that: each attempt
   * leaves one at most, and the next is free then.
   */
  private async underKeys(
    runner: Runner,
    paid: PaidCall,
    asked: AskedCall,
    signal: AbortSignal | undefined,
    onProgress: ToolCallHooks['onProgress'],
  ): Promise<{ idemKey: string; toolReply: ToolReply }> {
    for (let spent = 0; ; spent++) {
      const idemKey = callKey(paid, spent);
      const following = onProgress && followProgress(this.bus, runner, idemKey, onProgress);
      try {
        return { idemKey, toolReply: await this.underKey(runner, { ...asked, idemKey }, signal) };
      } catch (error) {
        if (signal && (signal.aborted || isTimeout(error))) this.revoke(runner, idemKey);
        if (signal?.aborted || !isSpent(error) || spent + 1 >= paid.claim.attempt) throw error;
      } finally {
        following?.stop();
      }
    }
  }

  private async underKey(
    runner: Runner,
    call: AskedCall & { idemKey: string },
    signal: AbortSignal | undefined,
  ): Promise<ToolReply> {
    const { callTool } = toolCallContract[runner];
    const deadline = performance.now() + callTool.timeoutMs;
    for (;;) {
      const timeoutMs = Math.round(deadline - performance.now());
      try {
        return await this.bus.call(callTool, call, { timeoutMs, ...(signal ? { signal } : {}) });
      } catch (error) {
        if (stateOf(error) !== 'running') throw error;
        const { retryAfterSeconds = ASK_AGAIN_SECONDS } = (error as ProblemError).payload;
        if (performance.now() + retryAfterSeconds * 1_000 >= deadline) {
          throw problem('TIMEOUT', 'The call still runs; send the request again with the same credential');
        }
        await delay(retryAfterSeconds * 1_000, undefined, { signal }).catch(() => signal?.throwIfAborted());
      }
    }
  }

  /** What cannot be revoked now is made for nobody. */
  private revoke(runner: Runner, idemKey: string): void {
    void this.bus.call(toolCallContract[runner].revokeTool, { idemKey }).catch(() => undefined);
  }
}

interface AskedCall {
  readonly tool: ToolName;
  readonly input: Input;
  readonly receipt: string;
  readonly accountId?: string;
  readonly baseUrl: string;
}

/**
 * The key of a call: of its claim alone. It is written down, and of a request that can be guessed it would tell which one.
 * @param spent how many keys of this claim were revoked, or stand for other requests
 */
const callKey = ({ claim }: PaidCall, spent: number): string =>
  createHash('sha256').update(`tool\n${claim.claimId}\n${spent}`, 'utf8').digest('hex');

/** Whether a key serves its claim no more. */
const isSpent = (error: unknown): boolean => ['revoked', 'other-request'].includes(String(stateOf(error)));

function operationOf(tool: ToolName, runner: Runner): PaidOperation {
  const { input, isAlwaysAdmitted } = toolDefinition(tool);
  const { admitTool } = toolCallContract[runner];
  return {
    operationId: `tool.${tool}`,
    body: input,
    ...(isAlwaysAdmitted
      ? {}
      : { admit: (bus, body) => bus.call(admitTool, { tool, input: body as Input }) }),
  };
}

const isTimeout = (error: unknown) => error instanceof ProblemError && error.code === 'TIMEOUT';

/** Why a key cannot be run under now. */
function stateOf(error: unknown): unknown {
  return error instanceof ProblemError ? error.payload.extensions?.state : undefined;
}
