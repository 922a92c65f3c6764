import { cardsContract, type SalesImport } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { daysAgo, importCsv, importSales, JORDAN, saleRow, startWithoutCards } from './card-fixture.js';
import { type DepartmentFixture } from './department-fixture.js';
import { OPERATOR, OPERATOR_KEY } from './payments-stand-in.js';

let department: DepartmentFixture;
const bus = () => department.bus;

const rowsOf = (sql: string, values: unknown[] = []): Promise<Record<string, never>[]> =>
  department.database.query(sql, values);
const countOf = async (table: string) => Number((await rowsOf(`SELECT count(*) AS n FROM ${table}`))[0].n);
const counts = ({ rows, accepted, duplicates, quarantined, newCards }: SalesImport) => ({
  ...{ rows, accepted, duplicates, quarantined, newCards },
});
const waiting = async () =>
  (await bus().call(cardsContract.quarantine, { accountKey: OPERATOR_KEY, limit: 200 })).items;
const resolve = (quarantineId: string, action: 'accept' | 'discard', sale?: Record<string, unknown>) =>
  bus().call(cardsContract.resolveQuarantine, {
    accountKey: OPERATOR_KEY,
    quarantineId,
    request: { action, sale },
  });

const HEADER = 'itemId,venue,year,set,number,player,company,grade,price,currency,soldAt,saleType';
const NINE_DAYS_AGO = daysAgo(9);
const line = (itemId: string, more: { player?: string; price?: string } = {}) =>
  `${itemId},Openbid,1986,Fleer,57,${more.player ?? 'Michael Jordan'},PSA,8,${more.price ?? '5000'},USD,${NINE_DAYS_AGO},auction`;

/** All that one import may have, or a part. */
const MANY = process.env.SUITE_TIER === 'long' ? 20_000 : 1_500;

