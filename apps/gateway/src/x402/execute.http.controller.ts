import { Body, Controller, Query, Req, Res } from '@nestjs/common';
import { ExecuteRequest, type ToolName, x402Routes } from '@svc/contracts';
import {
  accountKeyOf,
  boundDigest,
  bringsCredential,
  bringsPayment,
  Endpoint,
  idempotencyKeyOf,
} from '@svc/edge';
import { parseOrProblem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ticketBesidePayment, ticketOf } from './presented-ticket.js';
import { type Execution, ToolExecution, type ToolInput } from './tool-execution.js';
import { ToolSale } from './tool-sale.js';

const { execute } = x402Routes;
type Query = z.output<typeof execute.query>;

/** Runs the tool of a ticket, or of a payment that comes with the call, as a saga. */
@Controller()
export class ExecuteHttpController {
  constructor(
    private readonly sale: ToolSale,
    private readonly execution: ToolExecution,
  ) {}

  @Endpoint(execute)
  async execute(
    @Query({ schema: execute.query }) { tool: named }: Query,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    reply.header('cache-control', 'no-store');
    const { executionTicket, ...input } = parseOrProblem(ExecuteRequest, body ?? {});
    const ticket = ticketOf(request.raw, executionTicket);
    if (ticket === undefined && !bringsCredential(request.raw)) {
      const tool = await this.sale.toolOf({ tool: named }, request, reply);
      const isEmpty = Object.keys(input).length === 0;
      // Nobody is asked to pay for what no payment can be bound to.
      if (!isEmpty) await boundDigest(execute.operationId, input);
      return this.sale.ask(tool, request, reply, isEmpty ? undefined : input);
    }
    await boundDigest(execute.operationId, input);
    if (ticket !== undefined) {
      const call = await this.byTicket(ticket, named, input, request, reply);
      return this.execution.run(call, named, request, reply);
    }
    const call = await this.execution.byPayment(named, input, request, reply);
    return this.execution.run(call, call.tool, request, reply);
  }

  private async byTicket(
    ticket: string,
    named: ToolName | undefined,
    input: ToolInput,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Execution> {
    if (bringsPayment(request.raw)) throw ticketBesidePayment();
    const [accountKey, idempotencyKey] = [accountKeyOf(request.raw), idempotencyKeyOf(request.raw)];
    // The ticket knows its tool; only another one that is named has to be held against it.
    if (named !== undefined) await this.sale.toolOf({ ticket, tool: named }, request, reply);
    return { ticket, accountKey, idempotencyKey, input };
  }
}
