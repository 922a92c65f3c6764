import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { x402Contract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { buyTicket, type ExecuteFixture, licence, payment, startExecutions } from './execute-fixture.js';

let fixture: ExecuteFixture;
/** Ids of tickets in every state that there is. */
const tickets: Record<'unused' | 'completed' | 'compensated' | 'running' | 'expired', string> = {
  ...{ unused: '', completed: '', compensated: '', running: '', expired: '' },
};
let open = () => {};
let atWork: Promise<unknown> | undefined;

const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
const kinds = async () =>
  [...new Set((await fixture.findings()).map(finding => finding.split(':')[0]))].sort();

/** Does what no constraint would let pass, looks, and takes it back. */
async function whileCorrupted(sql: string, parameters: unknown[], look: () => Promise<void>): Promise<void> {
  const tables = ['ledger_entry', 'execution_ticket', 'payment_claim', 'saga'];
  // Each with the checks and triggers that stand in its way set aside for as long as it takes.
  const checks: { table: string; name: string; definition: string }[] = await query(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition
       FROM pg_constraint WHERE conrelid = 'execution_ticket'::regclass AND contype IN ('c', 'f')`,
  );
  for (const table of tables) await query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  for (const { table, name } of checks) await query(`ALTER TABLE ${table} DROP CONSTRAINT "${name}"`);
  for (const table of tables) await query(`CREATE TABLE kept_${table} AS TABLE ${table}`);
  try {
    await query(sql, parameters);
    await look();
  } finally {
    await query(`DELETE FROM ledger_entry WHERE entry_id NOT IN (SELECT entry_id FROM kept_ledger_entry)`);
    await query(
      `UPDATE execution_ticket t SET place = k.place, state = k.state, amount_micro_usd = k.amount_micro_usd,
                   funding = k.funding, saga_id = k.saga_id FROM kept_execution_ticket k
                 WHERE k.ticket_id = t.ticket_id`,
    );
    await query(
      `UPDATE payment_claim c SET state = k.state FROM kept_payment_claim k WHERE k.claim_id = c.claim_id`,
    );
    await query(`UPDATE saga s SET state = k.state, ended_at = k.ended_at, lease_until = k.lease_until
                   FROM kept_saga k WHERE k.saga_id = s.saga_id`);
    for (const table of tables) await query(`DROP TABLE kept_${table}`);
    for (const { table, name, definition } of checks)
      await query(`ALTER TABLE ${table} ADD CONSTRAINT "${name}" ${definition}`);
    for (const table of tables) await query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }
  expect(await fixture.findings()).toEqual([]);
}

export function describeTicketReconciliation(): void {
  describe('ticket reconciliation', () => {
    beforeAll(async () => {
      fixture = await startExecutions();
      const { bus, m2m, database } = fixture;
      const buy = async () => (await buyTicket(bus, { credential: payment() })).ticket;
      const execute = (ticket: string) =>
        bus.call(x402Contract.execute, { ticket, input: licence() } as never);
      const idOf = async (ticket: string) => (await fixture.ticketRow(ticket)).ticket_id as string;

      const completed = await buy();
      await execute(completed);
      m2m.failAt = 'settle';
      const compensated = await buy();
      await problemOf(execute(compensated));
      m2m.failAt = undefined;
      m2m.gate = new Promise<void>(resolve => (open = resolve));
      const running = await buy();
      atWork = execute(running).catch(() => undefined);
      while ((await fixture.ticketRow(running)).place !== 'saga');
      const expired = await buy();
      await database.query(`UPDATE execution_ticket SET expires_at = now() WHERE ticket_id = $1`, [
        await idOf(expired),
      ]);
      await problemOf(execute(expired));
      tickets.unused = await idOf(await buy());
      Object.assign(tickets, {
        ...{ completed: await idOf(completed), compensated: await idOf(compensated) },
        ...{ running: await idOf(running), expired: await idOf(expired) },
      });
    });
    afterAll(async () => {
      open();
      await atWork;
      await fixture?.close();
    });

    describe('the reconciliation of tickets', () => {
      it('finds nothing wrong with tickets of every state', async () => {
        const rows: { state: string; place: string }[] = await query(
          `SELECT DISTINCT state, place FROM execution_ticket ORDER BY 1, 2`,
        );
        expect(rows).toEqual([
          { state: 'expired', place: 'credit' },
          { state: 'unused', place: 'ticket' },
          { state: 'used', place: 'credit' },
          { state: 'used', place: 'saga' },
          { state: 'used', place: 'treasury' },
        ]);
        expect(await fixture.findings()).toEqual([]);
      });

      it.each([
        ['unused', 'treasury', ['claim-entries', 'ticket-holds-sum']],
        ['running', 'treasury', ['claim-entries', 'saga-holds-sum', 'ticket-saga']],
        ['running', 'ticket', ['claim-entries', 'saga-holds-sum', 'ticket-holds-sum']],
        ['completed', 'credit', ['claim-entries', 'ticket-saga']],
        ['compensated', 'treasury', ['claim-entries', 'ticket-saga']],
        ['expired', 'ticket', ['claim-entries', 'ticket-holds-sum']],
      ] as const)('finds a ticket, %s, that says its amount lies with %s', async (of, place, expected) => {
        await whileCorrupted(
          `UPDATE execution_ticket SET place = $2 WHERE ticket_id = $1`,
          [tickets[of], place],
          async () => {
            expect(await kinds()).toEqual(expected);
            const { claim_id } = (
              await query(`SELECT claim_id FROM execution_ticket WHERE ticket_id = $1`, [tickets[of]])
            )[0];
            const findings = await fixture.findings();
            expect(findings.find(finding => finding.startsWith('claim-entries'))).toContain(claim_id);
          },
        );
      });

      it.each([
        ['amount_micro_usd = 4999', ['claim-entries', 'ticket-claim', 'ticket-holds-sum']],
        [`funding = 'quota'`, ['claim-entries', 'ticket-claim', 'ticket-holds-sum']],
      ])('finds a ticket that is not of its claim: %s', async (assignment, expected) => {
        await whileCorrupted(
          `UPDATE execution_ticket SET ${assignment} WHERE ticket_id = $1`,
          [tickets.unused],
          async () => expect(await kinds()).toEqual(expected),
        );
      });

      it('finds a ticket whose claim was given back beside it', async () => {
        const claim = `(SELECT claim_id FROM execution_ticket WHERE ticket_id = $1)`;
        const shape = `state = 'credited', delivered_at = NULL, response_body = NULL`;
        const [before] = await query(`SELECT * FROM payment_claim WHERE claim_id = ${claim}`, [
          tickets.unused,
        ]);
        await query(`UPDATE payment_claim SET ${shape} WHERE claim_id = ${claim}`, [tickets.unused]);
        expect(await kinds()).toEqual(['ticket-claim']);
        await query(
          `UPDATE payment_claim SET state = 'delivered', delivered_at = $2, response_body = $3 WHERE claim_id = ${claim}`,
          [tickets.unused, before.delivered_at, before.response_body],
        );
        expect(await kinds()).toEqual([]);
      });

      it('finds a used ticket without its saga, and a saga without its ticket', async () => {
        await whileCorrupted(
          `UPDATE execution_ticket SET saga_id = $2 WHERE ticket_id = $1`,
          [tickets.completed, randomUUID()],
          async () => {
            expect(await kinds()).toEqual(['ticket-saga']);
            const findings = (await fixture.findings()).join('\n');
            expect(findings).toMatch(/its saga [0-9a-f-]{36} is not there/);
            expect(findings).toMatch(/saga [0-9a-f-]{36}, COMPLETED, has no ticket/);
          },
        );
      });

      it.each([
        ['completed', `state = 'COMPENSATED'`],
        ['compensated', `state = 'COMPLETED'`],
        ['completed', `state = 'STUCK', ended_at = NULL`],
        ['running', `state = 'COMPLETED', ended_at = now(), lease_until = NULL`],
        ['running', `state = 'COMPENSATED', ended_at = now(), lease_until = NULL`],
      ] as const)('finds a saga whose end is not that of its money: %s, %s', async (of, assignment) => {
        await whileCorrupted(
          `UPDATE saga SET ${assignment} WHERE saga_id = (SELECT saga_id FROM execution_ticket WHERE ticket_id = $1)`,
          [tickets[of]],
          async () => expect(await kinds()).toEqual(['ticket-saga']),
        );
      });

      it.each([
        ['holds:ticket', 'ticket-holds-sum'],
        ['holds:saga', 'saga-holds-sum'],
      ])('finds what lies on %s for nobody', async (account, kind) => {
        await whileCorrupted(
          `INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind)
       VALUES ($1, $2, 3, 'grant'), ($1, 'treasury', -3, 'grant')`,
          [randomUUID(), account],
          async () => expect(await kinds()).toEqual([kind]),
        );
      });
    });
  });
}
