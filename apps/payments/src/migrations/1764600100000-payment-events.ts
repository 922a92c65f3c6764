import { EventOutboxTable } from '@svc/platform';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The events of payments that have not left yet. */
export class EventOutbox1764600000000 extends EventOutboxTable {
  readonly name = 'EventOutbox1764600000000';
}

/** A claim on a payment as an event: a CloudEvent, in the outbox of events. The payer and the credential are not in it. */
const WRITE_EVENTS = `
  INSERT INTO event_outbox (subject, event_id, data)
  SELECT 'events.payment.' || claim_id, event_id,
         json_build_object('specversion', '1.0', 'id', event_id, 'source', '/payments',
           'type', 'svc.payment.' || told || '.v1', 'subject', claim_id,
           'time', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'datacontenttype', 'application/json',
           'data', json_build_object('claimId', claim_id, 'operationId', operation_id, 'rail', rail_family,
             'funding', funding,
             'amountMicroUsd', CASE WHEN funding = 'quota' THEN 0 ELSE amount_micro_usd END,
             'amountSats', CASE WHEN funding = 'quota' THEN 0 ELSE amount_sats END, 'attempt', attempt))::text
    FROM (SELECT changed.*, 'payment:' || claim_id || ':' || attempt || ':' || told AS event_id
            FROM (%CHANGED%) changed WHERE told IS NOT NULL) event`;

/** What is told of a claim: nothing as long as its money was not taken and may yet be. */
const TOLD = `CASE n.state WHEN 'claimed' THEN CASE WHEN n.settlement = 'settled' THEN 'claimed' END
                           WHEN 'delivered' THEN 'delivered' WHEN 'credited' THEN 'released'
                           WHEN 'void' THEN 'refused' WHEN 'unknown' THEN 'unknown' END AS told`;

/**
 * Every change of a claim is told as an event, whoever makes it: the table itself writes them, a statement's at once, in
 * the transaction that makes the change.
 */
export class PaymentEvents1764600100000 implements MigrationInterface {
  readonly name = 'PaymentEvents1764600100000';

  async up(runner: QueryRunner): Promise<void> {
    const begun = `SELECT n.*, ${TOLD} FROM now_there n`;
    // Leases that are renewed and answers that are dropped change nothing that is told.
    const moved = `SELECT n.*, ${TOLD} FROM now_there n JOIN there_before o USING (claim_id)
                    WHERE (o.state, o.settlement, o.attempt) IS DISTINCT FROM (n.state, n.settlement, n.attempt)`;
    await this.tell(runner, 'payment_claim_begun', 'INSERT', 'NEW TABLE AS now_there', begun);
    await this.tell(
      runner,
      'payment_claim_moved',
      'UPDATE',
      'NEW TABLE AS now_there OLD TABLE AS there_before',
      moved,
    );
  }

  private async tell(runner: QueryRunner, name: string, event: string, tables: string, changed: string) {
    await runner.query(`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        ${WRITE_EVENTS.replace('%CHANGED%', changed)};
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER ${name} AFTER ${event} ON payment_claim REFERENCING ${tables}
        FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['payment_claim_moved', 'payment_claim_begun']) {
      await runner.query(`DROP TRIGGER ${name} ON payment_claim`);
      await runner.query(`DROP FUNCTION ${name}`);
    }
  }
}
