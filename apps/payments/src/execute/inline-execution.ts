import { Injectable } from '@nestjs/common';
import {
  type CalledRequest,
  type Charged,
  type PaymentCredit,
  PROBLEMS,
  type Receipt,
  type ToolName,
} from '@svc/contracts';
import { currentTurn, ProblemError, runInTurn } from '@svc/platform';
import { ApiKeys } from '../account/api-keys.js';
import { DerivedCredit } from '../account/derived-credit.js';
import { ClaimStore } from '../claim/claim-store.js';
import { inFlight } from '../claim/standing-claim.js';
import type { RailFamily } from '../rail/rail.js';
import { SignedReceipts } from '../receipt/signed-receipts.js';
import { routeKey } from '../ticket/claimed-route.js';
import { executionScope, type StandingTicket } from '../ticket/execution-ticket.js';
import { type PaidPart, type Purchase, TicketPurchase } from '../ticket/ticket-purchase.js';
import { type KeptAnswer, ticketExpired, Tickets } from '../ticket/tickets.js';
import { type Execute, type Executed, ExecuteService, type Execution } from './execute.service.js';
import { type ExecutionAnswer, told } from './saga-answers.js';
import { operationOfTool, ToolSagas } from './tool-sagas.js';

/** Of an answer that says which ticket a payment has bought: it is read here, and never sent. */
const POINTER_TYPE = 'application/vnd.svc.ticket-pointer+json';

/** With the receipt of another payment that has paid for it. */
type Answered = ExecutionAnswer & { readonly receipt?: Receipt };

/** A ticket may change hands while it is looked at; more often than this within one call it does not. */
const LOOKS_MAX = 4;

/**
 * Executions whose payment comes with the call: the payment buys a ticket that nobody sees, and the call uses it. Shown
 * again, the payment finds that ticket, and with it the answer of its saga.
 */
@Injectable()
export class InlineExecution {
  constructor(
    private readonly executions: ExecuteService,
    private readonly purchase: TicketPurchase,
    private readonly tickets: Tickets,
    private readonly sagas: ToolSagas,
    private readonly claims: ClaimStore,
    private readonly derived: DerivedCredit,
    private readonly apiKeys: ApiKeys,
    private readonly receipts: SignedReceipts,
  ) {}

  /** @throws ProblemError those of `payments.claim`, and of {@link ExecuteService.onTicket} */
  async execute(tool: ToolName, request: Execute): Promise<Executed> {
    const saga = this.sagas.of(tool);
    const execution = this.executions.executionOf(tool, request);
    const earlier = await this.earlier(request, execution);
    if (earlier) return earlier;
    const refusal = await admitted(() => saga.admit(execution.input));
    const bought = await this.buy(request, execution);
    const { receipt, credit, quota, balanceMicroUsd, limits } = bought;
    const paid: PaidPart = { receipt, credit, quota, balanceMicroUsd, limits };
    const ticketId = bought.outcome === 'issued' ? bought.fresh.ticketId : pointedAt(bought.response.body);
    // Whoever has just paid may know where the amount goes; whoever shows a payment again, if it is theirs to know.
    const mayKnow = bought.outcome === 'issued' || bought.isPayers;
    let ticket: StandingTicket | undefined;
    try {
      for (let look = 0; look < LOOKS_MAX; look++) {
        ticket = await this.tickets.findById(ticketId);
        const answer = ticket && (await this.answer(ticket, execution, refusal));
        if (answer) return await this.shown(answer, ticket!, paid, { mayKnow, called: request.called });
      }
    } catch (error) {
      throw await this.withCredit(error, ticket, mayKnow);
    }
    throw inFlight(1);
  }

  /** What an execution under this key of the account came to, if there was one: nothing is taken then. */
  private async earlier(
    { accountKey, credential, idempotencyKey }: Execute,
    execution: Execution,
  ): Promise<Executed | undefined> {
    if (accountKey === undefined || credential || idempotencyKey === undefined) return undefined;
    const { accountId } = await this.apiKeys.authenticate(accountKey);
    const used = await this.executions.usedUnder(`account:${accountId}`, execution);
    return (
      used && { ...told(await this.executions.replay(used, execution.requestDigest)), receipt: used.receipt }
    );
  }

  private buy({ credential, accountKey, idempotencyKey }: Execute, execution: Execution): Promise<Purchase> {
    const { tool, requestDigest } = execution;
    const claim = {
      operationId: operationOfTool(tool),
      requestDigest,
      credential,
      accountKey,
      idempotencyKey: routeKey('execute', idempotencyKey),
    };
    return this.purchase.buy(claim, { tool, inline: true }, ({ ticketId }) => ({
      status: 200,
      contentType: POINTER_TYPE,
      body: Buffer.from(JSON.stringify({ ticketId }), 'utf8'),
    }));
  }

