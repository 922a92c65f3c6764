import { ProblemError } from '@svc/platform';
import fc from 'fast-check';
import { readSalesCsv } from './sales-csv.js';

const HEADER =
  'itemId,venue,year,set,number,player,sport,parallel,company,grade,qualifier,price,fees,currency,soldAt,saleType,url,verified,synthetic';
const LINE =
  'i1,Openbid,1986,Fleer,57,Michael Jordan,Basketball,,PSA,8,,5000.00,12.50,USD,2026-01-02,auction,https://a.example/1,true,';
const read = (text: string, rowsMax = 100) => readSalesCsv(text, { rowsMax });

async function faultOf(work: Promise<unknown>): Promise<ProblemError> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof ProblemError)) throw new Error(`no problem: ${JSON.stringify(error)}`);
  expect(error.code).toBe('UNPROCESSABLE');
  return error;
}

const SALE = {
  ...{ itemId: 'i1', venue: 'Openbid', company: 'PSA', grade: 8, price: '5000.00', fees: '12.50' },
  ...{
    currency: 'USD',
    soldAt: '2026-01-02',
    saleType: 'auction',
    url: 'https://a.example/1',
    verified: true,
  },
  card: { year: 1986, set: 'Fleer', number: '57', player: 'Michael Jordan', sport: 'Basketball' },
};

test('reads rows by the names of their columns; empty cells are left out', async () => {
  await expect(read(`${HEADER}\n${LINE}\n`)).resolves.toEqual([{ sale: SALE }]);
});

test.each([
  ['a byte order mark', `\ufeff${HEADER}\n${LINE}`],
  ['a byte order mark before a quote', `\ufeff"itemId"${HEADER.slice('itemId'.length)}\n${LINE}`],
  ['CRLF', `${HEADER}\r\n${LINE}\r\n`],
  ['empty lines', `${HEADER}\n\n${LINE}\n\n`],
  ['quotes', `${HEADER}\n${LINE.replace('Michael Jordan', '"Michael Jordan"')}`],
  ['names in other writing', `${HEADER.replace('itemId', 'Item_ID').replace('soldAt', 'sold at')}\n${LINE}`],
])('%s make no difference', async (_, text) => {
  await expect(read(text)).resolves.toEqual([{ sale: SALE }]);
});

test('columns may come in any order', async () => {
  const order = HEADER.split(',').toReversed().join(',');
  await expect(read(`${order}\n${LINE.split(',').toReversed().join(',')}`)).resolves.toEqual([
    { sale: SALE },
  ]);
});

test('a quoted cell holds commas, quotes and line breaks', async () => {
  const line = LINE.replace('Michael Jordan', '"Jordan, ""Air""\nMichael"');
  const [{ sale }] = await read(`${HEADER}\n${line}`);
  expect((sale.card as Record<string, unknown>).player).toBe('Jordan, "Air"\nMichael');
});

test('names the columns that are missing, unknown and doubled', async () => {
  const header = HEADER.replace('price', 'prize').replace('venue', 'itemId');
  const { payload } = await faultOf(read(`${header}\n${LINE}`));
  const messages = payload.errors?.map(({ message, got }) => `${message} ${String(got ?? '')}`.trim());
  expect(messages).toEqual([
    'column venue is missing',
    'column price is missing',
    'unknown column prize',
    'column itemId comes twice itemId',
  ]);
});

test('a row with too few or too many cells is marked, and those around it are read', async () => {
  const rows = await read(`${HEADER}\n${LINE},more\n${LINE}\ni2,Openbid\n`);
  expect(rows.map(({ fault }) => fault)).toEqual([
    'has 20 cells where the header has 19',
    undefined,
    'has 2 cells where the header has 19',
  ]);
});

test.each([
  ['no header', '', 'has no header line'],
  ['no rows', `${HEADER}\n`, 'has no row below its header'],
  ['an open quote', `${HEADER}\n"${LINE}`, 'a quote is not closed'],
  [
    'an open quote before much text',
    `${HEADER}\n"${`${LINE}\n`.repeat(500)}`,
    'a record is longer than 8192 characters',
  ],
  ['text after a quote', `${HEADER}\n"i1"x,${LINE}`, 'a quoted cell goes on after its closing quote'],
])('%s is a fault of the file', async (_, text, message) => {
  const { payload } = await faultOf(read(text));
  expect(payload.errors?.[0]).toMatchObject({ path: 'csv', message });
});

test('reads no further than the rows that an import may have', async () => {
  // 200,000 rows of which 51 are looked at.
  const { payload } = await faultOf(read(`${HEADER}\n${'a\n'.repeat(200_000)}`, 50));
  expect(payload.errors?.[0]).toMatchObject({ message: 'holds too many rows', bound: 50 });
});

test('what is no number or flag stays text, for the schema to name', async () => {
  const line = LINE.replace(',1986,', ',MCMLXXXVI,').replace(',8,', ',8.5e1,').replace('true', 'perhaps');
  const [{ sale }] = await read(`${HEADER}\n${line}`);
  expect(sale).toMatchObject({ grade: '8.5e1', verified: 'perhaps', card: { year: 'MCMLXXXVI' } });
});

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const cell = fc.string({ unit: 'grapheme', maxLength: 30 }).filter(text => !text.includes('\u0000'));

test('any cells come back as they were written, trimmed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }), async rows => {
      const lines = rows.map(([item, venue, player]) => {
        const cells = LINE.split(',');
        cells[0] = quoted(item);
        cells[1] = quoted(venue);
        cells[5] = quoted(player);
        return cells.join(',');
      });
      const read = await readSalesCsv(`${HEADER}\r\n${lines.join('\r\n')}`, { rowsMax: 5 });
      const back = read.map(({ sale }) => [
        sale.itemId,
        sale.venue,
        (sale.card as { player?: string }).player,
      ]);
      expect(back).toEqual(rows.map(cells => cells.map(text => text.trim() || undefined)));
    }),
    { numRuns: 200 },
  );
});

test('no text breaks the reading: it gives rows or names a fault', async () => {
  const soup = fc.array(
    fc.constantFrom(HEADER, LINE, '"', '\n', '\r', ',', '\ufeff', '=1+1', 'é', '\u0000'),
    {
      maxLength: 20,
    },
  );
  await fc.assert(
    fc.asyncProperty(soup, async parts => {
      const result = await read(parts.join('')).catch((error: unknown) => error);
      if (!Array.isArray(result)) expect(result).toMatchObject({ payload: { code: 'UNPROCESSABLE' } });
    }),
    { numRuns: 300 },
  );
});

test('a line of millions of empty cells is refused before it is taken apart', async () => {
  const { payload } = await faultOf(read(','.repeat(1_000_000)));
  const message = 'a record is longer than 8192 characters';
  expect(payload.errors).toEqual([{ path: 'csv', message, bound: 8_192, got: 1 }]);
});
