import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { adminContract, x402Contract } from '@svc/contracts';
import { problem, problemOf } from '@svc/platform';
import { HANGS_MS } from '@svc/platform/testing';
import { randomUUID } from 'node:crypto';
import { buyTicket, type ExecuteFixture, licence, payment, startExecutions } from './execute-fixture.js';
import { SECRETS } from './payments-fixture.js';

let fixture: ExecuteFixture;

const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
const execute = (request: Record<string, unknown>) =>
  fixture.bus.call(x402Contract.execute, { input: licence(), ...request } as never);
const show = (request: Record<string, unknown>) => fixture.bus.call(x402Contract.saga, request as never);
const ticketOf = async (paidBy: Record<string, unknown> = { credential: payment() }, asked = {}) =>
  (await buyTicket(fixture.bus, paidBy, asked)).ticket;
const sagaCount = async () => (await query(`SELECT count(*)::int AS count FROM saga`))[0].count as number;

/** Opens when it is told to. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>(resolve => (open = resolve));
  return { opened, open };
}

const admin = (procedure: 'sagas' | 'resumeSaga', asked: Record<string, unknown>) =>
  fixture.bus.call(adminContract[procedure], {
    ...asked,
    accountKey: SECRETS.ADMIN_KEY,
  } as never) as unknown as Promise<{
    readonly items: unknown[];
    readonly state: string;
  }>;
const sagasAtWork = async () =>
  (await query(`SELECT count(*)::int AS count FROM saga WHERE state IN ('RUNNING', 'COMPENSATING')`))[0]
    .count;

/** Looks again until it is so. @throws what the last look threw, where it hangs */
async function eventually(look: () => Promise<void>): Promise<void> {
  const deadlineMs = Date.now() + HANGS_MS;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }
}

