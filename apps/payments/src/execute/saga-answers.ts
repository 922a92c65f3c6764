import { Injectable } from '@nestjs/common';
import type { ExecuteResult } from '@svc/contracts';
import type { StoredSaga } from '@svc/durability';
import { problem, ProblemError } from '@svc/platform';
import type { StandingTicket } from '../ticket/execution-ticket.js';
import { type KeptAnswer, Tickets } from '../ticket/tickets.js';
import type { TicketFacts } from './tool-saga.js';
import { ToolSagas } from './tool-sagas.js';
import { shownStatus, walHashOf } from './wal-events.js';

/** What an execution is answered with. */
export interface ExecutionAnswer {
  readonly status: 200 | 202;
  readonly result: ExecuteResult;
  /** Of a saga that has ended: the bytes of the answer, and since when they are that. */
  readonly kept?: KeptAnswer;
}

/** Wait that is asked of a caller whose answer could not be made now. */
const RETRY_SECONDS = 2;

/** Answers of sagas: made once they have ended, and then kept, so that whoever asks again gets the same. */
@Injectable()
export class SagaAnswers {
  constructor(
    private readonly tickets: Tickets,
    private readonly sagas: ToolSagas,
  ) {}

  /**
   * The answer of a saga, as it stands.
   * @throws ProblemError of a saga that failed for real, with `sagaId`, `status` and `walHash`; EXPIRED a day after its
   * answer; SERVICE_UNAVAILABLE where the answer cannot be made now, and can be asked for again
   */
  async of(ticket: StandingTicket, saga: StoredSaga): Promise<ExecutionAnswer> {
    const { sagaId, state } = saga;
    const status = shownStatus(state);
    if (status === 'RUNNING' || status === 'STUCK') return { status: 202, result: { sagaId, status } };
    const kept = this.tickets.answerOf(ticket);
    if (kept) return answered(kept);
    try {
      const answer = await this.sagas.of(ticket.tool).answer(saga, factsOf(ticket));
      const body = Buffer.from(JSON.stringify({ ...answer, sagaId, status }), 'utf8');
      return answered(await this.tickets.keepAnswer(ticket.ticketId, body));
    } catch (error) {
      throw failureOf(error, saga, ticket);
    }
  }
}

/** What a caller is told of it. */
export const told = ({
  kept,
  ...answer
}: ExecutionAnswer): Omit<ExecutionAnswer, 'kept'> & { text?: string } => ({
  ...answer,
  ...(kept && { text: kept.body.toString('utf8') }),
});

const answered = (kept: KeptAnswer): ExecutionAnswer => ({
  status: 200,
  result: JSON.parse(kept.body.toString('utf8')) as ExecuteResult,
  kept,
});

/** A failure names its saga: nothing of it is lost, and nobody has to pay again to learn more. */
function failureOf(
  error: unknown,
  { sagaId, state, records }: StoredSaga,
  { funding }: StandingTicket,
): ProblemError {
  const status = shownStatus(state);
  const ofSaga = { sagaId, status, walHash: walHashOf(records) };
  // What was taken back has gone back to its account, or become credit of a payment.
  const charged = status === 'COMPENSATED' && funding !== 'rail' ? 'no' : 'yes';
  if (error instanceof ProblemError) {
    const { extensions, ...payload } = error.payload;
    return new ProblemError(
      { charged, ...payload, extensions: { ...extensions, ...ofSaga } },
      { cause: error },
    );
  }
  const detail = 'The saga has ended, and its answer cannot be made now; ask again, nothing runs twice';
  return problem('SERVICE_UNAVAILABLE', detail, {
    ...{ retryAfterSeconds: RETRY_SECONDS, charged },
    extensions: ofSaga,
    cause: error,
  });
}

/** Of a ticket, what its tool may know. */
export const factsOf = ({
  ticketId,
  tool,
  claimId,
  rail,
  amountMicroUsd,
  funding,
  receipt,
  agentId,
  capability,
  creditAccountId,
  payer,
}: StandingTicket): TicketFacts => ({
  ...{ ticketId, tool, claimId, rail, amountMicroUsd, funding, receipt },
  ...{ agentId, capability, creditAccountId, ...payingAccount(payer) },
});

const ACCOUNT_PAYER = 'account:';

function payingAccount(payer: string | undefined): Pick<TicketFacts, 'accountId'> {
  return payer?.startsWith(ACCOUNT_PAYER) ? { accountId: payer.slice(ACCOUNT_PAYER.length) } : {};
}
