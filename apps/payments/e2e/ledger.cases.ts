import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, MeasurementRegistry } from '@svc/platform';
import { byTier } from '@svc/platform/testing';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { customer, InsufficientCredit, Ledger, type LedgerLeg } from '../src/ledger/ledger.js';
import { LedgerReconciliation } from '../src/reconcile/ledger-reconciliation.js';
import { type AccountsFixture, callOf, startAccounts } from './account-fixture.js';

let fixture: AccountsFixture;
let measurements: MeasurementRegistry;
let reconciliation: LedgerReconciliation;

const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
const post = (legs: LedgerLeg[], kind = 'grant') =>
  fixture.database.transaction(manager => fixture.ledger.post(manager, { kind, legs }));
const grant = (accountId: string, amountMicroUsd: number) =>
  post([
    { account: 'treasury', amountMicroUsd: -amountMicroUsd },
    { account: customer(accountId), amountMicroUsd },
  ]);
/** Entries as they are, in one statement: account, amount, number, balance after. */
const insert = (...entries: [string, number, number | null, number | null][]) => {
  const transactionId = randomUUID();
  const values = entries.map(
    (_, i) => `('${transactionId}', $${4 * i + 1}, $${4 * i + 2}, 'grant', $${4 * i + 3}, $${4 * i + 4})`,
  );
  return query(
    `INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, account_seq, balance_after)
     VALUES ${values.join(', ')}`,
    entries.flat(),
  );
};
/** What Postgres says to statements that run in one transaction, at its end at the latest. */
const refusalOf = (
  work: (query: (sql: string, parameters?: unknown[]) => Promise<unknown>) => Promise<unknown>,
) =>
  fixture.database
    .transaction(manager => work((sql, parameters) => manager.query(sql, parameters)))
    .then(
      () => 'nothing',
      (error: Error) => error.message,
    );
const move = (accountId: string, balance: number, seq: number): [sql: string, values: unknown[]] => [
  'UPDATE account SET balance_micro_usd = $2, ledger_seq = $3 WHERE account_id = $1',
  [accountId, balance, seq],
];

