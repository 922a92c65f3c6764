import { Injectable } from '@nestjs/common';
import type { ParsedRequestOf, ReplyOf, ToolName, x402Contract } from '@svc/contracts';
import type { JsonObject, RunningSaga } from '@svc/durability';
import { problem, ProblemError } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { ApiKeys } from '../account/api-keys.js';
import { digestOf } from '../ticket/claimed-route.js';
import { executionScope, isHolders, type StandingTicket } from '../ticket/execution-ticket.js';
import { ticketExpired, TicketGone, Tickets } from '../ticket/tickets.js';
import { type ExecutionAnswer, factsOf, SagaAnswers, told } from './saga-answers.js';
import { SagaHost } from './saga-host.js';
import { hasInput, inputOf, operationOfTool, ToolSagas } from './tool-sagas.js';

export type Execute = ParsedRequestOf<typeof x402Contract.execute>;
export type Executed = ReplyOf<typeof x402Contract.execute>;

/** How long a call waits for the end of its saga, milliseconds. */
export const SAGA_WAIT_MS = 25_000;
/** A ticket may change hands while it is looked at; more often than this within one call it does not. */
const LOOKS_MAX = 4;
/** Asked of a caller whose execution is still running. */
const RUNNING_WAIT_SECONDS = 1;

/** One execution: what runs, with what, and how it is known again. */
export interface Execution {
  readonly tool: ToolName;
  readonly input: JsonObject;
  /** Of the tool and its parsed inputs. */
  readonly requestDigest: string;
  readonly idempotencyKey?: string;
  readonly baseUrl?: string;
}

/** Runs tools on tickets, as sagas. A refusal consumes nothing. */
@Injectable()
export class ExecuteService {
  constructor(
    private readonly tickets: Tickets,
    private readonly sagas: ToolSagas,
    private readonly host: SagaHost,
    private readonly answers: SagaAnswers,
    private readonly apiKeys: ApiKeys,
  ) {}

  /**
   * @throws ProblemError TICKET_UNKNOWN (401), FORBIDDEN (403), TICKET_EXPIRED (410), TICKET_USED (409), CONFLICT (409:
   * its Idempotency-Key is at work), UNPROCESSABLE (422: its Idempotency-Key came with another body), VALIDATION_FAILED
   */
  async onTicket(text: string, request: Execute): Promise<Executed> {
    for (let look = 0; look < LOOKS_MAX; look++) {
      const ticket = await this.tickets.find(text);
      await this.requireHolder(ticket, request);
      const answer = await this.answer(ticket, request);
      if (answer) return told(answer);
    }
    throw problem('CONFLICT', 'The ticket is being used', { retryAfterSeconds: RUNNING_WAIT_SECONDS });
  }

  /** The execution that a request asks for. @throws ProblemError VALIDATION_FAILED */
  executionOf(tool: ToolName, { input, idempotencyKey, baseUrl }: Execute): Execution {
    const { executionTicket: _ticket, ...rest } = input;
    const parsed = inputOf(tool, rest);
    const requestDigest = digestOf(operationOfTool(tool), { route: 'x402.execute', input: parsed });
    return { tool, input: parsed, requestDigest, idempotencyKey, baseUrl };
  }

  /**
   * Uses a ticket and waits for the end of its saga.
   * @returns undefined where the ticket, or the Idempotency-Key, was used meanwhile: look again
   */
  async run(ticket: StandingTicket, execution: Execution): Promise<ExecutionAnswer | undefined> {
    const running = await this.begin(ticket, execution);
    if (!running) return undefined;
    const { sagaId } = running;
    const ended = await within(SAGA_WAIT_MS, running.ended);
    if (!ended) return { status: 202, result: { sagaId, status: 'RUNNING' } };
    return this.answers.of({ ...ticket, state: 'used', sagaId }, ended);
  }

