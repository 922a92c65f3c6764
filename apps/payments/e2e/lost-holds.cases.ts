import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createLogger,
  type EmbeddedPostgres,
  MeasurementRegistry,
  openDataSource,
  startEmbeddedPostgres,
} from '@svc/platform';
import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { keyReceipt, priceOf } from '@svc/protocols';
import { DataSource } from 'typeorm';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { Accounts } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { ClaimDeliveries } from '../src/claim/claim-deliveries.js';
import { type KeyClaim, KeyClaims } from '../src/claim/key-claims.js';
import { Ledger } from '../src/ledger/ledger.js';
import { paymentKeysOf } from '../src/payments-config.js';
import { paymentsService } from '../src/payments.service-definition.js';
import { LedgerReconciliation } from '../src/reconcile/ledger-reconciliation.js';
import { callOf } from './account-fixture.js';
import { claimParts, SECRETS } from './payments-fixture.js';
import { MONEY, ScriptedRail } from './scripted-rail.js';

const PRICE = 1_000;
const logger = createLogger('payments', { level: 'silent' });
const hexOf = (text: string) => createHash('sha256').update(text).digest('hex');
const known = { production: false, secrets: SECRETS };
const RESPONSE = { status: 200, contentType: 'a/b', body: new TextEncoder().encode('{}') };

/**
 * Kills Postgres with what it had not written, between lazy holds and settlements and their deliveries and in the middle of sales: what was answered for
 * stands, what was lost was never answered for, and every request can be bought.
 * @param rounds deaths of the server
 */
