import { auditedPart, canonicalDigest, toHex } from '@svc/audit-proof';
import { cardsContract, CardValuationRequest, CardValuationResult } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { planInLargeTable } from '@svc/platform/testing';
import { COMPS_SQL } from '../src/cards/comparable-sales.js';
import { daysAgo, importSales, JORDAN, saleRow, startWithoutCards } from './card-fixture.js';
import { type DepartmentFixture } from './department-fixture.js';

let department: DepartmentFixture;
const bus = () => department.bus;

const KOBE = { year: 1996, set: 'Topps', number: '138', player: 'Kobe Bryant', sport: 'Basketball' };
const KOBE_CHROME = { ...KOBE, set: 'Topps Chrome' };
const KOBE_REFRACTOR = { ...KOBE_CHROME, parallel: 'Refractor' };
const GRIFFEY = { year: 1989, set: 'Upper Deck', number: '1', player: 'Ken Griffey Jr.', sport: 'Baseball' };
const OHTANI = { year: 2018, set: 'Topps Update', number: 'US285', player: 'Shohei Ohtani' };

const many = (count: number, more: (i: number) => Record<string, unknown>) =>
  Array.from({ length: count }, (_, i) => saleRow(more(i)));

const asked = (more: Record<string, unknown> = {}): CardValuationRequest =>
  CardValuationRequest.parse({ card: JORDAN, company: 'PSA', grade: 8, ...more });
const valueOf = (more: Record<string, unknown> = {}) => bus().call(cardsContract.value, asked(more));
const refusal = async (more: Record<string, unknown>) => {
  const { payload } = await problemOf(bus().call(cardsContract.admit, asked(more)));
  expect(payload.code).toBe('UNPROCESSABLE');
  const { candidates } = payload.extensions as { candidates: { title: string }[] };
  return { errors: payload.errors, titles: candidates.map(({ title }) => title) };
};

const titlesOf = async (q: string, limit = 10) =>
  (await bus().call(cardsContract.search, { q, limit })).items.map(({ title }) => title);

