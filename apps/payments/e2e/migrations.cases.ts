import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddedPostgres } from '@svc/platform';
import { startTemporaryPostgres, TemporarySchema } from '@svc/platform/testing';
import type { DataSource } from 'typeorm';
import { paymentsService } from '../src/payments.service-definition.js';
import { claimParts } from './payments-fixture.js';

const { migrations } = paymentsService;
const DIGEST = 'ab'.repeat(32);
const RECEIPT = {
  ...{ rail: 'l402', reference: 'r', amountMicroUsd: 1_000, amountSats: 2 },
  ...{ timestamp: '2026-04-02T00:00:00.000Z', headers: {} },
};

let postgres: EmbeddedPostgres;
let schema: TemporarySchema;

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

/** What lies on each account, those of all customers together. */
async function netOf(database: DataSource): Promise<Record<string, number>> {
  const rows: { account: string; net: number }[] = await database.query(
    `SELECT split_part(account, ':', 1) AS account, sum(amount_micro_usd)::int AS net FROM ledger_entry GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ account, net }) => [account, net]));
}

export function describeMigrations(): void {
  describe('migrations', () => {
    beforeAll(async () => {
      postgres = await startTemporaryPostgres();
      schema = new TemporarySchema(postgres, 'payments', migrations);
    });
    beforeEach(() => schema.empty());
    afterAll(() => postgres?.stop());

    describe('the migrations of the payments', () => {
      it.each(migrations.map((migration, i) => [migration.name, i + 1] as const))(
        '%s: undone, it leaves the schema as it was, and done again as it had been',
        async (_name, count) => {
          const { before, done, undone, redone } = await schema.redo(count);
          expect(done).not.toEqual(before);
          expect(undone).toEqual(before);
          expect(redone).toEqual(done);
        },
      );

      it('bring the claims of the first version along, and let it go on writing them', async () => {
        await schema.migratedTo(1, async database => {
          for (const state of FIRST_CLAIMS) await insertFirstClaim(database, state, state);
        });
        await schema.migratedTo(migrations.length, async database => {
          const { store, releases, sweeper } = claimParts(database);
          for (const state of FIRST_CLAIMS)
            expect(await store.find('lightning', state)).toMatchObject({
              state,
              attempt: 2,
              settlement: 'settled',
            });
          expect(store.answerOf((await store.find('lightning', 'delivered'))!)).toMatchObject({
            status: 200,
          });

          // What the first version gave back still lies in the holds: it is claimed without touching the ledger.
          const request = { operationId: 'zk.prove', requestDigest: DIGEST };
          const again = await store.claimAgain((await store.find('lightning', 'settled'))!, request);
          expect(again).toMatchObject({ attempt: 3, canBeGivenUp: true });
          expect(await netOf(database)).toEqual({ 'lightning-clearing': -3_000, holds: 3_000 });
          await releases.release(again!.claimId, 3, 'cancelled', true);

          // What it goes on giving back beside the new version becomes credit too.
          await insertFirstClaim(database, 'later', 'settled');
          await database.query(
            `UPDATE payment_claim SET lease_until = now() - interval '1 hour' WHERE proof_key = 'later'`,
          );
          expect(await sweeper.sweep()).toBe(1);
          expect(await store.find('lightning', 'later')).toMatchObject({ state: 'credited' });
          expect(await netOf(database)).toEqual({
            'lightning-clearing': -4_000,
            holds: 2_000,
            customer: 2_000,
          });
        });
      });
    });
  });
}
