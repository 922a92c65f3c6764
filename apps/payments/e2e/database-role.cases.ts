import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { type PaymentsFixture, startPayments } from './payments-fixture.js';

/** Of the tables that keep what was written, and how each may still change. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  ledger_entry: [],
  admin_audit: [],
  subscription_payment: ['checkout_id'],
  saga_wal: [],
  wal_checkpoint_leaf: [],
  wal_checkpoint: ['published_at'],
};

export function describeDatabaseRole(): void {
  describe('the database role of payments, with its service as it runs', () => {
    let fixture: PaymentsFixture;
    let client: InstanceType<typeof Client>;
    beforeAll(async () => {
      fixture = await startPayments();
      client = new Client({ connectionString: fixture.postgres.urlFor('payments') });
      await client.connect();
    });
    afterAll(async () => {
      await client?.end();
      await fixture?.close();
    });
    const refused = (sql: string) =>
      expect(client.query(sql).then(() => sql)).rejects.toMatchObject({ code: '42501' });

    it.each(Object.keys(KEPT))(
      'reads %s and adds to it, and can change nothing that is there',
      async table => {
        await client.query(`SELECT * FROM ${table}`);
        const { rows } = await client.query(
          `SELECT column_name AS name, has_column_privilege($1, column_name, 'UPDATE') AS may
         FROM information_schema.columns
        WHERE table_schema = 'payments' AND table_name = $1 AND is_identity = 'NO'`,
          [table],
        );
        expect(rows.filter(({ may }) => may).map(({ name }) => name)).toEqual(KEPT[table]);
        const column = rows.find(({ may }) => !may)!.name as string;
        for (const sql of [
          `UPDATE ${table} SET ${column} = ${column}`,
          `DELETE FROM ${table}`,
          `TRUNCATE ${table}`,
          `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
          `ALTER TABLE ${table} DROP COLUMN ${column}`,
          `ALTER TABLE ${table} RENAME TO other`,
          `DROP TABLE ${table}`,
          `CREATE RULE mine AS ON INSERT TO ${table} DO INSTEAD NOTHING`,
        ])
          await refused(sql);
      },
    );

    it('has on no table what would let it get round a trigger, and owns nothing', async () => {
      const { rows } = await client.query(
        `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'payments'::regnamespace AND relkind IN ('r', 'p')
          AND (has_table_privilege(oid, 'TRUNCATE') OR has_table_privilege(oid, 'TRIGGER')
            OR has_table_privilege(oid, 'REFERENCES') OR relowner = 'payments'::regrole)`,
      );
      expect(rows).toEqual([]);
      const { rows: others } = await client.query(
        `SELECT (SELECT count(*)::int FROM pg_proc WHERE proowner = 'payments'::regrole) AS functions,
              has_schema_privilege('payments', 'CREATE') AS creates,
              has_database_privilege(current_database(), 'TEMPORARY') AS temporary,
              has_parameter_privilege('session_replication_role', 'SET') AS replica,
              (SELECT count(*)::int FROM pg_auth_members WHERE member = 'payments'::regrole) AS roles`,
      );
      expect(others).toEqual([{ functions: 0, creates: false, temporary: false, replica: false, roles: 0 }]);
      for (const sql of [
        'CREATE TABLE payments.mine (id int)',
        'CREATE FUNCTION payments.mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
        'DROP SCHEMA payments CASCADE',
        'DELETE FROM saga',
        'SET session_replication_role = replica',
      ])
        await refused(sql);
    });

    it('is the only one that the service has connections of, once it has started', async () => {
      const [{ roles }]: { roles: string[] }[] = await fixture.database.query(
        `SELECT json_agg(DISTINCT usename) AS roles FROM pg_stat_activity WHERE application_name = 'svc-payments'`,
      );
      expect(roles).toEqual(['payments']);
    });
  });
}
