import { cardsContract } from '@svc/contracts';
import { problemOf, startService } from '@svc/platform';
import { departmentService } from '../src/index.js';
import { importSales, saleRow } from './card-fixture.js';
import { OPERATOR_KEY } from './payments-stand-in.js';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

let department: DepartmentFixture;

const rowsOf = (sql: string, values: unknown[] = []): Promise<Record<string, never>[]> =>
  department.database.query(sql, values);
const countOf = async (table: string) => Number((await rowsOf(`SELECT count(*) AS n FROM ${table}`))[0].n);

/** The card that sold most often, and in what. */
async function busiest() {
  const [row] = await rowsOf(
    `SELECT card_key, company, grade::float8 AS grade, count(*)::integer AS count FROM card_sale JOIN card USING (card_id)
      WHERE sold_at > now() - interval '80 days' GROUP BY 1, 2, 3 ORDER BY count(*) DESC, 1, 2, 3 LIMIT 1`,
  );
  return {
    cardKey: row.card_key,
    company: row.company,
    grade: row.grade,
    allowRatio: false,
    distributionSvg: false,
  };
}

export function describeCardMarket(): void {
  describe('card market', () => {
    beforeAll(async () => {
      department = await startDepartment({ variables: {} });
    });
    afterAll(() => department?.close());

    test('the sandbox has some hundred cards and some thousand sales, all marked as made up', async () => {
      const [cards, sales] = [await countOf('card'), await countOf('card_sale')];
      expect(cards).toBeGreaterThanOrEqual(280);
      expect(sales).toBeGreaterThan(2_000);
      expect(sales).toBeLessThan(20_000);
      expect(
        await rowsOf(
          `SELECT 1 FROM card WHERE NOT synthetic UNION ALL SELECT 1 FROM card_sale WHERE NOT synthetic`,
        ),
      ).toEqual([]);
      expect(await rowsOf(`SELECT source, account_id FROM card_import`)).toEqual([
        { source: 'market', account_id: 'sandbox' },
      ]);
    });

    test('every answer from it says so, in the answer and in its evidence', async () => {
      const answer = await department.bus.call(cardsContract.value, await busiest());
      expect(answer).toMatchObject({ market: 'synthetic', charged: true, confidence: 'normal' });
      expect(answer.limits.join(' ')).toMatch(/synthetic/);
      expect(answer.auditProof.doesNotProve).toMatch(/synthetic/);
    });

    test('a market is made once, by however many replicas', async () => {
      const before = await countOf('card_sale');
      const another = await startService(departmentService, department.environment);
      await another.close();
      expect(await countOf('card_sale')).toBe(before);
      await department.database.query(`TRUNCATE card_quarantine, card_sale, card, card_import`);
      const starts = await Promise.all(
        [1, 2, 3].map(() => startService(departmentService, department.environment)),
      );
      try {
        expect(await rowsOf(`SELECT count(*)::integer AS n FROM card_import`)).toEqual([{ n: 1 }]);
        expect(await countOf('card')).toBeGreaterThanOrEqual(280);
      } finally {
        for (const service of starts) await service.close();
      }
    });

    test('sales that were brought in take the place of made-up ones, and are never mixed with them', async () => {
      const asked = await busiest();
      const { items } = await department.bus.call(cardsContract.search, { q: asked.cardKey, limit: 1 });
      const { cardKey: _, title: __, ...card } = items[0];
      const rows = Array.from({ length: 6 }, (_, i) =>
        saleRow({ card, company: asked.company, grade: asked.grade, price: `${400_000 + i}.00` }),
      );
      // Far from the made-up prices, which are none of its peers.
      expect(await importSales(department, rows)).toMatchObject({ accepted: 6, quarantined: 0, newCards: 0 });
      const answer = await department.bus.call(cardsContract.value, asked);
      expect(answer).toMatchObject({ market: 'imported', n: 6, medianUsd: 400_002.5 });
    });

    test('production makes no market, shows none that is there, and takes no made-up sale', async () => {
      const made = await busiest();
      const other = await startDepartment({ production: true, variables: {} });
      try {
        const [{ n }] = await other.database.query(`SELECT count(*)::integer AS n FROM card`);
        expect(n).toBe(0);
        const synthetic = saleRow({ synthetic: true });
        const answer = await other.bus.call(cardsContract.importSales, {
          ...{ accountKey: OPERATOR_KEY, request: { sales: [synthetic, saleRow()] } },
        });
        expect(answer).toMatchObject({
          accepted: 1,
          quarantined: 1,
          faults: [{ row: 1, field: 'synthetic' }],
        });
        // As in a database that a sandbox left behind.
        await other.database.query(`UPDATE card SET synthetic = true`);
        await other.database.query(`UPDATE card_sale SET synthetic = true`);
        const [{ card_key: cardKey }] = await other.database.query(`SELECT card_key FROM card`);
        const { payload } = await problemOf(other.bus.call(cardsContract.value, { ...made, cardKey }));
        expect(payload).toMatchObject({ code: 'UNPROCESSABLE', extensions: { candidates: [] } });
        const { items } = await other.bus.call(cardsContract.search, { q: 'jordan', limit: 10 });
        expect(items).toEqual([]);
      } finally {
        await other.close();
      }
    });
  });
}
