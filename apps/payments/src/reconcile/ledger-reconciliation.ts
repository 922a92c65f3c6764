import { Inject, Injectable } from '@nestjs/common';
import {
  inTransaction,
  MeasurementRegistry,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { MICRO_USD_PER_SAT } from '@svc/protocols';
import { DataSource, type EntityManager } from 'typeorm';
import type { HouseAccount } from '../ledger/ledger.js';
import type { TicketPlace } from '../ticket/ticket-holds.js';

/** Figures of `GET /health`: what the ledger is out by, all in all, and how many things are wrong with it. */
export const LEDGER_IMBALANCE = 'ledgerImbalanceMicroUsd';
export const LEDGER_FINDINGS = 'ledgerFindings';

/** Findings of one kind that are named; there may be more. */
const FINDINGS_OF_A_KIND_MAX = 50;
/** Key of the lock by which one instance at a time looks; the others have nothing to add. */
const LOCK = 'svc ledger reconciliation';

/** Something of the ledger that does not agree with something else. */
export interface LedgerFinding {
  readonly kind:
    | 'ledger-sum'
    | 'transaction-sum'
    | 'entry-chain'
    | 'account-balance'
    | 'account-missing'
    | 'claim-entries'
    | 'holds-sum'
    | 'refund-entries'
    | 'ticket-holds-sum'
    | 'saga-holds-sum'
    | 'ticket-claim'
    | 'ticket-saga'
    | 'promotion-sum'
    | 'treasury-days';
  /** Id of the transaction, entry, account, claim, ticket or saga; empty where it is the whole ledger. */
  readonly id: string;
  readonly detail: string;
  /** What it is out by. */
  readonly offMicroUsd: number;
}

export interface LedgerReport {
  readonly balanced: boolean;
  /** The sum of what the findings are out by, without signs. */
  readonly imbalanceMicroUsd: number;
  readonly findings: readonly LedgerFinding[];
  readonly checkedAt: string;
}

type Check = readonly [kind: LedgerFinding['kind'], sql: string];

/** What an account holds, against what lies there of tickets. */
const heldForTickets = (account: HouseAccount, place: TicketPlace, whom: string) => `
  SELECT '' AS id, format('%s is held, and ${whom} are due %s', held, due) AS detail, held - due AS off
    FROM (SELECT coalesce(sum(amount_micro_usd), 0) AS held FROM ledger_entry WHERE account = '${account}') held,
         (SELECT coalesce(sum(amount_micro_usd), 0) AS due FROM execution_ticket
           WHERE funding <> 'quota' AND place = '${place}') due
   WHERE held <> due`;

/** Each gives a row a finding: id, detail, off. */
const CHECKS: readonly Check[] = [
  [
    'ledger-sum',
    `SELECT '' AS id, 'all entries sum to ' || sum(amount_micro_usd) AS detail, sum(amount_micro_usd) AS off
       FROM ledger_entry HAVING sum(amount_micro_usd) <> 0`,
  ],
  [
    'transaction-sum',
    `SELECT transaction_id AS id, 'its entries sum to ' || sum(amount_micro_usd) AS detail, sum(amount_micro_usd) AS off
       FROM ledger_entry GROUP BY transaction_id HAVING sum(amount_micro_usd) <> 0 ORDER BY 1`,
  ],
  [
    'entry-chain',
    `SELECT entry_id AS id, format('entry %s of %s says %s after it, its entries sum to %s as number %s', account_seq,
            account, balance_after, total, number) AS detail, balance_after - total AS off
       FROM (SELECT *, sum(amount_micro_usd) OVER own AS total, row_number() OVER own AS number
               FROM ledger_entry WHERE account_seq IS NOT NULL
             WINDOW own AS (PARTITION BY account ORDER BY account_seq)) entry
      WHERE balance_after <> total OR account_seq <> number ORDER BY entry_id`,
  ],
  [
    'account-balance',
    `SELECT account_id AS id, format('its balance is %s at number %s, its %s entries sum to %s', balance_micro_usd,
            ledger_seq, coalesce(entries, 0), coalesce(total, 0)) AS detail, balance_micro_usd - coalesce(total, 0) AS off
       FROM account
       LEFT JOIN (SELECT account, sum(amount_micro_usd) AS total, count(*) AS entries FROM ledger_entry
                   WHERE account_seq IS NOT NULL GROUP BY account) booked
              ON booked.account = 'customer:' || account_id
      WHERE balance_micro_usd <> coalesce(total, 0) OR ledger_seq <> coalesce(entries, 0) ORDER BY account_id`,
  ],
  [
    'account-missing',
    `SELECT entry.account AS id, 'it has entries that sum to ' || sum(amount_micro_usd) || ', and is no account' AS detail,
            sum(amount_micro_usd) AS off
       FROM ledger_entry entry LEFT JOIN account ON entry.account = 'customer:' || account_id
      WHERE entry.account_seq IS NOT NULL AND account_id IS NULL GROUP BY entry.account ORDER BY 1`,
  ],
  [
    'claim-entries',
    `SELECT claim_id AS id, format('it is %s, its settlement %s, its funding %s, its ticket %s: holds %s for %s, tickets '
            || '%s for %s, sagas %s for %s, treasury %s for %s, clearing %s for %s', state, settlement, funding,
            coalesce(place, 'none'), holds, holds_due, tickets, tickets_due, sagas, sagas_due, treasury, treasury_due,
            clearing, clearing_due) AS detail,
            abs(holds - holds_due) + abs(tickets - tickets_due) + abs(sagas - sagas_due)
              + abs(treasury - treasury_due) + abs(clearing - clearing_due) AS off
       FROM (SELECT claim_id, claim.state, settlement, claim.funding, place,
               coalesce(holds, 0) AS holds, coalesce(tickets, 0) AS tickets, coalesce(sagas, 0) AS sagas,
               coalesce(treasury, 0) AS treasury, coalesce(clearing, 0) AS clearing,
               CASE WHEN claim.funding <> 'quota' AND settlement = 'settled' AND claim.state IN ('claimed', 'settled')
                    THEN claim.amount_micro_usd ELSE 0 END AS holds_due,
               CASE WHEN ticket.funding <> 'quota' AND place = 'ticket'
                    THEN ticket.amount_micro_usd ELSE 0 END AS tickets_due,
               CASE WHEN ticket.funding <> 'quota' AND place = 'saga'
                    THEN ticket.amount_micro_usd ELSE 0 END AS sagas_due,
               CASE WHEN claim.funding <> 'quota' AND claim.state = 'delivered' AND coalesce(place, 'treasury') = 'treasury'
                         AND NOT starts_with(claim.operation_id, 'account.top-up.')
                         AND NOT starts_with(claim.operation_id, 'l402.bundle.')
                    THEN claim.amount_micro_usd ELSE 0 END AS treasury_due,
               CASE WHEN claim.funding = 'rail' AND settlement = 'settled'
                    THEN -coalesce(charged_micro_usd, claim.amount_micro_usd) ELSE 0 END AS clearing_due
               FROM payment_claim claim
               LEFT JOIN execution_ticket ticket USING (claim_id)
               LEFT JOIN (SELECT claim_id,
                            sum(amount_micro_usd) FILTER (WHERE account = 'holds') AS holds,
                            sum(amount_micro_usd) FILTER (WHERE account = 'holds:ticket') AS tickets,
                            sum(amount_micro_usd) FILTER (WHERE account = 'holds:saga') AS sagas,
                            sum(amount_micro_usd) FILTER (WHERE account = 'treasury') AS treasury,
                            sum(amount_micro_usd) FILTER (WHERE account LIKE '%-clearing') AS clearing
                            FROM ledger_entry
                           WHERE claim_id IS NOT NULL AND NOT starts_with(kind, 'refund-')
                           GROUP BY claim_id) booked USING (claim_id)) claim
      WHERE (holds, tickets, sagas, treasury, clearing)
         <> (holds_due, tickets_due, sagas_due, treasury_due, clearing_due) ORDER BY claim_id`,
  ],
  [
    'holds-sum',
    `SELECT '' AS id, format('%s is held, and calls that run and refunds on their way are due %s', held, due) AS detail,
            held - due AS off
       FROM (SELECT coalesce(sum(amount_micro_usd), 0) AS held FROM ledger_entry WHERE account = 'holds') held,
            (SELECT coalesce(sum(amount_micro_usd), 0) AS due FROM (
               SELECT amount_micro_usd FROM payment_claim
                WHERE funding <> 'quota' AND settlement = 'settled' AND state IN ('claimed', 'settled')
               UNION ALL
               SELECT amount_micro_usd FROM refund WHERE state IN ('requested', 'sent', 'unknown')) held_for) due
      WHERE held <> due`,
  ],
  [
    // What became of a refund, and what was booked for it.
    'refund-entries',
    `SELECT refund_id AS id, format('it is %s over %s to %s, and its entries move %s out and %s to credit', state,
            amount_micro_usd, destination, moved_out, credited) AS detail,
            abs(moved_out - out_due) + abs(credited - credited_due) AS off
       FROM (SELECT refund.*,
               coalesce(moved_out, 0) AS moved_out, coalesce(credited, 0) AS credited,
               CASE WHEN state = 'done' AND rail_family <> 'account' THEN amount_micro_usd ELSE 0 END AS out_due,
               CASE WHEN state = 'done' AND rail_family = 'account' THEN amount_micro_usd ELSE 0 END
                 - CASE WHEN state <> 'refused' THEN from_credit_micro_usd ELSE 0 END AS credited_due
               FROM refund LEFT JOIN (
                 SELECT substr(reference, 8)::uuid AS refund_id,
                        sum(amount_micro_usd) FILTER (WHERE account LIKE '%-clearing') AS moved_out,
                        sum(amount_micro_usd) FILTER (WHERE account LIKE 'customer:%') AS credited
                   FROM ledger_entry WHERE starts_with(kind, 'refund-') AND starts_with(reference, 'refund:') GROUP BY 1) booked
                 USING (refund_id)) refund
      WHERE (moved_out, credited) <> (out_due, credited_due) ORDER BY refund_id`,
  ],
  ['ticket-holds-sum', heldForTickets('holds:ticket', 'ticket', 'tickets that nobody has used')],
  ['saga-holds-sum', heldForTickets('holds:saga', 'saga', 'sagas that run')],
  [
    'ticket-claim',
    `SELECT ticket_id AS id, format('it is for %s by %s, and its claim is %s over %s by %s', ticket.amount_micro_usd,
            ticket.funding, claim.state, claim.amount_micro_usd, claim.funding) AS detail,
            ticket.amount_micro_usd - claim.amount_micro_usd AS off
       FROM execution_ticket ticket JOIN payment_claim claim USING (claim_id)
      WHERE claim.state <> 'delivered' OR (ticket.amount_micro_usd, ticket.funding)
                                       <> (claim.amount_micro_usd, claim.funding) ORDER BY ticket_id`,
  ],
  [
    // What a saga that ended has done with the money; while it runs, the amount is anywhere but earned.
    'ticket-saga',
    `SELECT coalesce(ticket_id, saga_id) AS id, CASE
              WHEN ticket_id IS NULL THEN format('saga %s, %s, has no ticket', saga_id, saga.state)
              WHEN saga.state IS NULL THEN format('its saga %s is not there', saga_id)
              ELSE format('its saga %s is %s, and its amount lies with %s', saga_id, saga.state, place) END AS detail,
            coalesce(amount_micro_usd, 0) AS off
       FROM (SELECT * FROM execution_ticket WHERE saga_id IS NOT NULL) ticket FULL JOIN saga USING (saga_id)
      WHERE ticket_id IS NULL OR saga.state IS NULL
         OR CASE saga.state WHEN 'COMPLETED' THEN place <> 'treasury' WHEN 'COMPENSATED' THEN place <> 'credit'
                 ELSE place = 'treasury' END
      ORDER BY 1`,
  ],
  [
    // What the telemetry adds to what was earned since: of the last week each rail and its payments, which takes the claims; of each
    // day before it the amount.
    'treasury-days',
    `WITH counted AS (SELECT counted_until, (counted_until AT TIME ZONE 'UTC')::date - 7 AS week FROM treasury_counted),
          days AS (SELECT day, CASE WHEN day >= week THEN rail ELSE '' END AS rail,
                          sum(payments) FILTER (WHERE day >= week) AS payments, sum(amount_micro_usd) AS amount
                     FROM treasury_day, counted GROUP BY 1, 2),
          entries AS (SELECT day, rail, payments, amount_micro_usd AS amount
                        FROM counted, treasury_between(week::timestamp AT TIME ZONE 'UTC', counted_until)
                      UNION ALL
                      SELECT (created_at AT TIME ZONE 'UTC')::date, '', 0, sum(amount_micro_usd)
                        FROM ledger_entry, counted
                       WHERE account = 'treasury' AND kind <> 'grant' AND created_at < week::timestamp AT TIME ZONE 'UTC'
                       GROUP BY 1)
     SELECT concat_ws(' ', to_char(day, 'YYYY-MM-DD'), nullif(rail, '')) AS id,
            format('its sums have %s in %s payments, and its entries %s in %s', summed, sums, booked, payments) AS detail,
            summed - booked AS off
       FROM (SELECT day, rail, coalesce(days.payments, 0) AS sums, coalesce(days.amount, 0) AS summed,
                    coalesce(entries.payments, 0) AS payments, coalesce(entries.amount, 0) AS booked
               FROM days FULL JOIN entries USING (day, rail)) both_sums
      WHERE (summed, sums) <> (booked, payments) ORDER BY 1`,
  ],
  [
    // What was given away is what its awards say, each on its day.
    'promotion-sum',
    `SELECT coalesce(to_char(day, 'YYYY-MM-DD'), '') AS id,
            format('%s sats were awarded, and it says %s', awarded, said) AS detail,
            ${MICRO_USD_PER_SAT} * (awarded - said) AS off
       FROM (SELECT day, coalesce(awarded, 0) AS awarded, awarded_sats AS said
               FROM promotion_day LEFT JOIN (SELECT day, sum(sats) AS awarded FROM promotion_award GROUP BY day) given
                    USING (day)
             UNION ALL
             SELECT NULL, (SELECT coalesce(sum(sats), 0) FROM promotion_award),
                    (SELECT -coalesce(sum(amount_micro_usd), 0) / ${MICRO_USD_PER_SAT}.0 FROM ledger_entry
                      WHERE account = 'promotion:arena')) day
      WHERE awarded <> said ORDER BY 1`,
  ],
];

/**
 * Holds the ledger to everything that must agree with it, in one snapshot: it sums to zero, every balance is the sum of
 * its entries, every claim has the entries of its state and of its ticket's, what is held is what calls, tickets and
 * sagas are due, and every ticket is as its saga ended. What it finds is logged and measured, and left as it is: whoever mends it has to know why.
 */
@Injectable()
export class LedgerReconciliation {
  constructor(
    private readonly dataSource: DataSource,
    private readonly measurements: MeasurementRegistry,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {
    measurements.declare(LEDGER_IMBALANCE, 'the ledger was not reconciled yet');
    measurements.declare(LEDGER_FINDINGS, 'the ledger was not reconciled yet');
  }

  /** Reconciles now. */
  run(): Promise<LedgerReport> {
    return this.reconcile(async () => true) as Promise<LedgerReport>;
  }

  /** One round of the upkeep: reconciles, unless another instance does at this moment. */
  round(): Promise<LedgerReport | undefined> {
    return this.reconcile(async manager => {
      const [{ free }]: { free: boolean }[] = await manager.query(
        `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS free`,
        [LOCK],
      );
      return free;
    });
  }

  private async reconcile(
    isTurn: (manager: EntityManager) => Promise<boolean>,
  ): Promise<LedgerReport | undefined> {
    const findings = await inTransaction(
      this.dataSource,
      async manager => {
        await manager.query(`SET TRANSACTION READ ONLY`);
        return (await isTurn(manager)) ? findingsOf(manager) : undefined;
      },
      { isolation: 'REPEATABLE READ' },
    );
    if (!findings) return undefined;
    const imbalanceMicroUsd = findings.reduce((sum, { offMicroUsd }) => sum + Math.abs(offMicroUsd), 0);
    this.measurements.set(LEDGER_IMBALANCE, imbalanceMicroUsd);
    this.measurements.set(LEDGER_FINDINGS, findings.length);
    for (const finding of findings)
      this.environment.logger.error(finding, 'The ledger does not agree with itself');
    return {
      balanced: findings.length === 0,
      imbalanceMicroUsd,
      findings,
      checkedAt: new Date().toISOString(),
    };
  }
}

async function findingsOf(manager: EntityManager): Promise<LedgerFinding[]> {
  const findings: LedgerFinding[] = [];
  for (const [kind, sql] of CHECKS) {
    const rows: { id: string; detail: string; off: string }[] = await manager.query(
      `${sql} LIMIT ${FINDINGS_OF_A_KIND_MAX}`,
    );
    for (const { id, detail, off } of rows) {
      const named = id === '' ? detail : `${id}: ${detail}`;
      findings.push({ kind, id: String(id), detail: named, offMicroUsd: Number(off) });
    }
  }
  return findings;
}