export function describeLedger(): void {
  describe('ledger', () => {
    beforeAll(async () => {
      fixture = await startAccounts();
      measurements = new MeasurementRegistry();
      const logger = createLogger('payments', { level: 'silent' });
      reconciliation = new LedgerReconciliation(fixture.database, measurements, { logger });
    });
    afterAll(() => fixture?.close());

    describe('Postgres refuses', () => {
      it('a transaction that does not sum to zero, whole or in parts', async () => {
        await expect(insert(['holds', 5, null, null], ['treasury', -4, null, null])).rejects.toThrow(
          /sums to 1, not to zero/,
        );
        await expect(insert(['holds', 5, null, null])).rejects.toThrow(/sums to 5/);
        await insert(['holds', 5, null, null], ['treasury', -5, null, null]);
        await insert(['holds', -5, null, null], ['treasury', 5, null, null]);
      });

      it('to change or drop what was booked: the service has no right to, and who owns the tables is told so', async () => {
        for (const sql of [
          'UPDATE ledger_entry SET kind = kind',
          'DELETE FROM ledger_entry',
          'TRUNCATE ledger_entry',
        ]) {
          await expect(query(sql)).rejects.toThrow('permission denied for table ledger_entry');
          await expect(fixture.owner.query(sql)).rejects.toThrow('the ledger is append only');
        }
      });

      it('an entry of a customer that does not go on from the one before', async () => {
        const { accountId } = await fixture.customer({ microUsd: 100 });
        const account = customer(accountId);
        const tries: [name: string, seq: number, balance: number][] = [
          ['a number left out', 3, 110],
          ['a number again', 1, 110],
          ['another balance', 2, 111],
        ];
        for (const [, seq, balance] of tries) {
          const refusal = await refusalOf(async run => {
            await run(...move(accountId, balance, seq));
            await run(
              `INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, account_seq, balance_after)
           VALUES ($1, 'treasury', -10, 'grant', NULL, NULL), ($1, $2, 10, 'grant', $3, $4)`,
              [randomUUID(), account, seq, balance],
            );
          });
          expect(refusal).toMatch(/does not go on from the one before it|duplicate key value/);
        }
        await expect(insert(['treasury', -10, null, null], [account, 10, null, null])).rejects.toThrow(
          /is_numbered|has_balance/,
        );
        await expect(insert(['treasury', -10, 1, null], ['holds', 10, null, null])).rejects.toThrow(
          /is_numbered|has_balance/,
        );
        await expect(insert(['treasury', -10, null, null], [account, 10, 2, null])).rejects.toThrow(
          /is_numbered|has_balance/,
        );
        expect(await fixture.balanceOf(accountId)).toBe(100);
      });

      it('entries whose account did not move, and an account that moves without entries', async () => {
        const { accountId } = await fixture.customer({ microUsd: 100 });
        const entries = insert(['treasury', -10, null, null], [customer(accountId), 10, 2, 110]);
        await expect(entries).rejects.toThrow(/is not the balance of its account/);
        for (const [balance, seq] of [
          [101, 1],
          [100, 2],
          [0, 0],
        ]) {
          expect(await refusalOf(run => run(...move(accountId, balance, seq)))).toMatch(
            /is not that of its newest entry/,
          );
        }
        const made = query(
          `INSERT INTO account (account_id, kind, balance_micro_usd) VALUES ($1, 'purchased', 5)`,
          [`acct_${'z'.repeat(20)}`],
        );
        await expect(made).rejects.toThrow(/is not that of its newest entry/);
        await query(`DELETE FROM api_key WHERE account_id = $1`, [accountId]);
        await expect(query(`DELETE FROM account WHERE account_id = $1`, [accountId])).rejects.toThrow(
          /is not that of its newest entry/,
        );
      });

      it('a balance below zero, and one that is moved back after its entries', async () => {
        const { accountId } = await fixture.customer({ microUsd: 100 });
        expect(await refusalOf(run => run(...move(accountId, -1, 1)))).toMatch(/check constraint/);
        const refusal = await fixture.database
          .transaction(async manager => {
            const legs = [
              { account: 'treasury' as const, amountMicroUsd: -10 },
              { account: customer(accountId), amountMicroUsd: 10 },
            ];
            await fixture.ledger.post(manager, { kind: 'grant', legs });
            await manager.query(...move(accountId, 100, 1));
          })
          .catch((error: Error) => error.message);
        expect(refusal).toMatch(/is not that of its newest entry/);
        expect(await fixture.balanceOf(accountId)).toBe(100);
      });
    });

    describe('the ledger', () => {
      it('refuses legs that do not sum to zero, and amounts that are none, before it books', async () => {
        const { accountId } = await fixture.customer();
        const account = customer(accountId);
        const bad: LedgerLeg[][] = [
          [],
          [{ account: 'holds', amountMicroUsd: 1 }],
          [
            { account: 'holds', amountMicroUsd: 2 },
            { account: 'treasury', amountMicroUsd: -1 },
          ],
          [
            { account: 'holds', amountMicroUsd: 0 },
            { account: 'treasury', amountMicroUsd: 0 },
          ],
          [
            { account, amountMicroUsd: 0.5 },
            { account: 'treasury', amountMicroUsd: -0.5 },
          ],
          [
            { account, amountMicroUsd: 2 ** 60 },
            { account: 'treasury', amountMicroUsd: -(2 ** 60) },
          ],
          [
            { account, amountMicroUsd: Number.NaN },
            { account: 'treasury', amountMicroUsd: Number.NaN },
          ],
        ];
        for (const legs of bad) await expect(post(legs)).rejects.toThrow(RangeError);
        await expect(grant(`acct_${'a'.repeat(20)}`, 5)).rejects.toThrow('there is no account');
        expect(await fixture.balanceOf(accountId)).toBe(0);
      });

      it('lets a transaction go on after credit was too little, with nothing booked of it', async () => {
        const { accountId } = await fixture.customer({ microUsd: 10 });
        await fixture.database.transaction(async manager => {
          const legs = (amountMicroUsd: number): LedgerLeg[] => [
            { account: customer(accountId), amountMicroUsd: -amountMicroUsd },
            { account: 'holds', amountMicroUsd },
          ];
          const tooMuch = fixture.ledger.post(manager, { kind: 'claim', legs: legs(11) });
          await expect(tooMuch).rejects.toThrow(new InsufficientCredit(accountId, 10, 11));
          await fixture.ledger.post(manager, { kind: 'claim', legs: legs(10) });
        });
        expect(await fixture.balanceOf(accountId)).toBe(0);
        await grant(accountId, 10);
        await post([
          { account: 'holds', amountMicroUsd: -10 },
          { account: 'treasury', amountMicroUsd: 10 },
        ]);
      });

      it('moves a customer twice in one posting, and two customers against each other without a deadlock', async () => {
        const [one, two] = [
          await fixture.customer({ microUsd: 1_000 }),
          await fixture.customer({ microUsd: 1_000 }),
        ];
        const transfer = (from: string, to: string, amountMicroUsd: number) =>
          post([
            { account: customer(from), amountMicroUsd: -amountMicroUsd },
            { account: customer(to), amountMicroUsd: amountMicroUsd - 1 },
            { account: customer(from), amountMicroUsd: 1 },
          ]);
        await Promise.all(
          Array.from({ length: 40 }, (_, i) =>
            i % 2 ? transfer(one.accountId, two.accountId, 10) : transfer(two.accountId, one.accountId, 10),
          ),
        );
        expect(await fixture.balanceOf(one.accountId)).toBe(1_000);
        expect(await fixture.balanceOf(two.accountId)).toBe(1_000);
      });

      it('agrees with a plain model after any sequence of bookings, run at once', async () => {
        const amount = fc.integer({ min: 1, max: 400 });
        const step = fc.record({
          kind: fc.constantFrom('top-up', 'claim', 'deliver', 'release'),
          who: fc.nat({ max: 2 }),
          amount,
        });
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async steps => {
            const ids = await Promise.all(
              [0, 1, 2].map(() => fixture.customer().then(each => each.accountId)),
            );
            const model = new Map<string, number>();
            const legsOf = ({ kind, who, amount: sum }: (typeof steps)[number]): LedgerLeg[] => {
              const account = customer(ids[who]);
              if (kind === 'top-up')
                return [
                  { account: 'processor-clearing', amountMicroUsd: -sum },
                  { account, amountMicroUsd: sum },
                ];
              if (kind === 'claim')
                return [
                  { account, amountMicroUsd: -sum },
                  { account: 'holds', amountMicroUsd: sum },
                ];
              if (kind === 'deliver')
                return [
                  { account: 'holds', amountMicroUsd: -sum },
                  { account: 'treasury', amountMicroUsd: sum },
                ];
              return [
                { account: 'holds', amountMicroUsd: -sum },
                { account, amountMicroUsd: sum },
              ];
            };
            await Promise.all(
              steps.map(async each => {
                const legs = legsOf(each);
                try {
                  await post(legs, each.kind);
                } catch (error) {
                  if (error instanceof InsufficientCredit) return;
                  throw error;
                }
                for (const leg of legs)
                  model.set(leg.account, (model.get(leg.account) ?? 0) + leg.amountMicroUsd);
              }),
            );
            for (const id of ids) {
              const balance = await fixture.balanceOf(id);
              expect(balance).toBe(model.get(customer(id)) ?? 0);
              expect(balance).toBeGreaterThanOrEqual(0);
            }
            expect([...model.values()].reduce((sum, each) => sum + each, 0)).toBe(0);
            const [{ total }] = await query('SELECT sum(amount_micro_usd)::int AS total FROM ledger_entry');
            expect(total).toBe(0);
          }),
          { numRuns: byTier(8, 100), seed: 1763800000 },
        );
        const { findings } = await reconciliation.run();
        expect(findings.filter(({ kind }) => kind !== 'holds-sum')).toEqual([]);
      });
    });

    describe('the reconciliation', () => {
      /** Does what no constraint would let pass, as a fault of a disk or a hand in the database would. */
      const corrupt = (sql: string, parameters: unknown[] = []) =>
        fixture.owner.transaction(async manager => {
          for (const table of ['ledger_entry', 'account'])
            await manager.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
          const rows: unknown = await manager.query(sql, parameters);
          for (const table of ['ledger_entry', 'account'])
            await manager.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
          return rows;
        });
      const found = async () => (await reconciliation.run()).findings.map(({ kind, id }) => ({ kind, id }));
      let known: { kind: string; id: string }[];
      beforeAll(async () => {
        // What the bookings above hold for no claim.
        known = await found();
        expect(known.every(({ kind }) => kind === 'holds-sum')).toBe(true);
        const [{ held }] = await query(
          `SELECT coalesce(sum(amount_micro_usd), 0)::int AS held FROM ledger_entry WHERE account = 'holds'`,
        );
        if (held !== 0)
          await post([
            { account: 'holds', amountMicroUsd: -held },
            { account: 'treasury', amountMicroUsd: held },
          ]);
      });

      it('finds nothing wrong with what was booked, claims of every funding among it', async () => {
        const credit = await fixture.customer({ microUsd: 10_000 });
        const plan = await fixture.customer({ plan: 'developer' });
        for (const { key } of [credit, plan, credit]) await fixture.keyClaims.claim(callOf(key));
        expect(await reconciliation.run()).toMatchObject({
          balanced: true,
          imbalanceMicroUsd: 0,
          findings: [],
        });
        expect(measurements.snapshot().ledgerImbalanceMicroUsd).toMatchObject({ value: 0, samples: 1 });
        expect(await reconciliation.round()).toMatchObject({ balanced: true });
      });

      it('finds a transaction that does not sum to zero, and measures by how much', async () => {
        const transactionId = randomUUID();
        const written = `INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind) VALUES ($1, 'treasury', 7, 'grant')`;
        await corrupt(written, [transactionId]);
        expect(await found()).toEqual([
          { kind: 'ledger-sum', id: '' },
          { kind: 'transaction-sum', id: transactionId },
        ]);
        expect(measurements.snapshot().ledgerImbalanceMicroUsd).toMatchObject({ value: 14 });
        await corrupt(`DELETE FROM ledger_entry WHERE transaction_id = $1`, [transactionId]);
        expect(await found()).toEqual([]);
      });

      it('finds a balance that is not the sum of its entries', async () => {
        const { accountId } = await fixture.customer({ microUsd: 1_000 });
        await corrupt(...move(accountId, 1_001, 1));
        expect(await found()).toEqual([{ kind: 'account-balance', id: accountId }]);
        await corrupt(...move(accountId, 1_000, 2));
        expect(await found()).toEqual([{ kind: 'account-balance', id: accountId }]);
        await corrupt(...move(accountId, 1_000, 1));
      });

      it('finds an entry whose balance is not that of those before it, and entries of no account', async () => {
        const { accountId } = await fixture.customer({ microUsd: 1_000 });
        await grant(accountId, 10);
        const [[{ entry_id: id }]] = (await corrupt(
          `UPDATE ledger_entry SET balance_after = 1 WHERE account = $1 AND account_seq = 1 RETURNING entry_id`,
          [customer(accountId)],
        )) as [{ entry_id: string }[]];
        expect(await found()).toEqual([{ kind: 'entry-chain', id }]);
        await corrupt(`UPDATE ledger_entry SET balance_after = 1000 WHERE entry_id = $1`, [id]);
        await query(`DELETE FROM api_key WHERE account_id = $1`, [accountId]);
        const [[kept]] = (await corrupt(`DELETE FROM account WHERE account_id = $1 RETURNING *`, [
          accountId,
        ])) as [object[]];
        expect(await found()).toEqual([{ kind: 'account-missing', id: customer(accountId) }]);
        await corrupt(`INSERT INTO account SELECT * FROM jsonb_populate_record(NULL::account, $1)`, [
          JSON.stringify(kept),
        ]);
        expect(await found()).toEqual([]);
      });

      it.each([
        [`state = 'credited'`, 'given back, with its amount still held'],
        [`funding = 'quota'`, 'of the quota, with entries'],
        [`amount_micro_usd = 999`, 'of another amount than was held'],
        [
          `state = 'delivered', delivered_at = now(), response_status = 200, response_content_type = 'a/b', response_body = ''`,
          'delivered, and not earned',
        ],
        [`funding = 'rail'`, 'of a rail that brought nothing'],
        [`settlement = 'pending'`, 'held before it was settled'],
      ])('finds a claim whose entries are not those of its state: %s', async assignments => {
        const { key } = await fixture.customer({ microUsd: 1_000 });
        const claim = await fixture.keyClaims.claim(callOf(key));
        const id = claim.outcome === 'claimed' ? claim.held.claimId : '';
        const [before] = await query(`SELECT * FROM payment_claim WHERE claim_id = $1`, [id]);
        await query(`UPDATE payment_claim SET ${assignments} WHERE claim_id = $1`, [id]);
        expect(await found()).toContainEqual({ kind: 'claim-entries', id });
        await query(
          `UPDATE payment_claim SET state = $2, funding = $3, settlement = 'settled', amount_micro_usd = 1000,
         delivered_at = NULL, response_body = NULL WHERE claim_id = $1`,
          [id, before.state, before.funding],
        );
        expect(await found()).toEqual([]);
      });

      it('finds what is held for nobody', async () => {
        await post([
          { account: 'treasury', amountMicroUsd: -3 },
          { account: 'holds', amountMicroUsd: 3 },
        ]);
        expect((await reconciliation.run()).findings).toEqual([
          {
            kind: 'holds-sum',
            id: '',
            detail: expect.stringMatching(/is held, and calls that run and refunds on their way are due/),
            offMicroUsd: 3,
          },
        ]);
        await post([
          { account: 'treasury', amountMicroUsd: 3 },
          { account: 'holds', amountMicroUsd: -3 },
        ]);
      });

      it('leaves a round to another instance that is at it', async () => {
        await fixture.database.transaction(async manager => {
          await manager.query(
            `SELECT pg_advisory_xact_lock(hashtextextended('svc ledger reconciliation', 0))`,
          );
          expect(await reconciliation.round()).toBeUndefined();
          expect(await reconciliation.run()).toMatchObject({ balanced: true });
        });
      });
    });

    it('the ledger names customers by their account', () => {
      expect(new Ledger().customer('acct_x')).toBe('customer:acct_x');
    });
  });
}