  private async answer(
    ticket: StandingTicket,
    execution: Execution,
    refusal: unknown,
  ): Promise<Answered | undefined> {
    if (ticket.state === 'used') return this.replayed(ticket, execution);
    if (ticket.state === 'expired' || ticket.isOver) {
      await this.tickets.expire(ticket.ticketId);
      throw ticketExpired(ticket);
    }
    // The payment is taken and its ticket is there: the same call goes on with it when the tool can be used again.
    if (refusal !== undefined) throw refusal;
    const other = await this.executions.usedUnder(executionScope(ticket), execution);
    if (!other) return this.run(ticket, execution);
    // Another payment of this payer has run under the Idempotency-Key: this one has bought nothing.
    await this.tickets.giveBack(ticket.ticketId);
    const answer = await this.executions.replay(other, execution.requestDigest);
    return { ...answer, receipt: other.receipt };
  }

  /** What is refused for good as its saga is to begin, costs nothing: it is given back at once. */
  private async run(ticket: StandingTicket, execution: Execution): Promise<Answered | undefined> {
    try {
      return await inSettledTurn(() => this.executions.run(ticket, execution));
    } catch (error) {
      // Of a ticket that was used its saga decides; then this does nothing.
      if (isForGood(error)) await this.tickets.giveBack(ticket.ticketId);
      throw error;
    }
  }

  /** @throws ProblemError PAYMENT_IN_FLIGHT while the saga runs */
  private async replayed(ticket: StandingTicket, { requestDigest }: Execution): Promise<ExecutionAnswer> {
    try {
      return await this.executions.replay(ticket, requestDigest);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'CONFLICT') throw error;
      const { payload } = inFlight(1);
      throw new ProblemError({ ...payload, extensions: error.payload.extensions }, { cause: error });
    }
  }

  private async shown(
    { receipt: others, ...answer }: Answered,
    ticket: StandingTicket,
    { receipt, credit, quota, balanceMicroUsd, limits }: PaidPart,
    { mayKnow, called }: { mayKnow: boolean; called: CalledRequest | undefined },
  ): Promise<Executed> {
    const { kept } = answer;
    const isTakenBack = answer.result.status === 'COMPENSATED';
    const left = isTakenBack ? await this.creditOf(ticket, mayKnow) : credit;
    // An amount that went back has changed the balance: it is asked for anew where a key has paid.
    const ofKey =
      isTakenBack || balanceMicroUsd === undefined ? {} : { balanceMicroUsd, ...(limits && { limits }) };
    const signed =
      isTakenBack || others || !called || !kept ? undefined : await this.signed(ticket, called, kept);
    return {
      receipt: signed ?? others ?? receipt,
      ...told(answer),
      ...ofKey,
      ...(left ? { credit: left } : {}),
      ...(quota ? { quota } : {}),
    };
  }

  private async signed(
    { claimId }: StandingTicket,
    called: CalledRequest,
    { body, answeredAt }: KeptAnswer,
  ): Promise<Receipt | undefined> {
    const claim = await this.claims.findById(claimId);
    return claim && this.receipts.shownWith(claim, called, body, answeredAt);
  }

  private async withCredit(
    error: unknown,
    ticket: StandingTicket | undefined,
    mayKnow: boolean,
  ): Promise<unknown> {
    if (!(error instanceof ProblemError) || !ticket) return error;
    const credit = await this.creditOf(ticket, mayKnow);
    const extensions = { ...error.payload.extensions, ...(credit && { credit }) };
    const charged = chargedBy(error, ticket);
    return new ProblemError({ ...error.payload, charged, extensions }, { cause: error });
  }

  /** What the payment of a ticket has left on the key that only its payer is told. */
  private async creditOf(
    { claimId, funding }: StandingTicket,
    mayKnow: boolean,
  ): Promise<PaymentCredit | undefined> {
    if (!mayKnow || funding !== 'rail') return undefined;
    const claim = await this.claims.findById(claimId);
    return claim && this.derived.of(claim.family as RailFamily, claim.proofKey);
  }
}

/**
 * What an admission refuses for now, which is no reason before it is known whether the payment has bought an answer that
 * is there already. @throws what it refuses for good
 */
async function admitted(admit: () => Promise<void>): Promise<unknown> {
  try {
    await admit();
    return undefined;
  } catch (error) {
    if (isForGood(error)) throw error;
    return error;
  }
}

/** Whether what bought the ticket of a call that failed has gone back: what is refused for good has, to an account that paid. */
function chargedBy(error: ProblemError, { funding }: StandingTicket): Charged {
  const { code, charged = PROBLEMS[code].charged } = error.payload;
  if (error.payload.charged !== undefined || charged === 'unknown') return charged;
  return funding !== 'rail' && isForGood(error) ? 'no' : 'yes';
}

/** Whoever was about to pay has paid: what is worked on for them from here on says so. */
function inSettledTurn<T>(work: () => T): T {
  const turn = currentTurn();
  return runInTurn(turn && { ...turn, standing: 'settled' }, work);
}

/** Whether the same request will be refused again. */
const isForGood = (error: unknown): boolean =>
  error instanceof ProblemError && error.status < 500 && error.code !== 'QUEUE_FULL';

const pointedAt = (body: Uint8Array): string =>
  (JSON.parse(Buffer.from(body).toString('utf8')) as { ticketId: string }).ticketId;
