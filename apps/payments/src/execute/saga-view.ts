import { Inject, Injectable, Optional } from '@nestjs/common';
import type { ParsedRequestOf, ReplyOf, x402Contract } from '@svc/contracts';
import type { StoredSaga } from '@svc/durability';
import { problem, ProblemError } from '@svc/platform';
import { ApiKeys } from '../account/api-keys.js';
import { isHolders, type StandingTicket } from '../ticket/execution-ticket.js';
import { Tickets } from '../ticket/tickets.js';
import { SagaAnswers } from './saga-answers.js';
import { SagaHost } from './saga-host.js';
import { shownStatus, walEventsOf, walHashOf } from './wal-events.js';
import { WAL_EVIDENCE, type WalEvidence } from './wal-evidence.js';

type Asked = ParsedRequestOf<typeof x402Contract.saga>;
type Shown = ReplyOf<typeof x402Contract.saga>;

/** Shows a saga to whoever paid for it. */
@Injectable()
export class SagaView {
  constructor(
    private readonly tickets: Tickets,
    private readonly host: SagaHost,
    private readonly answers: SagaAnswers,
    private readonly apiKeys: ApiKeys,
    @Optional() @Inject(WAL_EVIDENCE) private readonly evidence: WalEvidence | undefined,
  ) {}

  /**
   * @throws ProblemError UNKNOWN_CREDENTIAL and TICKET_UNKNOWN (401), FORBIDDEN (403) for another's saga, NOT_FOUND
   */
  async show(asked: Asked): Promise<Shown> {
    const { sagaId } = asked;
    const ticket = await this.authorized(asked);
    const saga = await this.host.load(sagaId);
    if (!ticket || !saga) throw problem('NOT_FOUND', `There is no saga ${sagaId}`);
    const inclusion = await this.evidence?.inclusionOf(sagaId);
    const result = await this.resultOf(ticket, saga);
    const { name, state, records } = saga;
    return {
      sagaId,
      sagaName: name,
      tool: ticket.tool,
      status: shownStatus(state),
      walHash: walHashOf(records),
      walCount: records.length,
      walEvents: walEventsOf(records),
      ...(inclusion ? { inclusion } : {}),
      ...(result ? { result } : {}),
    };
  }

  /** The ticket of the saga, for whoever may see it; undefined where there is no such saga to see. */
  private async authorized({ sagaId, ticket, accountKey }: Asked): Promise<StandingTicket | undefined> {
    if (ticket !== undefined) {
      const standing = await this.tickets.find(ticket);
      if (standing.sagaId === sagaId) return standing;
      throw problem('FORBIDDEN', 'The ticket began another saga, or none');
    }
    if (accountKey === undefined) {
      const detail =
        'A saga is shown to its payer: send X-Execution-Ticket, or X-SVC-KEY of the account that paid';
      throw problem('UNKNOWN_CREDENTIAL', detail);
    }
    const holder = await this.apiKeys.authenticate(accountKey);
    const standing = await this.tickets.findBySaga(sagaId);
    if (standing && !isHolders(standing, holder.accountId))
      throw problem('FORBIDDEN', 'The saga was paid by another account');
    if (standing && !(await this.apiKeys.mayRead(holder, standing.claimId)))
      throw problem('FORBIDDEN', 'Your key has limits, and the saga was not paid under them');
    return standing;
  }

  /** What the saga came to, while it is kept: its answer, or why there is none. */
  private async resultOf(
    ticket: StandingTicket,
    saga: StoredSaga,
  ): Promise<Record<string, unknown> | undefined> {
    if (saga.state !== 'COMPLETED' && saga.state !== 'COMPENSATED') return undefined;
    const { inputSalt } = saga.kept;
    const salt = inputSalt === undefined ? {} : { inputSalt };
    try {
      const { result } = await this.answers.of(ticket, saga);
      return { ...result, ...salt };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { code, detail, errors } = error.payload;
      // Past its day there is none; and one that cannot be made now will be there later.
      if (code === 'EXPIRED' || error.status >= 500) return undefined;
      return { code, detail, ...(errors ? { errors } : {}), ...salt };
    }
  }
}