export function describeCardValuation(): void {
  describe('card valuation', () => {
    beforeAll(async () => {
      department = await startWithoutCards();
      await importSales(department, [
        ...many(8, i => ({
          price: `${5_000 + i * 10}.00`,
          fees: '20.00',
          url: 'https://auctions.example/1',
        })),
        ...many(7, i => ({ grade: 8, company: 'BGS', price: `${9_000 + i}.00` })),
        ...many(7, i => ({ grade: 8, qualifier: 'OC', price: `${2_000 + i}.00` })),
        ...many(2, i => ({ grade: 10, price: `${200_000 + i}.00` })),
        ...many(3, i => ({ grade: 3, price: `${800 + i}.00` })),
        ...many(6, i => ({ card: KOBE, price: `${150 + i}.00` })),
        ...many(6, i => ({ card: KOBE_CHROME, price: `${3_000 + i}.00` })),
        ...many(6, i => ({ card: KOBE_REFRACTOR, price: `${9_000 + i}.00` })),
        ...many(6, i => ({ card: GRIFFEY, price: `${90 + i}.00` })),
        ...many(6, i => ({ card: OHTANI, price: `${60 + i}.00` })),
      ]);
    });
    afterAll(() => department?.close());

    test('a card is valued by the sales of its company, grade and qualifier alone, price and fees', async () => {
      const value = CardValuationResult.parse(await valueOf());
      expect(value).toMatchObject({
        n: 8,
        confidence: 'normal',
        basis: 'comps',
        market: 'imported',
        charged: true,
      });
      expect(value.medianUsd).toBe(5_055);
      expect(value.comps.every(({ priceUsd, url }) => priceUsd > 5_000 && priceUsd < 5_100 && url)).toBe(
        true,
      );
      expect((await valueOf({ company: 'BGS' })).medianUsd).toBe(9_003);
      expect((await valueOf({ qualifier: 'OC' })).medianUsd).toBe(2_003);
      expect(await valueOf({ company: 'SGC' })).toMatchObject({ n: 0, medianUsd: null, charged: false });
    });

    test('too few sales give no value and are not charged; three to five are said to be few', async () => {
      expect(await valueOf({ grade: 10 })).toMatchObject({
        ...{ n: 2, medianUsd: null, ci95: null, confidence: 'insufficient_comps', charged: false },
      });
      expect(await valueOf({ grade: 3 })).toMatchObject({
        n: 3,
        medianUsd: 801,
        confidence: 'low_confidence',
      });
    });

    test('an answer ends with evidence of the request as it was read, the rules and the answer', async () => {
      const before = department.attest.attested.length;
      const request = asked({ distributionSvg: true });
      const value = await bus().call(cardsContract.value, request);
      expect(value.distributionSvg).toMatch(/^<svg /);
      const [whole] = department.attest.attested[before];
      expect(whole.rulesetId).toMatch(/^card-valuation/);
      expect(whole.rules?.length).toBeGreaterThan(8);
      expect(value.auditProof.rules.every(({ holds }) => holds)).toBe(true);
      expect(toHex(whole.requestDigest)).toBe(toHex(canonicalDigest(request)));
      const digest = (answer: object) => toHex(canonicalDigest(auditedPart(answer)));
      expect(toHex(whole.resultDigest)).toBe(digest(value));
      expect(digest({ ...value, medianUsd: 1 })).not.toBe(digest(value));
      expect(whole.doesNotProve).toMatch(/genuine/);
    });

    test('a valuation of a day counts no later sale and is the same when it is asked again', async () => {
      await importSales(
        department,
        many(6, i => ({ card: GRIFFEY, company: 'SGC', price: `${i + 100}.00`, soldAt: daysAgo(60 + i) })),
      );
      await importSales(
        department,
        many(6, i => ({ card: GRIFFEY, company: 'SGC', price: `${i + 110}.00`, soldAt: daysAgo(i + 1) })),
      );
      const asOf = daysAgo(30).slice(0, 10);
      const [one, other] = await Promise.all(
        [1, 2].map(() => valueOf({ card: GRIFFEY, company: 'SGC', asOf })),
      );
      expect(one).toMatchObject({ n: 6, asOf });
      expect(one.medianUsd).toBeLessThan(106);
      const { medianUsd, ci95, comps } = other;
      expect({ medianUsd, ci95, comps }).toEqual({
        medianUsd: one.medianUsd,
        ci95: one.ci95,
        comps: one.comps,
      });
      expect(one.comps.every(({ soldAt }) => soldAt.slice(0, 10) <= asOf)).toBe(true);
    });

    test('a day to come is refused with the bound', async () => {
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
      const { payload } = await problemOf(bus().call(cardsContract.admit, asked({ asOf: tomorrow })));
      const today = new Date().toISOString().slice(0, 10);
      expect(payload).toMatchObject({
        code: 'UNPROCESSABLE',
        errors: [{ path: 'asOf', bound: today, got: tomorrow }],
      });
    });

    test.each(['0001-01-01', '1989-12-31'])(
      'the day %s, before any sale, is refused with the bound',
      async asOf => {
        const { payload } = await problemOf(bus().call(cardsContract.admit, asked({ asOf })));
        expect(payload).toMatchObject({
          code: 'UNPROCESSABLE',
          errors: [{ path: 'asOf', bound: '1990-01-01', got: asOf }],
        });
        await expect(bus().call(cardsContract.admit, asked({ asOf: '1990-01-01' }))).resolves.toEqual({});
      },
    );

    test.each([
      [
        'its words in other order and writing',
        { ...KOBE_CHROME, set: 'chrome TOPPS', number: '#138' },
        3_002.5,
      ],
      ['the name of the sport in the set', { ...KOBE, set: 'Topps Basketball' }, 152.5],
      ['part of the player', { ...GRIFFEY, player: 'Griffey' }, 92.5],
      ['more of the player', { ...GRIFFEY, player: 'George Kenneth Ken Griffey Jr' }, 92.5],
      ['a number in lower case', { ...OHTANI, number: 'us285' }, 62.5],
      ['its parallel', KOBE_REFRACTOR, 9_002.5],
    ])('a card is found by %s', async (_, card, medianUsd) => {
      await bus().call(cardsContract.admit, asked({ card }));
      expect((await valueOf({ card })).medianUsd).toBe(medianUsd);
    });

    test('a card is found by its key', async () => {
      const { sport: _, ...named } = JORDAN;
      const { card } = await valueOf({ card: named });
      expect(card.cardKey).toBe('1986-fleer-57-michael-jordan');
      const request = CardValuationRequest.parse({ cardKey: card.cardKey, company: 'PSA', grade: 8 });
      expect((await bus().call(cardsContract.value, request)).card).toEqual(card);
    });

    test('a set, a parallel, a number or a sport that differs is never guessed: the answer names what is alike', async () => {
      const chrome = '1996 Topps Chrome #138 Kobe Bryant';
      expect((await refusal({ card: { ...KOBE, set: 'Topps Finest' } })).titles).toContain(chrome);
      expect((await refusal({ card: { ...KOBE, parallel: 'Refractor' } })).titles).toContain(
        `${chrome} Refractor`,
      );
      expect((await refusal({ card: { ...KOBE, number: '139' } })).titles).toContain(
        '1996 Topps #138 Kobe Bryant',
      );
      expect((await refusal({ card: { ...KOBE, sport: 'Baseball' } })).errors?.[0]).toMatchObject({
        path: 'card',
      });
      expect((await refusal({ card: { ...JORDAN, player: 'Michael Jordon' } })).titles).toContain(
        '1986 Fleer #57 Michael Jordan',
      );
      const unknown = { year: 1999, set: 'Pacific', number: '7', player: 'Nobody' };
      expect((await refusal({ card: unknown })).titles).toEqual([]);
    });

    test('a description that fits two cards is refused with both', async () => {
      const one = { year: 2003, set: 'Bowman', number: '5', player: 'Ken Griffey' };
      await importSales(department, [
        saleRow({ card: one }),
        saleRow({ card: { ...one, player: 'Craig Griffey' } }),
      ]);
      const { errors, titles } = await refusal({ card: { ...one, player: 'Griffey' } });
      expect(errors).toEqual([{ path: 'card', message: 'is not one card; see candidates' }]);
      expect(titles.toSorted()).toEqual(['2003 Bowman #5 Craig Griffey', '2003 Bowman #5 Ken Griffey']);
    });

    test('an unknown key, and descriptions without a letter, are refused and break no query', async () => {
      const request = CardValuationRequest.parse({
        cardKey: '1986-fleer-58-jordan',
        company: 'PSA',
        grade: 8,
      });
      expect((await problemOf(bus().call(cardsContract.admit, request))).code).toBe('UNPROCESSABLE');
      for (const card of [
        { year: 1986, set: '★', number: '#', player: "'; DROP TABLE card; --" },
        { year: 1986, set: '& | ! ( ) :*', number: '<->', player: '\\' },
        { year: 1986, set: '大谷', number: '57', player: 'Michael Jordan' },
      ]) {
        expect((await refusal({ card })).errors?.[0].path).toBe('card');
      }
    });

    test('free text finds cards that have all its words, the last of which may be begun', async () => {
      expect(await titlesOf('1986 fleer #57 jordan')).toEqual(['1986 Fleer #57 Michael Jordan']);
      expect(await titlesOf('upper deck griff')).toEqual(['1989 Upper Deck #1 Ken Griffey Jr.']);
      expect(await titlesOf('KOBE  refr')).toEqual(['1996 Topps Chrome #138 Kobe Bryant Refractor']);
      expect(await titlesOf('ohtani us285')).toEqual(['2018 Topps Update #US285 Shohei Ohtani']);
      expect(await titlesOf('jordan baseball')).toEqual([]);
      expect(await titlesOf('kobe', 2)).toHaveLength(2);
      for (const q of ['& | !', '★★', "' OR 1=1", ':*', 'a<->b']) expect(await titlesOf(q)).toEqual([]);
    });

    test('a word that is there whole comes before one that is only begun, the shorter card before the longer', async () => {
      expect((await titlesOf('topps kobe 138'))[0]).toBe('1996 Topps #138 Kobe Bryant');
      const numbered = ['13', '138', '1'].map(number => ({
        year: 1971,
        set: 'Topps',
        number,
        player: 'Bob Love',
      }));
      await importSales(
        department,
        numbered.map(card => saleRow({ card })),
      );
      expect((await titlesOf('love 1971 topps 13'))[0]).toBe('1971 Topps #13 Bob Love');
      expect((await titlesOf('love 1971 topps 1'))[0]).toBe('1971 Topps #1 Bob Love');
      const begun = { year: 1972, set: 'Topps', number: '1', player: 'Love Lovell' };
      await importSales(department, [
        saleRow({ card: begun }),
        saleRow({ card: { ...begun, number: '2', player: 'Bob Lo' } }),
      ]);
      expect(await titlesOf('1972 topps lo')).toEqual(['1972 Topps #2 Bob Lo', '1972 Topps #1 Love Lovell']);
    });

    test('a ratio from another grade is given only when it is asked for', async () => {
      const cards = Array.from({ length: 7 }, (_, i) => ({ ...OHTANI, set: 'Ratio', number: `R${i}` }));
      await importSales(
        department,
        cards.flatMap((card, i) => [
          ...many(6, k => ({ card, grade: 9, price: `${100 + i + k}.00`, soldAt: daysAgo(5 + k) })),
          // The last card was never sold in a 10.
          ...(i === 6
            ? []
            : many(3, k => ({ card, grade: 10, price: `${300 + 3 * i + k}.00`, soldAt: daysAgo(9 + k) }))),
        ]),
      );
      const wanted = { card: cards[6], grade: 10 };
      expect(await valueOf(wanted)).toMatchObject({ basis: 'comps', medianUsd: null, charged: false });
      const byRatio = await valueOf({ ...wanted, allowRatio: true });
      expect(byRatio).toMatchObject({
        ...{ basis: 'ratio', confidence: 'low_confidence', charged: true },
        ratio: { fromGrade: 9, cards: 6 },
      });
      expect(byRatio.medianUsd! / byRatio.ratio!.fromMedianUsd).toBeCloseTo(byRatio.ratio!.ratio, 2);
      expect(byRatio.ratio!.ratio).toBeCloseTo(3, 0);
      expect(byRatio.limits.join(' ')).toMatch(/ratio/);
      // Another company's pairs are none.
      expect(await valueOf({ ...wanted, company: 'BGS', allowRatio: true })).toMatchObject({
        medianUsd: null,
      });
    });

    test('of a card that sold more often than is counted the newest sales count, and its fields can all be disclosed', async () => {
      const card = { ...OHTANI, number: 'MANY' };
      await importSales(
        department,
        many(400, i => ({ card, price: `${60 + (i % 10)}.00`, soldAt: daysAgo(1 + i / 5) })),
      );
      const value = await valueOf({ card });
      expect(value).toMatchObject({ windowDays: 14, liquidity: { salesLast365Days: 250 } });
      // Five a day: those of the shortest window, on whichever side of its ends the newest and the oldest are.
      expect(value.n).toBeGreaterThanOrEqual(59);
      expect(value.n).toBeLessThanOrEqual(70);
      expect(value.comps.at(-1)!.soldAt >= daysAgo(15)).toBe(true);
      expect(value.disclosure.fields.length).toBeLessThanOrEqual(512);
    });

    test('a valuation reads one range of one index', async () => {
      const [{ card_id: cardId }] = await department.database.query(
        `SELECT card_id FROM card WHERE card_key = '2018-topps-update-many-shohei-ohtani'`,
      );
      const values = [cardId, 'PSA', 8, '', false, daysAgo(365), daysAgo(0), 250];
      const plan = await planInLargeTable(department.database, COMPS_SQL, {
        values,
        dear: ['sort', 'bitmapscan'],
      });
      expect(plan).toContain('card_sale_comps');
      expect(plan).not.toMatch(/Seq Scan|Sort/);
      const condition = /Index Cond: (.*)/.exec(plan)?.[1] ?? '';
      for (const column of ['card_id', 'company', 'grade', 'qualifier', 'sold_at'])
        expect(condition).toContain(column);
    });

    test('a search uses its index', async () => {
      const plan = await planInLargeTable(
        department.database,
        `SELECT 1 FROM card WHERE search @@ to_tsquery('simple', 'kobe & refr:*')`,
      );
      expect(plan).toContain('card_search');
    });
  });
}