  /**
   * What a request is answered with whose ticket, or whose Idempotency-Key, has begun a saga before.
   * @throws ProblemError UNPROCESSABLE for another request, CONFLICT while the saga runs; EXPIRED
   */
  async replay(used: StandingTicket, requestDigest: string | undefined): Promise<ExecutionAnswer> {
    const { sagaId } = used as { sagaId: string };
    if (requestDigest === undefined || !this.tickets.isUsedBy(used, requestDigest)) {
      const detail = 'The Idempotency-Key came before with another request; use the same for retries alone';
      throw problem('UNPROCESSABLE', detail, {
        errors: [{ path: 'Idempotency-Key', message: 'was used for a request with another body' }],
      });
    }
    const saga = await this.host.load(sagaId);
    const answer = saga && (await this.answers.of(used, saga));
    if (answer && answer.result.status !== 'RUNNING') return answer;
    throw problem('CONFLICT', 'The execution of this request is still running; send it again', {
      retryAfterSeconds: RUNNING_WAIT_SECONDS,
      charged: 'unknown',
      extensions: { sagaId },
    });
  }

  /** The ticket that this payer's request under its Idempotency-Key has used. */
  async usedUnder(scope: string, { idempotencyKey }: Pick<Execution, 'idempotencyKey'>) {
    return idempotencyKey === undefined ? undefined : this.tickets.findByKey(scope, idempotencyKey);
  }

  private async answer(ticket: StandingTicket, request: Execute): Promise<ExecutionAnswer | undefined> {
    const { tool, sagaId } = ticket;
    const saga = this.sagas.of(tool);
    const asked = settle(() => this.executionOf(tool, request));
    const earlier = await this.usedUnder(executionScope(ticket), request);
    if (earlier) return this.replay(earlier, 'value' in asked ? asked.value.requestDigest : undefined);
    if (ticket.state === 'expired' || (ticket.state === 'unused' && ticket.isOver)) {
      await this.tickets.expire(ticket.ticketId);
      throw ticketExpired(ticket);
    }
    if (ticket.state === 'used') {
      const detail = 'The ticket was used; a ticket runs its tool once';
      throw problem('TICKET_USED', detail, { extensions: { sagaId } });
    }
    if ('error' in asked) throw asked.error;
    await saga.admit(asked.value.input);
    requireAgent(ticket, asked.value.input);
    return this.run(ticket, asked.value);
  }

  private async begin(ticket: StandingTicket, execution: Execution): Promise<RunningSaga | undefined> {
    const { tool, rail, ticketId, claimId } = ticket;
    // What is booked: of what a plan's quota paid, that is nothing.
    const amountMicroUsd = ticket.funding === 'quota' ? 0 : ticket.amountMicroUsd;
    const { requestDigest, idempotencyKey, baseUrl } = execution;
    const saga = this.sagas.of(tool);
    const input = withCapability(ticket, execution.input);
    try {
      return await this.host.start(saga, async tx => {
        const sagaId = randomUUID();
        await this.tickets.consume(tx, ticket, { sagaId, requestDigest, idempotencyKey });
        const seed = await saga.begin(tx, { sagaId, input, ticket: factsOf(ticket), baseUrl });
        const logged = { ...seed.logged, tool, rail, amountMicroUsd, ticketId, claimId };
        return { sagaId, input: seed.input, logged, kept: seed.kept };
      });
    } catch (error) {
      if (error instanceof TicketGone) return undefined;
      throw error;
    }
  }

  private async requireHolder(ticket: StandingTicket, { accountKey }: Execute): Promise<void> {
    if (accountKey === undefined) return;
    const { accountId } = await this.apiKeys.authenticate(accountKey);
    if (!isHolders(ticket, accountId)) throw problem('FORBIDDEN', 'The ticket was paid by another account');
  }
}

/**
 * A ticket that was asked for in the name of an agent is for that agent.
 * @throws ProblemError FORBIDDEN
 */
export function requireAgent({ agentId }: Pick<StandingTicket, 'agentId'>, input: JsonObject): void {
  if (agentId === undefined) return;
  for (const member of ['licenseeAgentId', 'agentId']) {
    const named = input[member];
    if (named !== undefined && named !== agentId)
      throw problem('FORBIDDEN', `The ticket was issued for the agent ${agentId}, and ${member} is another`);
  }
}

/** The ticket's capability, where the tool has such an input and the call does not say which. */
function withCapability({ tool, capability }: StandingTicket, input: JsonObject): JsonObject {
  if (capability === undefined || input.capability !== undefined || !hasInput(tool, 'capability'))
    return input;
  return { ...input, capability };
}

/** What a promise comes to, if it does within a time; a process that ends gives its sagas up, and they run on. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

function settle<T>(work: () => T): { value: T } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof ProblemError) return { error };
    throw error;
  }
}