export function describeExecutions(): void {
  describe('executions', () => {
    beforeAll(async () => {
      fixture = await startExecutions();
    });
    afterEach(async () => {
      for (const tool of [fixture.m2m, fixture.spatial]) {
        tool.failAt = undefined;
        tool.undoFails = false;
        tool.gate = undefined;
        tool.refusal = tool.beginRefusal = tool.answerRefusal = undefined;
      }
      expect(await fixture.findings()).toEqual([]);
    });
    afterAll(() => fixture?.close());

    describe('a refusal consumes nothing', () => {
      /** Whatever is tried, the ticket is as good as before. */
      const keepsTicket = async (ticket: string, code: string, request: Record<string, unknown>) => {
        const before = [await fixture.net(), await sagaCount(), await fixture.ticketRow(ticket)];
        const { payload } = await problemOf(execute({ ticket, ...request }));
        expect(payload.code).toBe(code);
        expect([await fixture.net(), await sagaCount(), await fixture.ticketRow(ticket)]).toEqual(before);
        return payload;
      };

      it('of no ticket, one that is malformed, and one that is unknown', async () => {
        expect((await problemOf(execute({}))).code).toBe('PAYMENT_REQUIRED');
        for (const ticket of [
          '',
          'x',
          'tkt_',
          `tkt_${'A'.repeat(42)}`,
          `tkt_${'A'.repeat(43)}`,
          `TKT_${'A'.repeat(43)}`,
        ])
          expect((await problemOf(execute({ ticket }))).code).toBe('TICKET_UNKNOWN');
      });

      it('of a ticket beside a payment', async () => {
        const ticket = await ticketOf();
        await keepsTicket(ticket, 'CONFLICTING_CREDENTIALS', { credential: payment() });
      });

      it("of another account's ticket; that of the payer and of the payment's credit may use it", async () => {
        const payer = await fixture.customer({ microUsd: 10_000 });
        const other = await fixture.customer({ microUsd: 10_000 });
        const ticket = await ticketOf({ accountKey: payer.key });
        await keepsTicket(ticket, 'FORBIDDEN', { accountKey: other.key });
        await keepsTicket(ticket, 'UNKNOWN_CREDENTIAL', { accountKey: 'svc_test_nobody' });
        expect((await execute({ ticket, accountKey: payer.key })).status).toBe(200);

        const card = payment({ family: 'stripe', chargeMicroUsd: 500_000 });
        const { result, credit } = await fixture.bus.call(x402Contract.verifyPayment, {
          tool: 'm2m_license_contract',
          credential: card,
        });
        await keepsTicket(result.ticket, 'FORBIDDEN', { accountKey: other.key });
        expect((await execute({ ticket: result.ticket, accountKey: credit!.key })).status).toBe(200);
      });

      it('of another agent than it was issued for', async () => {
        const ticket = await ticketOf({ credential: payment() }, { agentId: 'agent-1' });
        await keepsTicket(ticket, 'FORBIDDEN', { input: licence({ licenseeAgentId: 'agent-2' }) });
        expect((await execute({ ticket })).result.status).toBe('COMPLETED');
      });

      it('of inputs that the tool does not take, that cannot be worked on, and of what begins nothing', async () => {
        const ticket = await ticketOf();
        const { errors } = await keepsTicket(ticket, 'VALIDATION_FAILED', {
          input: licence({ streamIndex: -1, unknown: true }),
        });
        expect(errors?.map(({ path }) => path).sort()).toEqual(['streamIndex', 'unknown']);
        await keepsTicket(ticket, 'VALIDATION_FAILED', { input: licence({ capability: '\ud800' }) });
        fixture.m2m.refusal = problem('UNPROCESSABLE', 'impossible');
        await keepsTicket(ticket, 'UNPROCESSABLE', {});
        fixture.m2m.refusal = problem('OVERLOADED', 'busy', { retryAfterSeconds: 3 });
        expect(await keepsTicket(ticket, 'OVERLOADED', {})).toMatchObject({ retryAfterSeconds: 3 });
        fixture.m2m.refusal = undefined;
        fixture.m2m.beginRefusal = problem('STREAM_INDEX_STALE', 'stale');
        await keepsTicket(ticket, 'STREAM_INDEX_STALE', {});
        fixture.m2m.beginRefusal = undefined;
        expect((await execute({ ticket })).result.status).toBe('COMPLETED');
      });

      it.each([
        ['the ticket', 'execution_ticket', 'UPDATE'],
        ['the saga', 'saga', 'INSERT'],
        ['its first records', 'saga_wal', 'INSERT'],
      ])('nor does a first transaction that fails at %s', async (_, table, event) => {
        const ticket = await ticketOf();
        const before = [await fixture.net(), await sagaCount()];
        await query(`CREATE FUNCTION told_to_fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'told to fail'; END $$`);
        await query(
          `CREATE TRIGGER told BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION told_to_fail()`,
        );
        try {
          expect((await problemOf(execute({ ticket }))).status).toBeGreaterThanOrEqual(500);
        } finally {
          await query(`DROP FUNCTION told_to_fail CASCADE`);
        }
        expect([await fixture.net(), await sagaCount()]).toEqual(before);
        expect(await fixture.ticketRow(ticket)).toMatchObject({ state: 'unused', place: 'ticket' });
        expect((await execute({ ticket })).result.status).toBe('COMPLETED');
      });
    });

    describe('a ticket runs its tool', () => {
      it('once, of 100 that send it at once: one answer, and 99 are told which saga it is', async () => {
        const ticket = await ticketOf();
        const before = await sagaCount();
        const results = await Promise.allSettled(Array.from({ length: 100 }, () => execute({ ticket })));
        const answers = results.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []));
        const refusals = results.flatMap(each => (each.status === 'rejected' ? [each.reason.payload] : []));
        expect(answers).toHaveLength(1);
        expect(refusals.map(({ code }) => code)).toEqual(Array.from({ length: 99 }, () => 'TICKET_USED'));
        expect(new Set(refusals.map(({ extensions }) => extensions.sagaId))).toEqual(
          new Set([answers[0].result.sagaId]),
        );
        expect(await sagaCount()).toBe(before + 1);
      });

      it('with its capability where the call names none, and with the inputs as the catalogue parses them', async () => {
        const ticket = await ticketOf({ credential: payment() }, { capability: 'mapping' });
        const { result } = await execute({ ticket, input: { ...licence(), executionTicket: ticket } });
        expect(result.input).toEqual({
          licenseeAgentId: 'agent-1',
          licensingTier: 'm2m_continuous_metered',
          capability: 'mapping',
        });
        const own = await ticketOf({ credential: payment() }, { capability: 'mapping' });
        const answer = await execute({ ticket: own, input: licence({ capability: 'routing' }) });
        expect(answer.result.input).toMatchObject({ capability: 'routing' });
        // A tool without such an input gets none.
        const spatial = await ticketOf(
          { credential: payment() },
          { tool: 'zk_prove_spatial', capability: 'x' },
        );
        const proved = await execute({ ticket: spatial, input: { coordinates: [1, 2] } });
        expect(proved.result.input).toEqual({ coordinates: [1, 2] });
      });

      it('and what it was paid with is earned where the saga completes, and credit where it is taken back', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 20_000 });
        const planned = await fixture.customer({ plan: 'developer' });
        await execute({ ticket: await ticketOf({ accountKey: key }) });
        expect(await fixture.balanceOf(accountId)).toBe(15_000);
        for (const step of ['reserve', 'work', 'settle'] as const) {
          fixture.m2m.failAt = fixture.spatial.failAt = step;
          const ticket = await ticketOf({ accountKey: key }, { capability: step });
          const { payload } = await problemOf(execute({ ticket }));
          expect(payload).toMatchObject({
            code: 'UNPROCESSABLE',
            charged: 'no',
            extensions: {
              status: 'COMPENSATED',
              sagaId: expect.any(String),
              walHash: expect.stringMatching(/^0x/),
            },
          });
          expect(await fixture.ticketRow(ticket)).toMatchObject({ state: 'used', place: 'credit' });
          expect(await fixture.balanceOf(accountId)).toBe(15_000);

          const counted = await ticketOf(
            { accountKey: planned.key },
            { tool: 'zk_prove_spatial', capability: step },
          );
          await problemOf(execute({ ticket: counted, input: { coordinates: [1, 2] } }));
          expect(await fixture.usedRequests(planned.accountId)).toBe(0);
        }
        fixture.spatial.failAt = undefined;
        const counted = await ticketOf({ accountKey: planned.key }, { tool: 'zk_prove_spatial' });
        await execute({ ticket: counted, input: { coordinates: [1, 2] } });
        expect(await fixture.usedRequests(planned.accountId)).toBe(1);
      });

      it('and a saga that was told to fail is an answer, with the balance as before', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        fixture.m2m.failAt = 'settle';
        const answer = await execute({
          ticket: await ticketOf({ accountKey: key }),
          input: licence({ simulateFault: true }),
        });
        expect(answer).toMatchObject({ status: 200, result: { status: 'COMPENSATED' } });
        expect(await fixture.balanceOf(accountId)).toBe(5_000);
      });

      it('again in vain: the answer is read at the saga, by the ticket or the key, for a day', async () => {
        const { key } = await fixture.customer({ microUsd: 10_000 });
        const other = await fixture.customer();
        const ticket = await ticketOf({ accountKey: key });
        const { result } = await execute({ ticket });
        const { sagaId } = result;
        const shown = await show({ sagaId, ticket });
        expect(shown).toMatchObject({
          sagaId,
          sagaName: 'scripted-m2m_license_contract',
          tool: 'm2m_license_contract',
          status: 'COMPLETED',
          walCount: 8,
          result: { ...result, inputSalt: expect.stringMatching(/^[0-9a-f]{32}$/) },
        });
        expect(shown.walEvents.map(({ kind }) => kind)).toEqual([
          'SAGA_BEGIN',
          ...['STEP_INTENT', 'STEP_COMMIT', 'STEP_INTENT', 'STEP_COMMIT', 'STEP_INTENT', 'STEP_COMMIT'],
          'SAGA_COMMIT',
        ]);
        expect(shown.walEvents[0].payload).toMatchObject({
          tool: 'm2m_license_contract',
          amountMicroUsd: 5_000,
        });
        expect(shown.walHash).toBe(shown.walEvents.at(-1)!.hash);
        expect(JSON.stringify(shown.walEvents)).not.toContain('agent-1');
        expect(await show({ sagaId, accountKey: key })).toEqual(shown);

        expect((await problemOf(show({ sagaId }))).code).toBe('UNKNOWN_CREDENTIAL');
        expect((await problemOf(show({ sagaId, accountKey: other.key }))).code).toBe('FORBIDDEN');
        expect((await problemOf(show({ sagaId, ticket: await ticketOf() }))).code).toBe('FORBIDDEN');
        expect((await problemOf(show({ sagaId, ticket: 'tkt_' }))).code).toBe('TICKET_UNKNOWN');
        expect((await problemOf(show({ sagaId: randomUUID(), accountKey: key }))).code).toBe('NOT_FOUND');

        await query(
          `UPDATE execution_ticket SET answered_at = now() - interval '25 hours', answer = NULL
                  WHERE saga_id = $1`,
          [sagaId],
        );
        const later = await show({ sagaId, ticket });
        expect(later.result).toBeUndefined();
        expect(later.walEvents).toEqual(shown.walEvents);
      });

      it('whose answer cannot be made now is answered later, and nothing runs twice', async () => {
        const ticket = await ticketOf();
        const made = fixture.m2m.effects.length;
        fixture.m2m.answerRefusal = problem('SERVICE_UNAVAILABLE', 'nobody attests now', {
          retryAfterSeconds: 2,
        });
        const request = { ticket, idempotencyKey: 'later' };
        const { payload } = await problemOf(execute(request));
        expect(payload).toMatchObject({
          code: 'SERVICE_UNAVAILABLE',
          ...{ retryAfterSeconds: 2, charged: 'yes' },
          extensions: { status: 'COMPLETED', sagaId: expect.any(String) },
        });
        const { sagaId } = payload.extensions as { sagaId: string };
        expect((await show({ sagaId, ticket })).result).toBeUndefined();
        fixture.m2m.answerRefusal = undefined;
        const answer = await execute(request);
        expect(answer.result).toMatchObject({ sagaId, status: 'COMPLETED' });
        expect(await execute(request)).toEqual(answer);
        expect(fixture.m2m.effects).toHaveLength(made + 1);
      });

      it('and lies sealed: neither answer nor inputs can be read in the tables', async () => {
        const secret = `secret-${randomUUID()}`;
        await execute({ ticket: await ticketOf(), input: licence({ licenseeAgentId: secret }) });
        for (const table of ['execution_ticket', 'payment_claim', 'saga', 'saga_wal']) {
          const [{ found }] = await query(
            `SELECT count(*)::int AS found FROM ${table} AS row
          WHERE row::text LIKE '%' || $1 || '%' OR row::text LIKE '%' || encode($2, 'hex') || '%'`,
            [secret, Buffer.from(secret)],
          );
          expect([table, found]).toEqual([table, 0]);
        }
      });
    });

    describe('an Idempotency-Key', () => {
      it('brings the answer of its request again, also by another ticket of the account, and refuses another', async () => {
        const { key } = await fixture.customer({ microUsd: 50_000 });
        const [first, second] = [
          await ticketOf({ accountKey: key }, { capability: 'a' }),
          await ticketOf({ accountKey: key }, { capability: 'b' }),
        ];
        const idempotencyKey = 'purchase-1';
        const answer = await execute({ ticket: first, idempotencyKey });
        expect(await execute({ ticket: first, idempotencyKey })).toEqual(answer);
        expect(await execute({ ticket: second, idempotencyKey })).toEqual(answer);
        // Defaults are no other body, nor is the ticket's place.
        const explicit = licence({ licensingTier: 'm2m_continuous_metered', executionTicket: second });
        expect(await execute({ ticket: second, idempotencyKey, input: explicit })).toEqual(answer);
        const other = { ticket: second, idempotencyKey, input: licence({ streamIndex: 7 }) };
        expect((await problemOf(execute(other))).code).toBe('UNPROCESSABLE');
        expect((await problemOf(execute({ ...other, input: { nothing: true } }))).code).toBe('UNPROCESSABLE');
        expect(await fixture.ticketRow(second)).toMatchObject({ state: 'unused' });
        expect((await problemOf(execute({ ticket: first }))).code).toBe('TICKET_USED');
        expect((await problemOf(execute({ ticket: first, idempotencyKey: 'purchase-2' }))).code).toBe(
          'TICKET_USED',
        );

        // The keys of two payers are two keys; and a payment that proves nobody has its own.
        const stranger = await fixture.customer({ microUsd: 5_000 });
        const theirs = await execute({
          ticket: await ticketOf({ accountKey: stranger.key }),
          idempotencyKey,
        });
        expect(theirs.result.sagaId).not.toBe(answer.result.sagaId);
        const anonymous = await execute({ ticket: await ticketOf(), idempotencyKey });
        const another = await execute({ ticket: await ticketOf(), idempotencyKey });
        expect(another.result.sagaId).not.toBe(anonymous.result.sagaId);

        // A day later it stands for nothing any more.
        await query(
          `UPDATE execution_ticket SET used_at = used_at - interval '25 hours' WHERE idempotency_key = $1`,
          [idempotencyKey],
        );
        expect((await execute(other)).result.sagaId).not.toBe(answer.result.sagaId);
      });

      it('of an execution at work is told to wait, and brings its failure again', async () => {
        const { key } = await fixture.customer({ microUsd: 50_000 });
        const { opened, open } = gate();
        fixture.m2m.gate = opened;
        fixture.m2m.failAt = 'settle';
        const request = { ticket: await ticketOf({ accountKey: key }), idempotencyKey: 'at work' };
        const running = problemOf(execute(request));
        await eventually(async () => expect(await sagasAtWork()).toBe(1));
        const { payload } = await problemOf(execute(request));
        expect(payload).toMatchObject({
          code: 'CONFLICT',
          ...{ retryAfterSeconds: 1, charged: 'unknown' },
          extensions: { sagaId: expect.any(String) },
        });
        open();
        const failure = (await running).payload;
        expect(failure).toMatchObject({
          code: 'UNPROCESSABLE',
          charged: 'no',
          extensions: payload.extensions!,
        });
        expect((await problemOf(execute(request))).payload).toEqual(failure);
      });

      it('under which 30 come at once, with as many tickets, begins one saga', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 150_000 });
        const tickets: string[] = [];
        for (let i = 0; i < 30; i++)
          tickets.push(await ticketOf({ accountKey: key }, { capability: `c${i}` }));
        const before = await sagaCount();
        const results = await Promise.allSettled(
          tickets.map(ticket => execute({ ticket, idempotencyKey: 'crowd' })),
        );
        expect(await sagaCount()).toBe(before + 1);
        for (const each of results) if (each.status === 'rejected') expect(each.reason.code).toBe('CONFLICT');
        const [{ unused }] = await query(
          `SELECT count(*)::int AS unused FROM execution_ticket WHERE payer = $1 AND state = 'unused'`,
          [`account:${accountId}`],
        );
        expect(unused).toBe(29);
      });
    });

    describe('a saga that does not end in time', () => {
      it('that is stuck is answered so, is measured, and is resumed by an operator', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        fixture.m2m.failAt = 'settle';
        fixture.m2m.undoFails = true;
        const ticket = await ticketOf({ accountKey: key });
        const { status, result } = await execute({ ticket });
        expect({ status, result }).toEqual({
          status: 202,
          result: { sagaId: result.sagaId, status: 'STUCK' },
        });
        expect((await show({ sagaId: result.sagaId, ticket })).status).toBe('STUCK');
        expect(await fixture.balanceOf(accountId)).toBe(0);
        expect(await fixture.net()).toMatchObject({ 'holds:saga': 5_000 });
        expect(await fixture.findings()).toEqual([]);

        const list = async () => (await admin('sagas', { limit: 50, state: 'STUCK' })).items;
        expect(await list()).toEqual([
          expect.objectContaining({ sagaId: result.sagaId, state: 'STUCK', reason: expect.any(String) }),
        ]);
        fixture.m2m.undoFails = false;
        expect(await admin('resumeSaga', { sagaId: result.sagaId })).toMatchObject({ state: 'COMPENSATED' });
        expect(await list()).toEqual([]);
        expect(await fixture.balanceOf(accountId)).toBe(5_000);
        expect((await problemOf(admin('resumeSaga', { sagaId: result.sagaId }))).code).toBe('CONFLICT');
        expect((await problemOf(admin('resumeSaga', { sagaId: randomUUID() }))).code).toBe('NOT_FOUND');
        const [{ count }] = await query(`SELECT count(*)::int FROM admin_audit WHERE action = 'saga.resume'`);
        expect(count).toBe(3);
      });
    });
  });
}
