import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { x402Contract } from '@svc/contracts';
import { problem, problemOf } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { buyTicket, type ExecuteFixture, licence, payment, startExecutions } from './execute-fixture.js';
import { payChallenge } from './payments-fixture.js';

let fixture: ExecuteFixture;

const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
const execute = (request: Record<string, unknown>) =>
  fixture.bus.call(x402Contract.execute, {
    input: licence(),
    tool: 'm2m_license_contract',
    ...request,
  } as never);
const heldForTickets = async () => (await fixture.net())['holds:ticket'] ?? 0;
const sagaCount = async () => (await query(`SELECT count(*)::int AS count FROM saga`))[0].count as number;

export function describeInlineExecutions(): void {
  describe('inline executions', () => {
    beforeAll(async () => {
      fixture = await startExecutions();
    });
    afterEach(async () => {
      fixture.m2m.failAt = undefined;
      fixture.m2m.gate = undefined;
      fixture.m2m.refusal = fixture.m2m.answerRefusal = undefined;
      expect(await fixture.findings()).toEqual([]);
    });
    afterAll(() => fixture?.close());

    describe('a payment that comes with its call', () => {
      it.each([
        ['on the chain', async () => payment({ payer: 'x402:0xinline' })],
        ['by card', async () => payment({ family: 'stripe', token: randomUUID(), chargeMicroUsd: 500_000 })],
        ['over Lightning', async () => (await payChallenge(fixture.bus, 'tool.m2m_license_contract')).l402],
      ])('%s runs the tool once, and shown again brings its answer', async (_, make) => {
        const credential = await make();
        const before = await sagaCount();
        const answer = await execute({ credential });
        expect(answer).toMatchObject({ status: 200, result: { status: 'COMPLETED' } });
        expect(answer.receipt!.headers['Payment-Receipt']).toEqual(expect.any(String));
        expect(await execute({ credential })).toEqual(answer);
        expect(await sagaCount()).toBe(before + 1);
        const elsewhere = await problemOf(execute({ credential, input: licence({ streamIndex: 2 }) }));
        expect(elsewhere.code).toBe('PAYMENT_BOUND_ELSEWHERE');
        const verify = buyTicket(fixture.bus, { credential });
        expect((await problemOf(verify)).code).toBe('PAYMENT_BOUND_ELSEWHERE');
        // The pointer to its ticket never leaves the service.
        expect(JSON.stringify(answer)).not.toContain('tkt_');
      });

      it('by key is booked once, and repeated within a minute, or under its Idempotency-Key, brings the answer', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 20_000 });
        const answer = await execute({ accountKey: key });
        expect(await execute({ accountKey: key })).toEqual(answer);
        expect(await fixture.balanceOf(accountId)).toBe(15_000);
        const request = { accountKey: key, idempotencyKey: 'inline', input: licence({ streamIndex: 1 }) };
        const kept = await execute(request);
        await query(
          `UPDATE payment_claim SET delivered_at = delivered_at - interval '2 hours' WHERE payer = $1`,
          [`account:${accountId}`],
        );
        expect(await execute(request)).toEqual(kept);
        const other = await problemOf(execute({ ...request, input: licence({ streamIndex: 2 }) }));
        expect(other.code).toBe('UNPROCESSABLE');
        // By ticket it is the same execution: the key is one of this route, however it is paid.
        const { ticket } = await buyTicket(fixture.bus, { accountKey: key, idempotencyKey: 'inline' });
        expect((await execute({ ...request, ticket })).result).toEqual(kept.result);
        expect(await fixture.ticketRow(ticket)).toMatchObject({ state: 'unused' });
        expect(await fixture.balanceOf(accountId)).toBe(5_000);
        expect((await execute({ accountKey: key, input: licence({ streamIndex: 3 }) })).status).toBe(200);
        const poor = await problemOf(execute({ accountKey: key, input: licence({ streamIndex: 4 }) }));
        expect(poor.code).toBe('PAYMENT_INSUFFICIENT');
      });

      it('under an Idempotency-Key that a ticket of its payer has used is given back', async () => {
        const payer = 'x402:0xboth';
        const { ticket } = await buyTicket(fixture.bus, { credential: payment({ payer }) });
        const answer = await execute({ ticket, idempotencyKey: 'both' });
        const credential = payment({ payer });
        const replayed = await execute({ credential, idempotencyKey: 'both' });
        expect(replayed.result).toEqual(answer.result);
        const [{ place, state }] = await query(
          `SELECT place, state FROM execution_ticket WHERE payer = $1 AND inline`,
          [payer],
        );
        expect({ place, state }).toEqual({ place: 'credit', state: 'expired' });
      });

      it('of 30 that show it at once runs the tool once', async () => {
        const before = await sagaCount();
        const credential = payment({ payer: 'x402:0xcrowd' });
        const results = await Promise.allSettled(Array.from({ length: 30 }, () => execute({ credential })));
        expect(await sagaCount()).toBe(before + 1);
        const sagas = results.flatMap(each =>
          each.status === 'fulfilled' ? [each.value.result.sagaId] : [],
        );
        expect(new Set(sagas).size).toBe(1);
        for (const each of results)
          if (each.status === 'rejected') expect(each.reason.code).toBe('PAYMENT_IN_FLIGHT');
      });

      it('is told which saga runs, while it does', async () => {
        let open = () => {};
        fixture.m2m.gate = new Promise<void>(resolve => (open = resolve));
        const credential = payment();
        const before = await sagaCount();
        const running = execute({ credential });
        while ((await sagaCount()) === before);
        const { payload } = await problemOf(execute({ credential }));
        expect(payload).toMatchObject({
          code: 'PAYMENT_IN_FLIGHT',
          retryAfterSeconds: 1,
          extensions: { sagaId: expect.any(String) },
        });
        open();
        expect((await running).result.sagaId).toBe(payload.extensions!.sagaId);
      });

      it('of a saga that failed is credit, told to whoever paid, and a further payment runs anew', async () => {
        const payer = 'x402:0xfailed';
        const credential = payment({ payer });
        fixture.m2m.failAt = 'work';
        const { payload } = await problemOf(execute({ credential }));
        expect(payload).toMatchObject({
          code: 'UNPROCESSABLE',
          charged: 'yes',
          extensions: {
            status: 'COMPENSATED',
            sagaId: expect.any(String),
            credit: { key: expect.stringMatching(/^svc_test_/), balanceMicroUsd: 5_000 },
          },
        });
        fixture.m2m.failAt = undefined;
        expect((await problemOf(execute({ credential }))).payload).toEqual(payload);
        const anew = await execute({ credential: payment({ payer }) });
        expect(anew.result).toMatchObject({ status: 'COMPLETED' });
        const { key } = payload.extensions!.credit as { key: string };
        expect((await execute({ accountKey: key })).result.status).toBe('COMPLETED');
      });

      it('that was told to fail brings an answer, and its credit', async () => {
        fixture.m2m.failAt = 'settle';
        const credential = payment({ family: 'stripe', chargeMicroUsd: 500_000 });
        const answer = await execute({ credential, input: licence({ simulateFault: true }) });
        expect(answer).toMatchObject({
          status: 200,
          result: { status: 'COMPENSATED' },
          credit: { balanceMicroUsd: 500_000 },
        });
        expect(await execute({ credential, input: licence({ simulateFault: true }) })).toEqual(answer);
      });

      it('of a credential that lies open on the chain tells nobody the key of its credit a second time', async () => {
        const credential = payment({ payer: 'x402:0xopen', isPublic: true });
        fixture.m2m.failAt = 'work';
        const first = await problemOf(execute({ credential }));
        expect(first.payload.extensions).toHaveProperty('credit');
        const second = await problemOf(execute({ credential }));
        expect(second.code).toBe('UNPROCESSABLE');
        expect(second.payload.extensions).not.toHaveProperty('credit');
      });
    });

    describe('nothing is taken', () => {
      it('for what no tool takes, or can work on', async () => {
        const before = [fixture.rail.asked.length, await sagaCount()];
        const bad = await problemOf(execute({ credential: payment(), input: { nothing: true } }));
        expect(bad.code).toBe('VALIDATION_FAILED');
        fixture.m2m.refusal = problem('UNPROCESSABLE', 'impossible');
        expect((await problemOf(execute({ credential: payment() }))).code).toBe('UNPROCESSABLE');
        expect([fixture.rail.asked.length, await sagaCount()]).toEqual(before);
      });
    });

    describe('what begins nothing gives its payment back at once', () => {
      beforeEach(() => void (fixture.m2m.beginRefusal = problem('STREAM_INDEX_STALE', 'stale')));
      afterEach(() => void (fixture.m2m.beginRefusal = undefined));

      it('to the balance of the key, however often it is tried', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        const before = [await sagaCount(), await heldForTickets()];
        for (let i = 0; i < 3; i++) {
          const { payload } = await problemOf(execute({ accountKey: key }));
          expect(payload).toMatchObject({ code: 'STREAM_INDEX_STALE', charged: 'no' });
        }
        expect(await fixture.balanceOf(accountId)).toBe(5_000);
        expect([await sagaCount(), await heldForTickets()]).toEqual(before);
      });

      it('as credit of whoever paid otherwise, who is told', async () => {
        const held = await heldForTickets();
        const { payload } = await problemOf(execute({ credential: payment({ payer: 'x402:0xstale' }) }));
        expect(payload).toMatchObject({
          ...{ code: 'STREAM_INDEX_STALE', charged: 'yes' },
          extensions: { credit: { balanceMicroUsd: 5_000 } },
        });
        expect(await heldForTickets()).toBe(held);
        fixture.m2m.beginRefusal = undefined;
        const { key } = payload.extensions!.credit as { key: string };
        expect((await execute({ accountKey: key })).result.status).toBe('COMPLETED');
      });
    });

    describe('what a call paid and did not get stays with its payment', () => {
      it('where the tool was busy: the same call runs when it is not', async () => {
        fixture.m2m.refusal = problem('OVERLOADED', 'busy', { retryAfterSeconds: 1 });
        const credential = payment();
        const held = await heldForTickets();
        const before = await sagaCount();
        const { payload } = await problemOf(execute({ credential }));
        expect(payload).toMatchObject({ code: 'OVERLOADED', charged: 'yes' });
        expect(await sagaCount()).toBe(before);
        expect(await heldForTickets()).toBe(held + 5_000);
        fixture.m2m.refusal = undefined;
        expect((await execute({ credential })).result.status).toBe('COMPLETED');
        expect(fixture.rail.asked.filter(claim => claim === fixture.rail.asked.at(-1))).toHaveLength(1);
      });

      it('where the service died between the ticket and the saga: the same call goes on with the ticket', async () => {
        const credential = payment();
        const held = await heldForTickets();
        await query(`CREATE FUNCTION told_to_fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'told to fail'; END $$`);
        await query(`CREATE TRIGGER told BEFORE INSERT ON saga FOR EACH ROW EXECUTE FUNCTION told_to_fail()`);
        try {
          expect((await problemOf(execute({ credential }))).status).toBe(500);
        } finally {
          await query(`DROP FUNCTION told_to_fail CASCADE`);
        }
        expect(await heldForTickets()).toBe(held + 5_000);
        const before = await sagaCount();
        expect((await execute({ credential })).result.status).toBe('COMPLETED');
        expect(await sagaCount()).toBe(before + 1);
      });

      it('until its ticket has expired: then it is credit, and the refusal tells whoever paid', async () => {
        fixture.m2m.refusal = problem('OVERLOADED', 'busy', { retryAfterSeconds: 1 });
        const credential = payment();
        await problemOf(execute({ credential }));
        fixture.m2m.refusal = undefined;
        await query(`UPDATE execution_ticket SET expires_at = now() WHERE state = 'unused'`);
        const { payload } = await problemOf(execute({ credential }));
        expect(payload).toMatchObject({
          ...{ code: 'TICKET_EXPIRED', charged: 'yes' },
          extensions: { credit: { balanceMicroUsd: 5_000 } },
        });
      });
    });
  });
}
