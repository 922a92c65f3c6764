import { Inject, Injectable } from '@nestjs/common';
import type { ParsedRequestOf, ToolName, x402Contract } from '@svc/contracts';
import { problem } from '@svc/platform';
import { openChallengeToken, PaymentRefusal } from '@svc/protocols';
import { toolOfOperation } from '../execute/tool-sagas.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import { type Rail, RAILS } from '../rail/rail.js';
import { Tickets } from './tickets.js';

/** What a request runs that says nothing of it. */
const DEFAULT_TOOL: ToolName = 'm2m_license_contract';

/** Finds which tool a request is about, of all that it brings. */
@Injectable()
export class ToolOf {
  constructor(
    private readonly tickets: Tickets,
    @Inject(RAILS) private readonly rails: readonly Rail[],
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'challengeToken'>,
  ) {}

  /**
   * @throws ProblemError VALIDATION_FAILED where two that it brings disagree; TICKET_UNKNOWN; PAYMENT_MALFORMED and
   * PAYMENT_INVALID of a challenge token that is none of ours
   */
  async of(request: ParsedRequestOf<typeof x402Contract.toolOf>): Promise<ToolName> {
    const { ticket, challengeToken, credential, tool } = request;
    const named: (readonly [what: string, tool: ToolName | undefined])[] = [
      ['the ticket', ticket === undefined ? undefined : (await this.tickets.find(ticket)).tool],
      ['the challenge token', this.ofChallenge(challengeToken)],
      [
        'the payment',
        credential &&
          toolOfOperation(this.rails.find(rail => rail.reads(credential))?.operationOf(credential)),
      ],
      ['tool', tool],
    ];
    const known = named.filter((each): each is readonly [string, ToolName] => each[1] !== undefined);
    const [first] = known;
    const other = known.find(each => each[1] !== first[1]);
    if (!other) return first?.[1] ?? DEFAULT_TOOL;
    const detail = `${first[0]} is of ${first[1]}, and ${other[0]} says ${other[1]}`;
    throw problem('VALIDATION_FAILED', detail, { errors: [{ path: 'tool', message: detail }] });
  }

  private ofChallenge(token: string | undefined): ToolName | undefined {
    if (token === undefined) return undefined;
    try {
      return toolOfOperation(openChallengeToken(this.keys.challengeToken, token).operationId);
    } catch (error) {
      if (error instanceof PaymentRefusal) throw problem(error.code, error.message);
      throw error;
    }
  }
}
