import { Body, Controller, Query, Req, Res } from '@nestjs/common';
import { type ParsedRequestOf, VerifyPaymentRequest, x402Contract, x402Routes } from '@svc/contracts';
import { BusClient, parseOrProblem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  boundDigest,
  bringsCredential,
  BurstLimits,
  calledRequest,
  Endpoint,
  isEmptyBody,
  JSON_TYPE,
  presentPayment,
  requireWithinMaxPrice,
  showDelivered,
} from '@svc/edge';
import { operationOf, ToolSale, whilePaying } from './tool-sale.js';

const { verify, execute } = x402Routes;
type Query = z.output<typeof verify.query>;
type ToolQuestion = ParsedRequestOf<typeof x402Contract.toolOf>;

/** Gives an execution ticket for a payment. */
@Controller()
export class VerifyHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly sale: ToolSale,
    private readonly bursts: BurstLimits,
  ) {}

  @Endpoint(verify)
  async verify(
    @Query({ schema: verify.query }) { tool: named }: Query,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    reply.header('cache-control', 'no-store');
    const paysNothing = !bringsCredential(request.raw);
    const asked = parseOrProblem(VerifyPaymentRequest, isEmptyBody(body) ? {} : body);
    const { challengeToken, agentId, capability } = asked;
    if (paysNothing) {
      const tool = await this.sale.toolOf({ tool: named, challengeToken }, request, reply);
      return this.sale.ask(tool, request, reply);
    }
    await boundDigest(verify.operationId, asked);
    const { payment: credential, ...payer } = await this.sale.presentedBy(
      named,
      request,
      reply,
      challengeToken,
    );
    const question: ToolQuestion = {
      tool: named,
      credential,
      challengeToken: challengeToken ?? credential?.challengeToken,
    };
    const tool = await this.sale.toolOf(question, request, reply);
    requireWithinMaxPrice(request.raw, operationOf(tool));
    const purchase = { credential, ...payer, tool, agentId, capability, called: calledRequest(request) };
    const verifying = presentPayment(this.bursts, request, credential, () =>
      this.bus.call(x402Contract.verifyPayment, purchase),
    );
    const sold = await verifying.catch(async (error: unknown) => {
      throw await this.sale.refusal(whilePaying(error), tool, request, reply);
    });
    showDelivered(reply, sold);
    // The ticket is as good as money to whoever reads it.
    reply.header('cache-control', 'private, no-store').header('link', `<${execute.path}>; rel="next"`);
    reply.header('content-type', JSON_TYPE);
    return Buffer.from(sold.text, 'utf8');
  }
}
