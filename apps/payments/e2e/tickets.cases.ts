import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { paymentsContract, x402Contract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { createHash, randomUUID } from 'node:crypto';
import { CreditReversals } from '../src/card/credit-reversals.js';
import { Ledger } from '../src/ledger/ledger.js';
import { digestOf } from '../src/ticket/claimed-route.js';
import { TicketSweeper } from '../src/ticket/ticket-sweeper.js';
import { Tickets } from '../src/ticket/tickets.js';
import { paymentKeysOf } from '../src/payments-config.js';
import { buyTicket, type ExecuteFixture, licence, payment, startExecutions } from './execute-fixture.js';
import { payChallenge, SECRETS } from './payments-fixture.js';

const KEYS = paymentKeysOf({ production: false, secrets: SECRETS });
const M2M = 'tool.m2m_license_contract';

let fixture: ExecuteFixture;

const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
const execute = (request: Record<string, unknown>) =>
  fixture.bus.call(x402Contract.execute, { input: licence(), ...request } as never);
const verify = (request: Record<string, unknown>) =>
  fixture.bus.call(x402Contract.verifyPayment, { tool: 'm2m_license_contract', ...request } as never);
/** Ends a ticket's time. */
const outlive = (ticket: string) =>
  query(`UPDATE execution_ticket SET expires_at = now() WHERE ticket_hash = sha256($1::bytea)`, [
    Buffer.from(ticket),
  ]);
const ticketCount = async () => (await query(`SELECT count(*)::int AS count FROM execution_ticket`))[0].count;
const sweeper = () =>
  new TicketSweeper(new Tickets(fixture.database, fixture.holds, KEYS), fixture.measurements);

export function describeTickets(): void {
  describe('tickets', () => {
    beforeAll(async () => {
      fixture = await startExecutions();
    });
    afterEach(async () => {
      fixture.rail.fault = 'none';
      expect(await fixture.findings()).toEqual([]);
    });
    afterAll(() => fixture?.close());

    describe('a payment buys a ticket', () => {
      const credentials = {
        'over Lightning': async () => (await payChallenge(fixture.bus, M2M)).l402,
        'on the chain': async () => payment({ payer: `x402:${randomUUID()}` }),
        'by card': async () => payment({ family: 'stripe', token: randomUUID(), chargeMicroUsd: 500_000 }),
      };

      it.each(Object.entries(credentials))('%s: the same one however often it is shown', async (_, make) => {
        const credential = await make();
        const first = await verify({ credential });
        expect(first.result).toMatchObject({
          status: 'PAYMENT_CLEARED',
          ticket: expect.stringMatching(/^tkt_[A-Za-z0-9_-]{43}$/),
          tool: 'm2m_license_contract',
          amountMicroUsd: 5_000,
          receipt: first.receipt.headers['Payment-Receipt'],
        });
        const lifeMs = Date.parse(first.result.expiresAt) - Date.now();
        expect(lifeMs).toBeGreaterThan(880_000);
        expect(lifeMs).toBeLessThanOrEqual(900_000);
        expect(await verify({ credential })).toEqual(first);
        expect(await fixture.ticketRow(first.result.ticket)).toMatchObject({
          state: 'unused',
          place: 'ticket',
          funding: 'rail',
          rail: first.result.rail,
        });
      });

      it('with a signed receipt of the ticket, where the request is told', async () => {
        const called = { path: '/v1/x402/verify', requestHash: '12'.repeat(32) };
        const credential = payment();
        const first = await verify({ credential, called });
        const { 'SVC-Receipt': receipt } = first.receipt.headers;
        const said = JSON.parse(Buffer.from(receipt.split('.')[1], 'base64url').toString());
        expect(JSON.parse(first.text)).toEqual(first.result);
        expect(said).toMatchObject({
          ...{ resourceUrl: 'http://localhost:3000/v1/x402/verify', requestHash: `0x${called.requestHash}` },
          responseHash: `0x${createHash('sha256').update(first.text).digest('hex')}`,
          usage: { operationId: M2M, calls: 1, amountMicroUsd: 5_000 },
        });
        expect(await verify({ credential, called })).toEqual(first);
        const untold = await verify({ credential: payment() });
        expect(untold.receipt.headers).not.toHaveProperty('SVC-Receipt');
        const rows = await query(`SELECT receipt::text AS text FROM execution_ticket`);
        expect(rows.filter(({ text }: { text: string }) => text.includes('requestHash'))).toEqual([]);
      });

      it('by the credit of a key, and by the requests of a plan, of which nothing is booked', async () => {
        const rich = await fixture.customer({ microUsd: 6_000 });
        const bought = await buyTicket(fixture.bus, { accountKey: rich.key });
        expect(await fixture.balanceOf(rich.accountId)).toBe(1_000);
        expect(await buyTicket(fixture.bus, { accountKey: rich.key })).toEqual(bought);

        const planned = await fixture.customer({ plan: 'developer' });
        const before = await fixture.net();
        const counted = await buyTicket(
          fixture.bus,
          { accountKey: planned.key },
          { tool: 'zk_prove_spatial' },
        );
        expect(await fixture.usedRequests(planned.accountId)).toBe(1);
        expect(await fixture.net()).toEqual(before);
        expect(await fixture.ticketRow(counted.ticket)).toMatchObject({ funding: 'quota', place: 'ticket' });

        const poor = await fixture.customer({ microUsd: 4_999 });
        expect((await problemOf(buyTicket(fixture.bus, { accountKey: poor.key }))).code).toBe(
          'PAYMENT_INSUFFICIENT',
        );
      });

      it('of a digest alone, with its answer sealed: nothing in the tables spends it', async () => {
        const { ticket } = await buyTicket(fixture.bus, { credential: payment() });
        for (const table of ['execution_ticket', 'payment_claim', 'ledger_entry']) {
          const [{ found }] = await query(
            `SELECT count(*)::int AS found FROM ${table} AS row
          WHERE row::text LIKE '%' || $1 || '%' OR row::text LIKE '%' || encode($2, 'hex') || '%'`,
            [ticket, Buffer.from(ticket)],
          );
          expect(found).toBe(0);
        }
      });

      it('that whoever reads the payment on the chain is not shown; its payer is, by signing again', async () => {
        const payer = `x402:${randomUUID()}`;
        const credential = payment({ payer, isPublic: true });
        const [own, keyed] = [{ credential }, { credential, idempotencyKey: randomUUID() }];
        const { result } = await verify(own);
        for (const read of [own, keyed]) {
          const { payload } = await problemOf(verify(read));
          expect(payload.code).toBe('PAYMENT_INVALID');
          expect(JSON.stringify(payload)).not.toContain('tkt_');
          expect(payload.extensions ?? {}).not.toHaveProperty('credit');
        }
        const asked = fixture.rail.asked.length;
        expect((await verify({ credential: payment({ payer, isPublic: true }) })).result).toEqual(result);
        expect(fixture.rail.asked).toHaveLength(asked);
        expect((await execute({ ticket: result.ticket })).result.status).toBe('COMPLETED');
        expect((await problemOf(verify(own))).payload.code).toBe('PAYMENT_INVALID');
      });

      it('of 20 that show it at once, one buys and the others have the same ticket, or are told to wait', async () => {
        const before = await ticketCount();
        const credential = payment({ payer: 'x402:0xcrowd' });
        const results = await Promise.allSettled(Array.from({ length: 20 }, () => verify({ credential })));
        const tickets = results.flatMap(each =>
          each.status === 'fulfilled' ? [each.value.result.ticket] : [],
        );
        expect(new Set(tickets).size).toBe(1);
        for (const each of results)
          if (each.status === 'rejected') {
            expect(each.reason.code).toBe('PAYMENT_IN_FLIGHT');
            expect(each.reason.payload.extensions ?? {}).toEqual({});
          }
        expect(await ticketCount()).toBe(before + 1);
      });

      it('anew once the ticket was used, and not before; under one Idempotency-Key never', async () => {
        const payer = 'x402:0xagain';
        const first = await buyTicket(fixture.bus, { credential: payment({ payer }) });
        const second = payment({ payer });
        expect(await buyTicket(fixture.bus, { credential: second })).toEqual(first);
        await execute({ ticket: first.ticket });
        const other = await buyTicket(fixture.bus, { credential: second });
        expect(other.ticket).not.toBe(first.ticket);

        const { key } = await fixture.customer({ microUsd: 50_000 });
        const held = await buyTicket(fixture.bus, { accountKey: key });
        await execute({ ticket: held.ticket });
        expect((await buyTicket(fixture.bus, { accountKey: key })).ticket).not.toBe(held.ticket);

        const paidBy = { accountKey: key, idempotencyKey: 'one purchase' };
        const asked = { capability: 'map' };
        const kept = await buyTicket(fixture.bus, paidBy, asked);
        await execute({ ticket: kept.ticket });
        expect(await buyTicket(fixture.bus, paidBy, asked)).toEqual(kept);
        const mismatch = await problemOf(buyTicket(fixture.bus, paidBy, { capability: 'other' }));
        expect(mismatch.code).toBe('UNPROCESSABLE');
      });

      it('never where it is not known whether it was settled', async () => {
        fixture.rail.fault = 'lost-after';
        const credential = payment();
        const before = await ticketCount();
        expect((await problemOf(verify({ credential }))).code).toBe('SETTLEMENT_UNKNOWN');
        expect(await ticketCount()).toBe(before);
        fixture.rail.fault = 'none';
        await query(`UPDATE payment_claim SET lease_until = now() WHERE state = 'unknown'`);
        await fixture.reconciler.round();
        expect((await verify({ credential })).result.status).toBe('PAYMENT_CLEARED');
      });

      it.each([
        ['the ticket', `BEFORE INSERT ON execution_ticket`],
        ['the ledger entry', `BEFORE INSERT ON ledger_entry`],
        ['the claim', `BEFORE UPDATE ON payment_claim`],
      ])(
        'or is kept: where %s cannot be written, the same payment buys it in its next try',
        async (_, when) => {
          const credential = payment();
          const before = await ticketCount();
          // The ticket's statement alone fails: that of the claim has gone before.
          await query(`CREATE FUNCTION fail_ticket() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_TABLE_NAME = 'execution_ticket' OR (TG_TABLE_NAME = 'ledger_entry' AND to_jsonb(NEW) ->> 'kind' = 'ticket')
         OR (TG_TABLE_NAME = 'payment_claim' AND to_jsonb(NEW) ->> 'state' = 'delivered')
      THEN RAISE EXCEPTION 'told to fail'; END IF; RETURN NEW; END $$`);
          await query(`CREATE TRIGGER told ${when} FOR EACH ROW EXECUTE FUNCTION fail_ticket()`);
          try {
            expect((await problemOf(verify({ credential }))).code).toBe('SETTLEMENT_UNKNOWN');
          } finally {
            await query(`DROP FUNCTION fail_ticket CASCADE`);
          }
          expect(await ticketCount()).toBe(before);
          expect(await fixture.findings()).toEqual([]);
          const { result } = await verify({ credential });
          expect(await fixture.ticketRow(result.ticket)).toMatchObject({ state: 'unused' });
        },
      );

      it('also where the service died between claim and ticket: the claim is credit, and buys it', async () => {
        const credential = payment();
        const operationId = M2M;
        const requestDigest = digestOf(operationId, { route: 'x402.verify' });
        // The claim as the service leaves it that dies before the ticket.
        const claim = await fixture.bus.call(paymentsContract.claim, {
          operationId,
          requestDigest,
          credential,
        });
        expect(claim.outcome).toBe('claimed');
        await query(
          `UPDATE payment_claim SET lease_until = now() - interval '1 hour' WHERE state = 'claimed'`,
        );
        expect(await fixture.sweeper.sweep()).toBe(1);
        expect((await verify({ credential })).result.status).toBe('PAYMENT_CLEARED');
      });
    });

    describe('a ticket that nobody used in time', () => {
      const buyers = {
        'a payment on the chain': async () => ({ credential: payment() }),
        'a card': async () => ({ credential: payment({ family: 'stripe', chargeMicroUsd: 500_000 }) }),
        'an invoice': async () => ({ credential: (await payChallenge(fixture.bus, M2M)).l402 }),
      };
      it.each(Object.entries(buyers))('is credit of %s, told to whoever shows it again', async (_, buyer) => {
        const { credential } = await buyer();
        const { result, credit: remainder } = await verify({ credential });
        await outlive(result.ticket);
        expect(await sweeper().sweep()).toBe(1);
        expect(await fixture.ticketRow(result.ticket)).toMatchObject({ state: 'expired', place: 'credit' });
        const again = await verify({ credential });
        expect(again.result).toEqual(result);
        expect(again.credit).toMatchObject({ balanceMicroUsd: 5_000 + (remainder?.balanceMicroUsd ?? 0) });
        const expired = await problemOf(execute({ ticket: result.ticket }));
        expect(expired.code).toBe('TICKET_EXPIRED');
        // The credit buys.
        const bought = await buyTicket(fixture.bus, { accountKey: again.credit!.key });
        expect((await execute({ ticket: bought.ticket })).result.status).toBe('COMPLETED');
      });

      it('is back on the account whose credit paid, and out of the count of the plan that did', async () => {
        const rich = await fixture.customer({ microUsd: 5_000 });
        const planned = await fixture.customer({ plan: 'developer' });
        const bought = await buyTicket(fixture.bus, { accountKey: rich.key });
        const counted = await buyTicket(
          fixture.bus,
          { accountKey: planned.key },
          { tool: 'zk_prove_spatial' },
        );
        await outlive(bought.ticket);
        await outlive(counted.ticket);
        expect(await sweeper().sweep()).toBe(2);
        expect(await fixture.balanceOf(rich.accountId)).toBe(5_000);
        expect(await fixture.usedRequests(planned.accountId)).toBe(0);
        // A further request buys anew.
        expect((await buyTicket(fixture.bus, { accountKey: rich.key })).ticket).not.toBe(bought.ticket);
      });

      it('is refused by the clock of the database alone, to the microsecond, and given back at once', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 20_000 });
        const tickets = new Tickets(fixture.database, fixture.holds, KEYS);
        for (const [offset, fate] of [
          ['-1 microsecond', 'TicketGone'],
          ['0', 'TicketGone'],
          ['1 microsecond', 'used'],
        ]) {
          const { ticket } = await buyTicket(
            fixture.bus,
            { accountKey: key },
            { capability: String(offset) },
          );
          const standing = await tickets.find(ticket);
          const outcome = await fixture.database
            .transaction(async tx => {
              // The clock of a transaction stands still: the boundary is exact.
              await tx.query(
                `UPDATE execution_ticket SET expires_at = now() + $2::interval WHERE ticket_id = $1`,
                [standing.ticketId, offset],
              );
              await tickets.consume(tx, standing, { sagaId: randomUUID(), requestDigest: 'ab'.repeat(32) });
              const [{ state }] = await tx.query(`SELECT state FROM execution_ticket WHERE ticket_id = $1`, [
                standing.ticketId,
              ]);
              throw new Error(state);
            })
            .catch((error: Error) => (error.name === 'Error' ? error.message : error.name));
          expect([offset, outcome]).toEqual([offset, fate]);
        }
        const { ticket } = await buyTicket(fixture.bus, { accountKey: key }, { capability: 'at once' });
        const before = await fixture.balanceOf(accountId);
        await outlive(ticket);
        expect((await problemOf(execute({ ticket }))).code).toBe('TICKET_EXPIRED');
        expect(await fixture.balanceOf(accountId)).toBe(before + 5_000);
        expect((await problemOf(execute({ ticket }))).code).toBe('TICKET_EXPIRED');
        expect(await fixture.balanceOf(accountId)).toBe(before + 5_000);
      });

      it('is taken from the credit again where the card’s payment is disputed at that moment', async () => {
        const { ticket } = await buyTicket(fixture.bus, {
          credential: payment({ family: 'stripe', token: randomUUID() }),
        });
        const { ticket_id: ticketId, claim_id: claimId } = await fixture.ticketRow(ticket);
        await outlive(ticket);
        const [{ reference }] = await query(
          `SELECT settlement_reference AS reference FROM payment_claim WHERE claim_id = $1`,
          [claimId],
        );
        const dispute = { id: `dp_${randomUUID()}`, payment_intent: reference, amount: 1, status: 'lost' };
        let expiring: Promise<boolean> | undefined;
        await fixture.database.transaction(async tx => {
          // As the webhook does.
          await tx.query(`SELECT 1 FROM payment_claim WHERE claim_id = $1 FOR UPDATE`, [claimId]);
          await new CreditReversals(new Ledger()).dispute(tx, dispute as never, {});
          expiring = new Tickets(fixture.database, fixture.holds, KEYS).expire(String(ticketId));
          const waits = `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted`;
          while ((await query(waits))[0].count === 0);
        });
        expect(await expiring).toBe(true);
        const { credit_account_id: accountId } = await fixture.ticketRow(ticket);
        expect(await fixture.balanceOf(String(accountId))).toBe(0);
      });

      it('is given back once, whoever comes first: sweepers, callers', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        const { ticket } = await buyTicket(fixture.bus, { accountKey: key });
        await outlive(ticket);
        const callers = [
          ...Array.from({ length: 5 }, () => sweeper().sweep()),
          ...Array.from({ length: 5 }, () => execute({ ticket })),
        ];
        await Promise.allSettled(callers);
        expect(await fixture.balanceOf(accountId)).toBe(5_000);
      });
    });

    describe('which tool a request is about', () => {
      const toolOf = async (request: Record<string, unknown>) =>
        (await fixture.bus.call(x402Contract.toolOf, request as never)).tool;

      it('is said by its ticket, its challenge, its payment, its query; else it is the licence', async () => {
        const { ticket } = await buyTicket(
          fixture.bus,
          { credential: payment() },
          { tool: 'zk_prove_spatial' },
        );
        const { challengeToken } = await fixture.bus.call(paymentsContract.challenge, {
          operationId: 'tool.zk_prove_spatial',
          realm: 'svc.example',
        });
        const { l402 } = await payChallenge(fixture.bus, 'tool.zk_prove_spatial');
        expect(await toolOf({})).toBe('m2m_license_contract');
        expect(await toolOf({ tool: 'zk_prove_spatial' })).toBe('zk_prove_spatial');
        expect(await toolOf({ ticket })).toBe('zk_prove_spatial');
        expect(await toolOf({ challengeToken })).toBe('zk_prove_spatial');
        expect(await toolOf({ credential: l402 })).toBe('zk_prove_spatial');
        expect(await toolOf({ credential: { scheme: 'SPT', value: 'spt_1', challengeToken } })).toBe(
          'm2m_license_contract',
        );
        expect(await toolOf({ credential: payment({ operationId: 'zk.prove' }) })).toBe(
          'm2m_license_contract',
        );
        expect(await toolOf({ credential: { scheme: 'L402', value: 'x' } })).toBe('m2m_license_contract');
        expect(await toolOf({ ticket, tool: 'zk_prove_spatial', credential: l402 })).toBe('zk_prove_spatial');
      });

      it('is refused where two that it brings disagree, naming both', async () => {
        const { ticket } = await buyTicket(fixture.bus, { credential: payment() });
        const { l402 } = await payChallenge(fixture.bus, 'tool.zk_prove_spatial');
        for (const request of [
          { ticket, tool: 'zk_prove_spatial' },
          { credential: l402, tool: 'm2m_license_contract' },
          { ticket, credential: l402 },
        ]) {
          const { payload } = await problemOf(toolOf(request));
          expect(payload.code).toBe('VALIDATION_FAILED');
          expect(payload.detail).toMatch(/zk_prove_spatial/);
          expect(payload.detail).toMatch(/m2m_license_contract/);
        }
        expect((await problemOf(toolOf({ ticket: `tkt_${'A'.repeat(43)}` }))).code).toBe('TICKET_UNKNOWN');
        expect((await problemOf(toolOf({ challengeToken: 'v1.e30.AAAA' }))).code).toBe('PAYMENT_INVALID');
      });
    });
  });
}
