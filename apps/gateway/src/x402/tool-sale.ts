import { Injectable } from '@nestjs/common';
import { type RequestOf, type ToolName, x402Contract, x402Routes } from '@svc/contracts';
import { BusClient, ProblemError, runInTurn } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  boundDigest,
  BurstLimits,
  ChallengeMaker,
  idempotencyKeyOf,
  isOutcomeUnknown,
  isPublishedExample,
  pathOf,
  paymentRequired,
  type PresentedCredential,
  readCredential,
  settlementUnknown,
  shownRefusal,
  without,
} from '@svc/edge';

/** What is sold where nothing names another tool. */
const DEFAULT_TOOL = x402Routes.challenge.query.parse({}).tool;
/** Members of a refusal that tell this house which claim it is about, and nobody else. */
const CLAIM_MEMBERS = ['claimId', 'attempt'];

/** Where a saga is asked for. */
export const sagaPathOf = (sagaId: string): string => x402Routes.saga.path.replace(':sagaId', sagaId);

/** What both routes share that take a payment for a tool: whose price it is, the 402, and how a refusal is told. */
@Injectable()
export class ToolSale {
  constructor(
    private readonly bus: BusClient,
    private readonly challenges: ChallengeMaker,
    private readonly bursts: BurstLimits,
  ) {}

  /** The tool that a request is about. @throws ProblemError VALIDATION_FAILED where two that it names disagree */
  async toolOf(
    asked: RequestOf<typeof x402Contract.toolOf>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ToolName> {
    try {
      return (await this.bus.call(x402Contract.toolOf, asked)).tool;
    } catch (error) {
      throw await this.refusal(error, asked.tool, request, reply);
    }
  }

  /**
   * The 402 of a request that brings no payment.
   * @param input inputs of the tool, to be looked at before anybody is asked to pay for what cannot be done
   */
  async ask(
    tool: ToolName,
    request: FastifyRequest,
    reply: FastifyReply,
    input?: Record<string, unknown>,
  ): Promise<Buffer> {
    idempotencyKeyOf(request.raw);
    await this.bursts.takeFile(request, input);
    const operationId = operationOf(tool);
    const isAdmitted = !input || isPublishedExample(operationId, await boundDigest(operationId, input));
    const [challenge] = await Promise.all([
      this.challenges.quote(operationId, request, targetOf(pathOf(request), tool)),
      isAdmitted ||
        runInTurn({ subject: this.bursts.subjectOf(request), standing: 'later' }, () =>
          this.bus.call(x402Contract.admitExecution, { tool, input }),
        ),
    ]);
    const asked = { ...paymentRequired(operationId), extensions: { tool } };
    return this.challenges.ask(asked, challenge, request, reply);
  }

  /**
   * What the request pays with.
   * @param challengeInBody the challenge that a shared payment token is for
   */
  async presentedBy(
    named: ToolName | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    challengeInBody?: string,
  ): Promise<PresentedCredential> {
    try {
      return readCredential(request.raw, challengeInBody);
    } catch (error) {
      throw await this.refusal(error, named, request, reply);
    }
  }

  /** A refusal as its caller sees it: what a payment mends has a challenge, and a saga is named where it is asked for. */
  async refusal(
    error: unknown,
    tool: ToolName | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    if (!(error instanceof ProblemError)) return error;
    const sagaId = sagaOf(error);
    if (sagaId !== undefined) reply.header('location', sagaPathOf(sagaId));
    const shown = without(shownRefusal(reply, error), CLAIM_MEMBERS);
    const target = targetOf(pathOf(request), tool ?? DEFAULT_TOOL);
    return this.challenges.refuse(operationOf(tool), shown, request, reply, target);
  }
}

/**
 * A failure of a call that takes a payment: where it is not known what came of it, its payer is told to ask again. A saga
 * that the failure is about says by itself what came of it.
 */
export function whilePaying(error: unknown): unknown {
  return isOutcomeUnknown(error) && sagaOf(error) === undefined ? settlementUnknown(error) : error;
}

function sagaOf(error: unknown): string | undefined {
  const sagaId = error instanceof ProblemError ? error.payload.extensions?.sagaId : undefined;
  return typeof sagaId === 'string' ? sagaId : undefined;
}

/** What is sold at a path: a credential that echoes it says by it which tool it pays for. The tool's own route says so itself. */
export const targetOf = (path: string, tool: ToolName): string =>
  path.endsWith(`/${tool}`) ? path : `${path}?tool=${tool}`;

/** What is paid for a tool, as the price list has it. */
/** The operation that a tool is priced as. */
export const operationOf = (tool: ToolName = DEFAULT_TOOL): string => `tool.${tool}`;
