import { Injectable } from '@nestjs/common';
import { type ReplyOf, type Task, TaskRequest, type ToolName, x402Contract } from '@svc/contracts';
import { BusClient, parseOrProblem, ProblemError, runInTurn } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { hangUpSignal } from '../http/hang-up.js';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { boundDigest } from '../payment/bound-digest.js';
import { ChallengeMaker } from '../payment/challenge-maker.js';
import { JSON_TYPE, showDelivered, shownRefusal, showUnderWay } from '../payment/payment-answer.js';
import {
  extended,
  isOutcomeUnknown,
  paymentRequired,
  settlementUnknown,
  without,
} from '../payment/payment-problem.js';
import { presentPayment, turnOfAdmission } from '../payment/present-payment.js';
import {
  bringsCredential,
  isEmptyBody,
  type PresentedCredential,
  readCredential,
} from '../payment/presented-credential.js';
import { BurstLimits } from '../rate-limit/burst-limits.js';
import { endedWithout, hasEnded } from './task-end.js';
import { deferredHeaders, type TaskCall, TaskSale } from './task-sale.js';

type Body = z.output<typeof TaskRequest>;
type Ticket = ReplyOf<typeof x402Contract.verifyPayment>;
/** Members of a refusal that tell this house which claim it is about, and nobody else. */
const CLAIM_MEMBERS = ['claimId', 'attempt'];

/**
 * Sells tasks of a capability that runs as a saga: the payment buys an execution ticket of its tool, and the task executes it.
 * What the saga does not do, it gives back by itself; a ticket whose task never began ends as every unused one, as credit.
 */
@Injectable()
export class TicketedTask {
  constructor(
    private readonly bus: BusClient,
    private readonly challenges: ChallengeMaker,
    private readonly sale: TaskSale,
    private readonly bursts: BurstLimits,
  ) {}

  /** The bytes of the answer, its status and headers set on the reply. @throws ProblemError */
  async answer(call: TaskCall, operationId: string): Promise<Buffer> {
    const { deptId, request, reply } = call;
    idempotencyKeyOf(request.raw);
    if (!bringsCredential(request.raw) && isEmptyBody(request.body)) {
      return this.ask(operationId, request, reply);
    }
    const body = parseOrProblem(TaskRequest, request.body);
    const digest = await boundDigest(operationId, body);
    const admitting = await turnOfAdmission(this.bursts, request);
    await runInTurn(admitting, () => this.sale.admit(deptId, body, request)).catch(async (error: unknown) => {
      throw await this.challenges.refuse(operationId, error, request, reply);
    });
    if (!bringsCredential(request.raw)) return this.ask(operationId, request, reply);
    // Here, while the payment has not been shown to anybody who would take it.
    if (body.task.simulateFault === true) await this.bursts.takeSimulatedFault(request, reply);
    const ticket = await this.buy(operationId, body, request, reply);
    const taskId = taskIdOf(ticket.result.ticket, digest);
    const payment = {
      ticket: ticket.result.ticket,
      receipt: ticket.receipt.headers['Payment-Receipt'] ?? '',
    };
    const turn = { subject: this.bursts.subjectOf(request), standing: 'settled' } as const;
    const given = { taskId, body, payment, signal: hangUpSignal(reply) };
    const { task } = await runInTurn(turn, () => this.sale.give(call, given)).catch((error: unknown) => {
      throw ticketKept(error);
    });
    return this.send(call, task, ticket);
  }

  private async ask(operationId: string, request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    const challenge = await this.challenges.quote(operationId, request);
    return this.challenges.ask(paymentRequired(operationId), challenge, request, reply);
  }

  private async buy(
    operationId: string,
    { task }: Body,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Ticket> {
    let presented: PresentedCredential;
    try {
      presented = readCredential(request.raw);
      const { payment: credential, ...payer } = presented;
      const agentId = typeof task.licenseeAgentId === 'string' ? task.licenseeAgentId : undefined;
      const tool = operationId.replace(/^tool\./, '') as ToolName;
      const purchase = { credential, ...payer, tool, agentId };
      return await presentPayment(this.bursts, request, credential, () =>
        this.bus.call(x402Contract.verifyPayment, purchase),
      );
    } catch (error) {
      const failure = isOutcomeUnknown(error) ? settlementUnknown(error) : error;
      if (!(failure instanceof ProblemError)) throw failure;
      const shown = without(shownRefusal(reply, failure), CLAIM_MEMBERS);
      throw await this.challenges.refuse(operationId, shown, request, reply);
    }
  }

  private send({ reply, prefer }: TaskCall, task: Task, ticket: Ticket): Buffer {
    if (hasEnded(task) && task.status !== 'COMPLETED') {
      showUnderWay(reply, ticket);
      throw ofTicket(endedWithout(task), ticket);
    }
    reply.header('content-type', JSON_TYPE);
    if (task.status === 'COMPLETED') {
      showDelivered(reply, ticket);
    } else {
      showUnderWay(reply.status(202), ticket);
      reply.headers(deferredHeaders(task, prefer));
    }
    return Buffer.from(JSON.stringify(task), 'utf8');
  }
}

/** The same ticket and body are the same task, whoever sends them again; who has not the ticket cannot guess its id. */
function taskIdOf(ticket: string, digest: string): string {
  const hash = createHash('sha256').update(`svc/ticketed-task/v1:${ticket}:${digest}`).digest();
  return `tsk_${hash.subarray(0, 16).toString('base64url')}`;
}

/**
 * A task that ended without an answer, with what became of its ticket: of another payment it is kept, as a ticket or as credit; an
 * account has its amount again at once where the saga was taken back, and else when the ticket lapses.
 */
function ofTicket({ payload, cause }: ProblemError, { receipt }: Ticket): ProblemError {
  return new ProblemError({ ...payload, charged: receipt.rail === 'svc-key' ? 'unknown' : 'yes' }, { cause });
}

/** The task did not come to be, and what was paid for it is kept. */
function ticketKept(error: unknown): unknown {
  if (!(error instanceof ProblemError)) return error;
  const detail = `${error.payload.detail}. The payment is kept: send the same request again with the same credential`;
  const kept = new ProblemError({ ...error.payload, detail, charged: 'yes' }, { cause: error.cause });
  return extended(kept, { paymentRetained: true });
}
