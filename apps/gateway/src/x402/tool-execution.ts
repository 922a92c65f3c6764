import { Injectable } from '@nestjs/common';
import { type ReplyOf, type RequestOf, toolDefinition, type ToolName, x402Contract } from '@svc/contracts';
import {
  boundDigest,
  bringsCredential,
  BurstLimits,
  calledRequest,
  isEmptyBody,
  JSON_TYPE,
  presentPayment,
  realmOf,
  requireWithinMaxPrice,
  schemeOf,
  showDelivered,
  showUnderWay,
} from '@svc/edge';
import { BusClient, parseOrProblem, runInTurn } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { operationOf, sagaPathOf, ToolSale, whilePaying } from './tool-sale.js';

export type Execution = RequestOf<typeof x402Contract.execute>;
export type ToolInput = Record<string, unknown>;

/** Seconds after which a saga that goes on is worth asking for. */
const ASK_AGAIN_SECONDS = '2';

/** Runs tools as sagas, by a ticket or by a payment that comes with the call. */
@Injectable()
export class ToolExecution {
  constructor(
    private readonly bus: BusClient,
    private readonly sale: ToolSale,
    private readonly bursts: BurstLimits,
  ) {}

  /**
   * Sells one run of a tool at a route of its own: a body is looked at before money is, and without a payment the answer is
   * the 402.
   * @returns the bytes of the JSON answer, its status and headers set on the reply
   */
  async sell(tool: ToolName, body: unknown, request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    const isPaid = bringsCredential(request.raw);
    if (!isPaid && isEmptyBody(body)) return this.sale.ask(tool, request, reply);
    const input = parseOrProblem(toolDefinition(tool).input, body ?? {}) as ToolInput;
    await boundDigest(`tool.${tool}`, input);
    if (!isPaid) return this.sale.ask(tool, request, reply, input);
    const call = await this.byPayment(tool, input, request, reply);
    return this.run(call, tool, request, reply);
  }

  /** A run that is paid for by what comes with the request. */
  async byPayment(
    named: ToolName | undefined,
    input: ToolInput,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Execution & { tool: ToolName }> {
    const { payment: credential, ...payer } = await this.sale.presentedBy(named, request, reply);
    const { challengeToken } = credential ?? {};
    const tool = await this.sale.toolOf({ tool: named, credential, challengeToken }, request, reply);
    requireWithinMaxPrice(request.raw, operationOf(tool));
    return { credential, ...payer, tool, input };
  }

  /**
   * Runs it; the reply says what became of it, and where the saga is asked for.
   * @returns the bytes of the JSON answer
   */
  async run(
    call: Execution,
    tool: ToolName | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Buffer> {
    // Here, while neither the ticket nor the payment has been shown to anybody who would take it.
    if (call.input.simulateFault === true) await this.bursts.takeSimulatedFault(request, reply);
    const baseUrl = `${schemeOf(request)}://${realmOf(request)}`;
    const isPaid = call.ticket === undefined;
    const called = isPaid ? calledRequest(request) : undefined;
    const execute = () => this.bus.call(x402Contract.execute, { ...call, baseUrl, called });
    // The payment may be none: it is given back where it is good.
    if (isPaid) await this.bursts.takeFile(request, call.input);
    const turn = { subject: this.bursts.subjectOf(request), standing: 'settled' } as const;
    const executing = isPaid
      ? presentPayment(this.bursts, request, call.credential, execute)
      : runInTurn(turn, execute);
    const outcome = await executing.catch(async (error: unknown) => {
      throw await this.sale.refusal(isPaid ? whilePaying(error) : error, tool, request, reply);
    });
    if (isPaid) await this.bursts.giveFileBack(call.input);
    showOutcome(reply, outcome);
    reply.header('content-type', JSON_TYPE);
    return Buffer.from(outcome.text ?? JSON.stringify(outcome.result), 'utf8');
  }
}

/** A saga that goes on, or is stuck, says where it is asked for. */
function showOutcome(reply: FastifyReply, outcome: ReplyOf<typeof x402Contract.execute>): void {
  const { status, result, receipt, text: _text, ...left } = outcome;
  const saga = sagaPathOf(result.sagaId);
  reply.status(status).header('link', `<${saga}>; rel="describedby"`);
  if (status === 202) reply.header('location', saga).header('retry-after', ASK_AGAIN_SECONDS);
  const show = status === 202 ? showUnderWay : showDelivered;
  if (receipt) show(reply, { receipt, ...left });
  reply.header('cache-control', 'private, no-store');
}
