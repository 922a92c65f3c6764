import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PaymentCredential, x402Contract } from '@svc/contracts';
import { ProblemError } from '@svc/platform';
import { byTier } from '@svc/platform/testing';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { paymentKeysOf } from '../src/payments-config.js';
import { TicketSweeper } from '../src/ticket/ticket-sweeper.js';
import { Tickets } from '../src/ticket/tickets.js';
import { type ExecuteFixture, licence, payment, startExecutions } from './execute-fixture.js';
import { SECRETS } from './payments-fixture.js';

/** Refusals that a caller may meet here: whatever else comes is a fault. */
const EXPECTED = [
  ...['TICKET_USED', 'TICKET_EXPIRED', 'CONFLICT', 'UNPROCESSABLE', 'PAYMENT_IN_FLIGHT'],
  ...['PAYMENT_BOUND_ELSEWHERE', 'PAYMENT_INSUFFICIENT'],
];

type Step =
  | { readonly does: 'verify' | 'inline'; readonly by: number; readonly body: number; readonly key?: string }
  | { readonly does: 'execute'; readonly ticket: number; readonly body: number; readonly key?: string }
  | { readonly does: 'expire'; readonly ticket: number }
  | { readonly does: 'sweep' };

const few = fc.nat({ max: 2 });
const key = fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('verify' as const), by: fc.nat(4), body: few, key }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('inline' as const), by: fc.nat(4), body: few, key }),
  },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('execute' as const), ticket: few, body: few, key }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('expire' as const), ticket: few }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('sweep' as const) }) },
);
/** What runs at once, and where sagas fail meanwhile. */
const round = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  failAt: fc.constantFrom(undefined, undefined, 'reserve' as const, 'work' as const, 'settle' as const),
});

let fixture: ExecuteFixture;

/** Claims whose amount is not in exactly one place, by what was booked for them and nothing else. */
const scattered = () =>
  fixture.database.query(
    `SELECT * FROM (
       SELECT claim_id, claim.amount_micro_usd AS amount,
              coalesce(sum(entry.amount_micro_usd) FILTER (WHERE account = 'holds'), 0) AS holds,
              coalesce(sum(entry.amount_micro_usd) FILTER (WHERE account = 'holds:ticket'), 0) AS ticket,
              coalesce(sum(entry.amount_micro_usd) FILTER (WHERE account = 'holds:saga'), 0) AS saga,
              coalesce(sum(entry.amount_micro_usd) FILTER (WHERE account = 'treasury'), 0) AS treasury,
              coalesce(sum(entry.amount_micro_usd) FILTER (WHERE account LIKE 'customer:%'), 0)
                + CASE WHEN funding = 'credit' THEN claim.amount_micro_usd ELSE 0 END AS credit
         FROM payment_claim claim JOIN ledger_entry entry USING (claim_id)
        GROUP BY claim_id) claim
     WHERE holds + ticket + saga + treasury + credit <> amount
        OR (holds, ticket, saga, treasury, credit) NOT IN (
             (amount, 0, 0, 0, 0), (0, amount, 0, 0, 0), (0, 0, amount, 0, 0), (0, 0, 0, amount, 0), (0, 0, 0, 0, amount))`,
  );

async function runRounds(rounds: readonly { steps: Step[]; failAt?: 'reserve' | 'work' | 'settle' }[]) {
  const { bus, database, m2m } = fixture;
  const rich = await fixture.customer({ microUsd: 30_000 });
  const poor = await fixture.customer({ microUsd: 5_000 });
  const payer = `x402:${randomUUID()}`;
  const buyers: { credential?: PaymentCredential; accountKey?: string }[] = [
    { accountKey: rich.key },
    { accountKey: poor.key },
    ...[payment({ payer }), payment({ payer }), payment()].map(credential => ({ credential })),
  ];
  const bought: string[] = [];
  const sweeper = new TicketSweeper(
    new Tickets(database, fixture.holds, paymentKeysOf({ production: false, secrets: SECRETS })),
    fixture.measurements,
  );
  const input = (body: number) => licence({ streamIndex: body });
  const does = async (each: Step): Promise<unknown> => {
    switch (each.does) {
      case 'verify': {
        const request = { tool: 'm2m_license_contract', ...buyers[each.by], capability: `c${each.body}` };
        const { result } = await bus.call(x402Contract.verifyPayment, {
          ...request,
          idempotencyKey: each.key,
        } as never);
        if (!bought.includes(result.ticket)) bought.push(result.ticket);
        return result;
      }
      case 'inline': {
        const request = { tool: 'm2m_license_contract', ...buyers[each.by], input: input(each.body) };
        return bus.call(x402Contract.execute, { ...request, idempotencyKey: each.key } as never);
      }
      case 'execute': {
        const ticket = bought.at(-1 - each.ticket);
        if (ticket === undefined) return undefined;
        const request = { ticket, input: input(each.body), idempotencyKey: each.key };
        return bus.call(x402Contract.execute, request as never);
      }
      case 'expire':
        return database.query(
          `UPDATE execution_ticket SET expires_at = now() WHERE state = 'unused' AND ticket_hash = sha256($1::bytea)`,
          [Buffer.from(bought.at(-1 - each.ticket) ?? '')],
        );
      case 'sweep':
        return sweeper.sweep();
    }
  };
  for (const { steps, failAt } of rounds) {
    m2m.failAt = failAt;
    for (const outcome of await Promise.allSettled(steps.map(does))) {
      if (outcome.status === 'fulfilled') continue;
      const error: unknown = outcome.reason;
      if (!(error instanceof ProblemError) || !EXPECTED.includes(error.code)) throw error;
    }
    expect(await scattered()).toEqual([]);
    expect(await fixture.findings()).toEqual([]);
  }
}

export function describeTicketInterleavings(): void {
  describe('ticket interleavings', () => {
    beforeAll(async () => {
      fixture = await startExecutions();
    });
    afterAll(() => fixture?.close());

    it('whatever is bought, used, outlived and asked again, at once and in any order, each amount lies in one place', async () => {
      await fc.assert(fc.asyncProperty(fc.array(round, { minLength: 3, maxLength: 6 }), runRounds), {
        numRuns: byTier(8, 150),
        seed: 1763901000,
        endOnFailure: true,
      });
      const [{ sagas, open, twice }] = await fixture.database.query(
        `SELECT (SELECT count(*)::int FROM saga) AS sagas,
            (SELECT count(*)::int FROM saga WHERE ended_at IS NULL) AS open,
            (SELECT count(*)::int FROM (SELECT saga_id FROM saga_wal
               WHERE kind IN ('SAGA_COMMIT', 'SAGA_ABORTED') GROUP BY saga_id HAVING count(*) <> 1) ended) AS twice`,
      );
      expect(sagas).toBeGreaterThan(10);
      expect({ open, twice }).toEqual({ open: 0, twice: 0 });
      const [{ total }] = await fixture.database.query(
        `SELECT sum(amount_micro_usd)::int AS total FROM ledger_entry`,
      );
      expect(total).toBe(0);
    });
  });
}