export function describeLostHolds(rounds: number): void {
  describe(`Postgres, killed ${rounds} times with what it had not written`, () => {
    let folder: string;
    let postgres: EmbeddedPostgres;
    let database: DataSource;
    let claims: KeyClaims;
    let deliveries: ClaimDeliveries;
    let parts: ReturnType<typeof claimParts>;
    const rail = new ScriptedRail('x402');
    async function open(): Promise<void> {
      // Not supervised: a server that dies so often is not started again.
      const options = { logger, fsync: false, supervised: false };
      postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), ...options });
      database = await openDataSource({
        service: 'payments',
        url: postgres.urlFor('payments'),
        migrationUrl: postgres.migrationUrlFor('payments'),
        tableRights: paymentsService.tableRights,
        migrations: paymentsService.migrations,
        logger,
      });
      const keys = new ApiKeys(database, accountSecretsOf(known));
      claims = new KeyClaims(database, keys, paymentKeysOf(known));
      deliveries = new ClaimDeliveries(database, paymentKeysOf(known));
      parts = claimParts(database, [rail]);
    }
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-holds-'));
      await chmod(folder, 0o755);
      await open();
      // By default the WAL writer flushes asynchronous commits within 0.2 s; then a crash would lose none of them.
      const admin = await new DataSource({ type: 'postgres', url: postgres.adminUrl }).initialize();
      await admin.query(`ALTER SYSTEM SET wal_writer_delay = '10s'`);
      await admin.query(`SELECT pg_reload_conf()`);
      await admin.destroy();
    });
    afterAll(async () => {
      await database?.destroy();
      await postgres?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    async function customer(microUsd: number): Promise<{ accountId: string; key: string }> {
      const ledger = new Ledger();
      return database.transaction(async manager => {
        const accountId = await new Accounts().create(manager, { kind: 'purchased' });
        const { key } = await new ApiKeys(database, accountSecretsOf(known)).issue(manager, accountId);
        const legs = [
          { account: 'processor-clearing' as const, amountMicroUsd: -microUsd },
          { account: ledger.customer(accountId), amountMicroUsd: microUsd },
        ];
        await ledger.post(manager, { kind: 'top-up', legs });
        return { accountId, key };
      });
    }
    async function kill(): Promise<void> {
      process.kill(postgres.pid, 'SIGKILL');
      await database.destroy().catch(() => undefined);
      await postgres.stop();
      await open();
    }
    const heldOf = (claim: KeyClaim) => {
      if (claim.outcome !== 'claimed') throw new Error(claim.outcome);
      return claim.held;
    };
    const deliver = (claim: { claimId: string; attempt: number }) =>
      deliveries.deliver(claim.claimId, claim.attempt, RESPONSE).then(delivered => delivered?.deliveredAt);
    const answer = () => ({
      claimId: randomUUID(),
      soldAt: new Date().toISOString(),
      response: RESPONSE,
    });
    /** A payment whose money had come before, claimed without a wait for the disk; with the same proof it is claimed once. */
    const arrive = (proofKey: string) => {
      const claimId = randomUUID();
      const first = {
        ...{ claimId, family: 'lightning' as const, proofKey, operationId: 'zk.prove' },
        ...{ requestDigest: hexOf(proofKey), credentialDigest: hexOf(proofKey) },
        ...{ amountMicroUsd: PRICE, amountSats: 2, evidence: {}, paidIn: MONEY.lightning },
        receipt: keyReceipt(claimId, priceOf('zk.prove'), new Date().toISOString()),
      };
      return parts.store.claimArrived(first, { reference: proofKey, chargedMicroUsd: PRICE }, true);
    };
    const exists = async (claimId: string) =>
      (await database.query(`SELECT state FROM payment_claim WHERE claim_id = $1`, [claimId]))[0]?.state;

    /** A payment of a rail whose claim is there, and which takes the money: that is put on record without a wait for the disk. */
    async function pendingPayment(number: number) {
      const claimId = randomUUID();
      const [requestDigest, credentialDigest] = [hexOf(`asked ${number}`), hexOf(claimId)];
      const request = { operationId: 'zk.prove', requestDigest };
      const receipt = keyReceipt(claimId, priceOf('zk.prove'), new Date().toISOString());
      const first = {
        ...{
          claimId,
          family: 'x402' as const,
          proofKey: `scripted:${claimId}`,
          ...request,
          credentialDigest,
        },
        ...{ amountMicroUsd: PRICE, amountSats: 2, evidence: {}, paidIn: MONEY.x402, receipt },
      };
      const pending = await parts.store.claimPending(first);
      if (!pending || 'repeats' in pending) throw new Error('it is no first claim');
      rail.taken.set(claimId, PRICE);
      const settlement = { outcome: 'settled' as const, reference: `tx_${claimId}`, chargedMicroUsd: PRICE };
      const settle = () => parts.settlements.settled(pending.held, settlement, receipt, true);
      return { ...pending.held, request, settle };
    }
    /** What was not heard of any more is asked of the rail, and the payment buys its answer all the same. */
    async function redeem(claim: Awaited<ReturnType<typeof pendingPayment>>): Promise<void> {
      const stood = (await parts.store.findById(claim.claimId))!;
      expect(await deliver(claim)).toEqual(stood.settlement === 'settled' ? expect.any(Date) : undefined);
      if (stood.settlement === 'settled') return;
      unsettled++;
      await parts.settlements.unknown(claim.claimId, 0);
      expect(await parts.reconciler.ask(claim.claimId)).toBe(true);
      const credited = (await parts.store.findById(claim.claimId))!;
      const again = await parts.store.claimAgain(credited, claim.request);
      expect(await deliver(again!)).toBeInstanceOf(Date);
    }

    /** Where its claim was lost, its answer was not sent, and the same payment buys the call under another claim. */
    async function redeemArrived(
      proofKey: string,
      claim: { claimId: string; attempt: number },
    ): Promise<void> {
      const stood = await exists(claim.claimId);
      expect(await deliver(claim)).toEqual(stood === undefined ? undefined : expect.any(Date));
      const again = await arrive(proofKey);
      if (stood !== undefined) return void expect(again).toBeUndefined();
      unarrived++;
      expect(await deliver(again!)).toBeInstanceOf(Date);
    }

    let unarrived = 0;
    let unsettled = 0;
    let lost = 0;
    let unheard = 0;
    /** One death; how many calls were bought by its end. */
    async function round(number: number): Promise<void> {
      const { accountId, key } = await customer(10 * PRICE);
      const sold = answer();
      await claims.sell(callOf(key, 1, 'tool.get_product_catalog'), sold);
      const delivered = heldOf(await claims.claim(callOf(key, 2), true));
      expect(await deliver(delivered)).toBeInstanceOf(Date);
      const paid = await pendingPayment(number);
      const [held, other] = [callOf(key, 3), callOf(key, 4)];
      const holds = [heldOf(await claims.claim(held, true)), heldOf(await claims.claim(other, true))];
      await paid.settle();
      const proofKey = hexOf(`arrived ${number}`);
      const arrived = (await arrive(proofKey))!;
      const late = { asked: callOf(key, 5, 'tool.get_product_catalog'), answer: answer() };
      const sellLate = () =>
        claims.sell(late.asked, late.answer).then(
          () => true,
          () => false,
        );
      // Every other time in the middle of a sale, sooner or later, whose commit brings the holds to the disk too.
      const selling = number % 2 ? sellLate() : undefined;
      for (let turns = selling ? (number % 50) * 4 : 0; turns > 0; turns--) await nextTurn();
      // The pool is closed with it: what waits for an answer hears of it.
      await kill();
      const wasHeard = (await selling) ?? (await sellLate());
      expect([await exists(sold.claimId), await exists(delivered.claimId)]).toEqual([
        'delivered',
        'delivered',
      ]);
      if (wasHeard) expect(await exists(late.answer.claimId)).toBe('delivered');
      else unheard++;
      expect(await claims.sell(late.asked, late.answer)).toMatchObject(
        (await exists(late.answer.claimId)) === undefined ? {} : { claimId: late.answer.claimId },
      );
      expect(await exists(late.answer.claimId)).toBe('delivered');
      await redeem(paid);
      await redeemArrived(proofKey, arrived);
      for (const [place, hold] of holds.entries()) {
        const stood = await exists(hold.claimId);
        expect(await deliver(hold)).toEqual(stood === undefined ? undefined : expect.any(Date));
        if (stood !== undefined) continue;
        lost++;
        // The same request is bought again, under a claim of its own.
        await deliver(heldOf(await claims.claim([held, other][place], true)));
      }
      const [{ count }] = await database.query(
        `SELECT count(*)::int FROM payment_claim WHERE payer = $1 AND state = 'delivered'`,
        [`account:${accountId}`],
      );
      const { balanceMicroUsd } = (await new Accounts().find(database.manager, accountId))!;
      expect([count, balanceMicroUsd]).toEqual([5, 5 * PRICE]);
    }

    it('keeps what was answered for, and sells every request once', async () => {
      for (let number = 0; number < rounds; number++) await round(number);
      const ledger = new LedgerReconciliation(database, new MeasurementRegistry(), { logger });
      expect(await ledger.run()).toMatchObject({ findings: [] });
      expect(await database.query(`SELECT 1 FROM payment_claim WHERE state <> 'delivered'`)).toEqual([]);
      // Else nothing was tried.
      expect([lost > 0, unsettled > 0, unarrived > 0]).toEqual([true, true, true]);
      if (rounds > 20) expect(unheard).toBeGreaterThan(0);
    });
  });
}
