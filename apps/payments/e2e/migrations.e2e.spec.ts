import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, type EmbeddedPostgres, openDataSource, startTemporaryPostgres } from '@svc/platform';
import type { DataSource } from 'typeorm';
import { ClaimStore } from '../src/claim/claim-store.js';
import { paymentsService } from '../src/payments.service-definition.js';

const { migrations } = paymentsService;
const logger = createLogger('payments', { level: 'silent' });
const DIGEST = 'ab'.repeat(32);
const RECEIPT = {
  ...{ rail: 'l402', reference: 'r', amountMicroUsd: 1_000, amountSats: 2 },
  ...{ timestamp: '2026-04-02T00:00:00.000Z', headers: {} },
};

let postgres: EmbeddedPostgres;
beforeAll(async () => {
  postgres = await startTemporaryPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

/** The service's role may make no other schema: its own is emptied for each test. */
beforeEach(() =>
  migratedTo(0, async database => {
    await database.query(`
      DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
          EXECUTE format('DROP TABLE %I CASCADE', name);
        END LOOP;
        FOR name IN SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace LOOP
          EXECUTE format('DROP FUNCTION %I CASCADE', name);
        END LOOP;
      END $$`);
  }),
);

async function migratedTo<T>(count: number, work: (database: DataSource) => Promise<T>): Promise<T> {
  const url = postgres.urlFor('payments');
  const some = migrations.slice(0, count);
  const database = await openDataSource({ service: 'payments', url, migrations: some, logger });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/** Writes a claim with its ledger entries with the statements of the first version. */
async function insertFirstClaim(database: DataSource, proofKey: string, state: string): Promise<void> {
  const isDelivered = state === 'delivered';
  await database.query(
    `WITH claim AS (
       INSERT INTO payment_claim (claim_id, rail_family, proof_key, operation_id, request_digest, credential_digest,
         state, attempt, lease_until, amount_micro_usd, amount_sats, receipt, delivered_at, response_status,
         response_content_type, response_body)
       VALUES (gen_random_uuid(), 'lightning', $1, 'zk.prove', $2, $2, $3, 2, now() + interval '100 s', 1000, 2, $4,
         $5, $6, $7, $8) RETURNING claim_id
     )
     INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, claim_id)
     SELECT moved.id, leg.account, leg.amount, moved.claim_id
       FROM (SELECT gen_random_uuid() AS id, claim_id FROM claim) moved,
            (VALUES ('lightning-clearing', -1000), ('holds', 1000)) AS leg (account, amount)`,
    [
      ...[proofKey, DIGEST, state, JSON.stringify(RECEIPT)],
      ...(isDelivered ? [new Date(), 200, 'application/json', Buffer.from('{}')] : [null, null, null, null]),
    ],
  );
}
const FIRST_CLAIMS = ['claimed', 'settled', 'delivered'] as const;

const shapeOf = async (database: DataSource): Promise<string[]> =>
  (
    await database.query(`
      SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
        FROM information_schema.columns WHERE table_schema = current_schema()
      UNION ALL
      SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
      UNION ALL SELECT concat_ws(' ', tgname, tgrelid::regclass) FROM pg_trigger
        WHERE tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
          AND NOT tgisinternal
      UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
      ORDER BY 1`)
  ).map(({ line }: { line: string }) => line);
const withoutList = (lines: string[]) => lines.filter(line => !/migration/.test(line));

describe('the migrations of the payments', () => {
  it.each(migrations.map((migration, i) => [migration.name, i + 1] as const))(
    '%s: undone, it leaves the schema as it was, and done again as it had been',
    async (_name, count) => {
      const before = await migratedTo(count - 1, shapeOf);
      await migratedTo(count, async database => {
        const after = await shapeOf(database);
        expect(withoutList(after)).not.toEqual(withoutList(before));
        await database.undoLastMigration({ transaction: 'all' });
        expect(withoutList(await shapeOf(database))).toEqual(withoutList(before));
        await database.runMigrations({ transaction: 'all' });
        expect(await shapeOf(database)).toEqual(after);
      });
    },
  );

  it('bring the claims of the first version along, and let it go on writing them', async () => {
    await migratedTo(1, async database => {
      for (const state of FIRST_CLAIMS) await insertFirstClaim(database, state, state);
    });
    await migratedTo(migrations.length, async database => {
      const store = new ClaimStore(database);
      for (const state of FIRST_CLAIMS) expect(await store.find(state)).toMatchObject({ state, attempt: 2 });
      const request = { proofKey: 'settled', operationId: 'zk.prove', requestDigest: DIGEST };
      const again = await store.claimAgain(request);
      expect(again).toMatchObject({ attempt: 3, canBeGivenUp: true });
      await store.release(again!.claimId, 3, 'cancelled', true);
      await insertFirstClaim(database, 'later', 'settled');
      expect(await store.claimAgain({ ...request, proofKey: 'later' })).toMatchObject({ canBeGivenUp: true });

      await database.undoLastMigration({ transaction: 'all' });
      await database.runMigrations({ transaction: 'all' });
      expect(await store.find('delivered')).toMatchObject({ response: { status: 200 } });
      // What was counted is forgotten with the column, to the payer's good.
      expect(await store.claimAgain(request)).toMatchObject({ attempt: 4, canBeGivenUp: true });
      const [{ total }] = await database.query(
        'SELECT sum(amount_micro_usd)::int AS total FROM ledger_entry',
      );
      expect(total).toBe(0);
    });
  });
});
