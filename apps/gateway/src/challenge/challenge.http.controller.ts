import { Controller, Query, Req, Res } from '@nestjs/common';
import { type ProblemPayload, type ToolName, x402Routes } from '@svc/contracts';
import { problem, type ProblemError } from '@svc/platform';
import { priceOf } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { bringsPayment, ChallengeMaker, Endpoint, paymentRequired } from '@svc/edge';
import { targetOf } from '../x402/tool-sale.js';

const { verify } = x402Routes;

/** Challenges for tools, without a call: for a client that pays first and asks later. */
@Controller()
export class ChallengeHttpController {
  constructor(private readonly challenges: ChallengeMaker) {}

  @Endpoint(x402Routes.challenge)
  async challenge(
    @Query({ schema: x402Routes.challenge.query }) query: z.output<typeof x402Routes.challenge.query>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const target = targetOf(verify.path, query.tool);
    reply.header('link', `<${target}>; rel="payment"`);
    const operationId = `tool.${query.tool}`;
    const challenge = await this.challenges.quote(operationId, request, target);
    // The published rule is that this route always carries its challenge; what has been paid is good where it belongs.
    if (bringsPayment(request.raw))
      throw this.challenges.offer(payAtVerify(query.tool), challenge, request, reply);
    return this.challenges.ask(askedFor(operationId, query.tool), challenge, request, reply);
  }
}

function askedFor(operationId: string, tool: ToolName): ProblemPayload {
  const { code, detail } = paymentRequired(operationId);
  const { priceUsd } = priceOf(operationId);
  return {
    code,
    detail: `${detail}.`,
    extensions: { tool, costUsd: priceUsd, payableAt: targetOf(verify.path, tool), payable: true },
  };
}

function payAtVerify(tool: ToolName): ProblemError {
  const detail = `A request for a challenge takes no payment, and this one was not touched: do not pay again, send it to ${verify.method} ${targetOf(verify.path, tool)}.`;
  return problem('PAY_AT_VERIFY', detail);
}