export function describeCardSales(): void {
  describe('card sales', () => {
    beforeAll(async () => {
      department = await startWithoutCards();
    });
    afterAll(() => department?.close());
    beforeEach(async () => {
      await department.database.query(`TRUNCATE card_quarantine, card_sale, card, card_import`);
    });

    test('each row is accepted, known already, or quarantined with its reasons', async () => {
      const row = saleRow();
      await importSales(department, [row]);
      const bad = saleRow({ currency: 'EUR', soldAt: '1980-01-01' });
      const answer = await importSales(department, [row, saleRow(), bad, saleRow({ price: 'much' }), row]);
      expect(counts(answer)).toEqual({ rows: 5, accepted: 1, duplicates: 2, quarantined: 2, newCards: 0 });
      expect(answer.faults).toEqual([
        { row: 3, field: 'soldAt', message: 'lies before 1990', got: '1980-01-01' },
        {
          row: 3,
          field: 'currency',
          message: 'EUR is not USD, and no rate of its day came along',
          got: 'EUR',
        },
        { row: 4, field: 'price', message: 'a decimal amount such as 125.00', got: 'much' },
      ]);
      const kept = await waiting();
      expect(kept.map(({ row, importId }) => [row, importId])).toEqual([
        [3, answer.importId],
        [4, answer.importId],
      ]);
      expect(kept[0].sale).toEqual(bad);
      expect(kept[1].reasons).toEqual(['price: a decimal amount such as 125.00']);
    });

    test('a dry run says what would become of the rows, and keeps nothing', async () => {
      const rows = [saleRow(), saleRow({ grade: 11 })];
      await importSales(department, rows.slice(0, 1));
      const asked = [...rows, saleRow({ card: { ...JORDAN, number: '58' } })];
      const tried = await bus().call(cardsContract.importSales, {
        accountKey: OPERATOR_KEY,
        request: { sales: asked, dryRun: true },
      });
      expect(tried.importId).toBeNull();
      expect(counts(tried)).toEqual({ rows: 3, accepted: 1, duplicates: 1, quarantined: 1, newCards: 1 });
      expect(tried.faults).toEqual([expect.objectContaining({ row: 2, field: 'grade' })]);
      const kept = await Promise.all(['card_sale', 'card', 'card_quarantine', 'card_import'].map(countOf));
      expect(kept).toEqual([1, 1, 0, 1]);
      expect(counts(await importSales(department, asked))).toEqual(counts(tried));
    });

    test('sales in other currencies are kept as they were, and count in dollars by the rate that came along', async () => {
      const soldAt = daysAgo(10);
      const rate = { usd: '1.25', date: soldAt.slice(0, 10), source: 'ECB' };
      const euros = saleRow({ price: '4000.00', fees: '8.01', currency: 'EUR', soldAt, rate });
      const text = `${HEADER},usdRate,rateDate,rateSource\n${line('g1')},,,\n${line('g2').replace(',USD,', ',GBP,')},1.3,${NINE_DAYS_AGO.slice(0, 10)},ECB\n`;
      expect(counts(await importSales(department, [euros, euros]))).toMatchObject({
        accepted: 1,
        duplicates: 1,
      });
      expect(counts(await importCsv(department, text))).toMatchObject({ accepted: 2, quarantined: 0 });
      expect(
        await rowsOf(
          `SELECT price::text, currency, price_usd::text, rate_source FROM card_sale ORDER BY sale_id`,
        ),
      ).toEqual([
        { price: '4000.00', currency: 'EUR', price_usd: '5010.01', rate_source: 'ECB' },
        { price: '5000.00', currency: 'USD', price_usd: '5000.00', rate_source: null },
        { price: '5000.00', currency: 'GBP', price_usd: '6500.00', rate_source: 'ECB' },
      ]);
    });

    test('TAG, labels of their own, and ungraded cards are populations of their own', async () => {
      const labels = [
        { company: 'RAW', grade: undefined },
        { company: 'TAG', grade: 10, qualifier: 'PRISTINE' },
        { company: 'BGS', grade: 10, qualifier: 'BLACK' },
        { company: 'BGS', grade: 10 },
      ];
      const rows = labels.flatMap((label, i) =>
        [1, 2, 3, 4, 5, 6].map(days =>
          saleRow({ ...label, price: `${100 * (i + 1)}.00`, soldAt: daysAgo(days), venue: `v${days}` }),
        ),
      );
      expect(counts(await importSales(department, rows))).toMatchObject({ accepted: rows.length });
      for (const [i, label] of labels.entries()) {
        const answer = await bus().call(cardsContract.value, {
          cardKey: '1986-fleer-57-michael-jordan',
          company: label.company as 'TAG',
          ...(label.grade && { grade: label.grade }),
          ...(label.qualifier && { qualifier: label.qualifier }),
        });
        expect(answer).toMatchObject({ n: 6, medianUsd: 100 * (i + 1), grade: label.grade ?? null });
      }
    });

    test('members whose names no database can store are quarantined, and fail nobody', async () => {
      const answer = await importSales(department, [
        saleRow(),
        { ...saleRow(), 'a\u0000b': 1 },
        { '\ud800': 1 },
      ]);
      expect(counts(answer)).toMatchObject({ accepted: 1, quarantined: 2 });
      expect((await waiting())[0].reasons).toEqual(['a\ufffdb: unknown field']);
    });

    test('who brought what in is on record, and the service cannot change it', async () => {
      await importSales(department, [saleRow(), saleRow({ grade: 11 })]);
      const [record] = await rowsOf(`SELECT * FROM card_import`);
      expect(record).toMatchObject({
        ...{ source: 'json', account_id: OPERATOR.accountId, key_id: OPERATOR.keyId },
        ...{ row_count: 2, accepted: 1, duplicates: 0, quarantined: 1 },
      });
      const rights = await rowsOf(
        `SELECT has_table_privilege('department', 'card_import', 'UPDATE') AS updates,
            has_table_privilege('department', 'card_import', 'DELETE') AS deletes,
            has_table_privilege('department', 'card_sale', 'DELETE') AS forgets`,
      );
      expect(rights).toEqual([{ updates: false, deletes: false, forgets: false }]);
    });

    test('the same file again brings nothing new, and its bad rows wait once', async () => {
      const rows = [saleRow(), saleRow({ grade: 9 }), saleRow({ currency: 'JPY' })];
      await importSales(department, rows);
      const again = await importSales(department, rows);
      expect(counts(again)).toEqual({ rows: 3, accepted: 0, duplicates: 2, quarantined: 1, newCards: 0 });
      expect(await countOf('card_sale')).toBe(2);
      expect(await waiting()).toHaveLength(1);
    });

    test('an item of a venue that comes with other data is set aside; the first stays', async () => {
      const row = saleRow({ price: '5000.00' });
      const answer = await importSales(department, [row, { ...row, price: '6000.00' }]);
      expect(counts(answer)).toMatchObject({ accepted: 1, duplicates: 0, quarantined: 1 });
      const later = await importSales(department, [{ ...row, venue: 'HARBOR auctions', grade: 9 }]);
      expect(later.faults).toEqual([
        { row: 1, field: 'itemId', message: 'is known of this venue as another sale' },
      ]);
      expect(await rowsOf(`SELECT price::text, grade::text FROM card_sale`)).toEqual([
        { price: '5000.00', grade: '8.0' },
      ]);
    });

    test('imports of the same rows at once store each once', async () => {
      const rows = Array.from({ length: 300 }, (_, i) => saleRow({ grade: 1 + (i % 10) }));
      const shuffled = [rows, rows.toReversed(), rows.slice(100), rows.slice(0, 200).toReversed()];
      const answers = await Promise.all(shuffled.map(part => importSales(department, part)));
      expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(300);
      expect(answers.every(({ quarantined }) => quarantined === 0)).toBe(true);
      expect(await countOf('card_sale')).toBe(300);
      expect(await countOf('card')).toBe(1);
    });

    test('nothing of an import stays when it fails at its end', async () => {
      await department.database.query(
        `ALTER TABLE card_import ADD CONSTRAINT refused CHECK (account_id <> '${OPERATOR.accountId}')`,
      );
      try {
        const { code } = await problemOf(importSales(department, [saleRow(), saleRow({ currency: 'EUR' })]));
        expect(code).toBe('INTERNAL');
      } finally {
        await department.database.query(`ALTER TABLE card_import DROP CONSTRAINT refused`);
      }
      for (const table of ['card', 'card_sale', 'card_quarantine', 'card_import'])
        expect([table, await countOf(table)]).toEqual([table, 0]);
    });

    test('prices far from those that are known of the card are not believed until a person does', async () => {
      await importSales(
        department,
        Array.from({ length: 6 }, (_, i) => saleRow({ price: `${5_000 + i}.00` })),
      );
      const answer = await importSales(department, [
        saleRow({ price: '200000.00' }),
        saleRow({ price: '249.00' }),
      ]);
      expect(counts(answer)).toMatchObject({ accepted: 0, quarantined: 2 });
      const [dear] = await waiting();
      expect(dear.reasons).toEqual(['price: is 40 times the median of 6 sales of the card in this grade']);
      const accepted = await resolve(dear.quarantineId, 'accept');
      expect(accepted).toMatchObject({ state: 'accepted', saleId: expect.stringMatching(/^s[0-9]+$/) });
      expect(await rowsOf(`SELECT max(price_usd)::text AS dearest FROM card_sale`)).toEqual([
        { dearest: '200000.00' },
      ]);
    });

    test('the service refuses a key without the scope, though the caller is trusted', async () => {
      await importSales(department, [saleRow(), saleRow({ currency: 'EUR' })]);
      const [{ quarantineId }] = await waiting();
      const accountKey = 'svc_test_holder';
      const asked = [
        bus().call(cardsContract.importSales, { accountKey, request: { sales: [saleRow()] } }),
        bus().call(cardsContract.quarantine, { accountKey, limit: 200 }),
        bus().call(cardsContract.resolveQuarantine, {
          ...{ accountKey, quarantineId, request: { action: 'discard' } },
        }),
      ];
      for (const each of asked) expect((await problemOf(each)).code).toBe('FORBIDDEN');
      expect([await countOf('card_sale'), (await waiting()).length]).toEqual([1, 1]);
    });

    test('a row is accepted as corrected, discarded, or replaces the sale that it conflicts with; once', async () => {
      const row = saleRow({ price: '5000.00' });
      await importSales(department, [
        row,
        saleRow({ currency: 'EUR', price: '10.00' }),
        saleRow({ grade: 10.3 }),
      ]);
      await importSales(department, [{ ...row, price: '5100.00' }]);
      const [foreign, wrong, conflicting] = await waiting();

      const refused = await problemOf(resolve(foreign.quarantineId, 'accept'));
      expect(refused.payload).toMatchObject({ code: 'UNPROCESSABLE', errors: [{ path: 'sale.currency' }] });
      const corrected = { ...foreign.sale, currency: 'USD', price: '10.80' };
      expect(await resolve(foreign.quarantineId, 'accept', corrected)).toMatchObject({ state: 'accepted' });
      expect(await resolve(wrong.quarantineId, 'discard')).toMatchObject({
        state: 'discarded',
        saleId: null,
      });
      const replaced = await resolve(conflicting.quarantineId, 'accept');
      expect(replaced.state).toBe('accepted');
      expect(await rowsOf(`SELECT price::text FROM card_sale ORDER BY price`)).toEqual([
        { price: '10.80' },
        { price: '5100.00' },
      ]);
      const [kept] =
        await rowsOf(`SELECT replaced->>'price' AS price, resolved_by FROM card_quarantine WHERE state = 'accepted'
    AND replaced IS NOT NULL`);
      expect(kept).toEqual({ price: '5000', resolved_by: `${OPERATOR.accountId} ${OPERATOR.keyId}` });

      for (const { quarantineId } of [foreign, wrong, conflicting]) {
        expect((await problemOf(resolve(quarantineId, 'discard'))).code).toBe('CONFLICT');
      }
      expect((await problemOf(resolve('q999999', 'discard'))).code).toBe('NOT_FOUND');
      expect(await waiting()).toEqual([]);
    });

    test('a row that is resolved twice at once is resolved by one', async () => {
      await importSales(department, [saleRow({ currency: 'EUR' })]);
      const [{ quarantineId, sale }] = await waiting();
      const fixed = { ...sale, currency: 'USD' };
      const outcomes = await Promise.allSettled([
        resolve(quarantineId, 'accept', fixed),
        resolve(quarantineId, 'discard'),
        resolve(quarantineId, 'accept', fixed),
      ]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('a row that became known meanwhile is a duplicate', async () => {
      const row = saleRow();
      await importSales(department, [{ ...row, currency: 'EUR' }]);
      await importSales(department, [row]);
      const [{ quarantineId }] = await waiting();
      expect(await resolve(quarantineId, 'accept', row)).toMatchObject({ state: 'duplicate' });
      expect(await countOf('card_sale')).toBe(1);
    });

    test('the quarantine is listed page by page, and a cursor of elsewhere is refused', async () => {
      await importSales(
        department,
        Array.from({ length: 5 }, () => saleRow({ currency: 'EUR' })),
      );
      const seen: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await bus().call(cardsContract.quarantine, {
          accountKey: OPERATOR_KEY,
          limit: 2,
          cursor,
        });
        seen.push(...page.items.map(({ quarantineId }) => quarantineId));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      expect(new Set(seen).size).toBe(5);
      for (const cursor of ['cXVhcmFudGluZSAx_', 'abc', 'cXVhcmFudGluZSAwMQ']) {
        const { code } = await problemOf(
          bus().call(cardsContract.quarantine, { accountKey: OPERATOR_KEY, limit: 2, cursor }),
        );
        expect(code).toBe('VALIDATION_FAILED');
      }
    });

    test('two descriptions that share a key are not taken for one card', async () => {
      const one = { ...JORDAN, set: 'Topps', number: 'Chrome 138' };
      const other = { ...JORDAN, set: 'Topps Chrome', number: '138' };
      const answer = await importSales(department, [saleRow({ card: one }), saleRow({ card: other })]);
      expect(counts(answer)).toMatchObject({ accepted: 1, quarantined: 1, newCards: 1 });
      expect(answer.faults[0]).toEqual({
        ...{ row: 2, field: 'card' },
        message: 'has the key of another card, 1986 Topps #Chrome 138 Michael Jordan',
      });
    });

    test('a CSV is taken row by row: formulas, prices and cells that are too few are quarantined', async () => {
      const csv = [
        `\ufeff${HEADER}`,
        line('a'),
        line('b', { player: '"=HYPERLINK(""http://x"",""y"")"' }),
        line('c', { price: '-5' }),
        'd,Openbid',
        line('a'),
      ].join('\r\n');
      const answer = await importCsv(department, csv);
      expect(counts(answer)).toEqual({ rows: 5, accepted: 1, duplicates: 1, quarantined: 3, newCards: 1 });
      expect((await waiting()).map(({ row }) => row)).toEqual([2, 3, 4]);
      const [{ source }] = await rowsOf(`SELECT source FROM card_import`);
      expect(source).toBe('csv');
    });

    test('a CSV that cannot be read as sales leaves nothing behind', async () => {
      for (const csv of [
        `${HEADER.replace('price', 'cost')}\n${line('a')}`,
        `${HEADER}\n${line('a')}\n"open`,
        `${HEADER}\n${'a\n'.repeat(20_001)}`,
        'no commas at all',
      ]) {
        expect((await problemOf(importCsv(department, csv))).code).toBe('UNPROCESSABLE');
      }
      expect(await countOf('card_import')).toBe(0);
    });

    test('many rows are stored in one transaction', async () => {
      const lines = Array.from({ length: MANY }, (_, i) =>
        line(`n${i}`, { price: `${4_000 + (i % 2_000)}` }),
      );
      const answer = await importCsv(department, [HEADER, ...lines].join('\n'));
      expect(counts(answer)).toEqual({
        rows: MANY,
        accepted: MANY,
        duplicates: 0,
        quarantined: 0,
        newCards: 1,
      });
      const [{ n }] = await rowsOf(`SELECT count(DISTINCT xmin::text) AS n FROM card_sale`);
      expect(Number(n)).toBe(1);
    });
  });
}
