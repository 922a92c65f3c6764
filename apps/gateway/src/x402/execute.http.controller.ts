import { Body, Controller, Query, Req, Res } from '@nestjs/common';
import {
  ExecuteRequest,
  type ExecuteResult,
  type ReplyOf,
  type RequestOf,
  type ToolName,
  x402Contract,
  x402Routes,
} from '@svc/contracts';
import { BusClient, parseOrProblem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  accountKeyOf,
  boundDigest,
  bringsCredential,
  bringsPayment,
  BurstLimits,
  Endpoint,
  idempotencyKeyOf,
  realmOf,
  schemeOf,
  showDelivered,
  showUnderWay,
} from '@svc/edge';
import { ticketBesidePayment, ticketOf } from './presented-ticket.js';
import { sagaPathOf, ToolSale, whilePaying } from './tool-sale.js';

const { execute } = x402Routes;
type Query = z.output<typeof execute.query>;
type Call = RequestOf<typeof x402Contract.execute>;
type Input = Record<string, unknown>;

/** Seconds after which a saga that goes on is worth asking for. */
const ASK_AGAIN_SECONDS = '2';

/** Runs the tool of a ticket, or of a payment that comes with the call, as a saga. */
@Controller()
export class ExecuteHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly sale: ToolSale,
    private readonly bursts: BurstLimits,
  ) {}

  @Endpoint(execute)
  async execute(
    @Query({ schema: execute.query }) { tool: named }: Query,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExecuteResult | Buffer> {
    reply.header('cache-control', 'no-store');
    const { executionTicket, ...input } = parseOrProblem(ExecuteRequest, body ?? {});
    const ticket = ticketOf(request.raw, executionTicket);
    if (ticket === undefined && !bringsCredential(request.raw)) {
      const tool = await this.sale.toolOf({ tool: named }, request, reply);
      const isEmpty = Object.keys(input).length === 0;
      // Nobody is asked to pay for what no payment can be bound to.
      if (!isEmpty) boundDigest(execute.operationId, input);
      return this.sale.ask(tool, request, reply, isEmpty ? undefined : input);
    }
    boundDigest(execute.operationId, input);
    if (ticket !== undefined) {
      const call = await this.byTicket(ticket, named, input, request, reply);
      return this.run(call, named, request, reply);
    }
    const call = await this.byPayment(named, input, request, reply);
    return this.run(call, call.tool, request, reply);
  }

  private async byTicket(
    ticket: string,
    named: ToolName | undefined,
    input: Input,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Call> {
    if (bringsPayment(request.raw)) throw ticketBesidePayment();
    const [accountKey, idempotencyKey] = [accountKeyOf(request.raw), idempotencyKeyOf(request.raw)];
    // The ticket knows its tool; only another one that is named has to be held against it.
    if (named !== undefined) await this.sale.toolOf({ ticket, tool: named }, request, reply);
    return { ticket, accountKey, idempotencyKey, input };
  }

  private async byPayment(
    named: ToolName | undefined,
    input: Input,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Call> {
    const { payment: credential, ...payer } = await this.sale.presentedBy(named, request, reply);
    const { challengeToken } = credential ?? {};
    const tool = await this.sale.toolOf({ tool: named, credential, challengeToken }, request, reply);
    return { credential, ...payer, tool, input };
  }

  private async run(
    call: Call,
    tool: ToolName | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ExecuteResult> {
    // Here, while neither the ticket nor the payment has been shown to anybody who would take it.
    if (call.input.simulateFault === true) await this.bursts.takeSimulatedFault(request, reply);
    const baseUrl = `${schemeOf(request)}://${realmOf(request)}`;
    const outcome = await this.bus
      .call(x402Contract.execute, { ...call, baseUrl })
      .catch(async (error: unknown) => {
        const failure = call.ticket === undefined ? whilePaying(error) : error;
        throw await this.sale.refusal(failure, tool, request, reply);
      });
    showOutcome(reply, outcome);
    return outcome.result;
  }
}

/** A saga that goes on, or is stuck, says where it is asked for. */
function showOutcome(reply: FastifyReply, outcome: ReplyOf<typeof x402Contract.execute>): void {
  const { status, result, receipt, credit, quota } = outcome;
  const saga = sagaPathOf(result.sagaId);
  reply.status(status).header('link', `<${saga}>; rel="describedby"`);
  if (status === 202) reply.header('location', saga).header('retry-after', ASK_AGAIN_SECONDS);
  const show = status === 202 ? showUnderWay : showDelivered;
  if (receipt) show(reply, { receipt, credit, quota });
  reply.header('cache-control', 'private, no-store');
}
