import { SALES_IMPORT_BYTES_MAX } from '@svc/contracts';
import fc from 'fast-check';
import { UsageError } from './exit-code.js';
import { salesParts } from './sales-file.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const parts = (text: string, bounds?: { rowsMax: number; bytesMax: number }) =>
  salesParts(bytes(text), 'sales', bounds);

test('a file within the bounds is one import, whatever its format', () => {
  const sales = [{ itemId: 'a' }, { itemId: 'b' }];
  const one = [{ body: { sales }, rowsBefore: 0 }];
  expect(parts(JSON.stringify(sales))).toEqual(one);
  expect(parts(JSON.stringify({ sales }))).toEqual(one);
  expect(parts('{"itemId":"a"}\n\n{"itemId":"b"}\n')).toEqual(one);
  expect(parts('{"itemId":"a"}')).toEqual([{ body: { sales: [{ itemId: 'a' }] }, rowsBefore: 0 }]);
  expect(parts('\ufeffh\r\n1\r\n')).toEqual([{ body: { csv: 'h\r\n1\r\n' }, rowsBefore: 0 }]);
});

test('every part of a longer CSV begins with the header line', () => {
  const bounds = { rowsMax: 2, bytesMax: 1_000 };
  expect(parts('h,i\n1,2\n3,4\n\n5,6', bounds)).toEqual([
    { body: { csv: 'h,i\n1,2\n3,4\n' }, rowsBefore: 0 },
    { body: { csv: 'h,i\n5,6\n' }, rowsBefore: 2 },
  ]);
});

test('a line end within quotes does not end a record', () => {
  expect(parts('h\n"a\n""b\n"\nc\n', { rowsMax: 1, bytesMax: 1_000 }).map(({ body }) => body)).toEqual([
    { csv: 'h\n"a\n""b\n"\n' },
    { csv: 'h\nc\n' },
  ]);
});

test.each(['', ' \n', '{"itemId":"a"}\nnot json', '{"sales":5', '[1'])('%j is no file of sales', text => {
  expect(() => parts(text)).toThrow(UsageError);
});

test('a file in another encoding is refused, not guessed at', () => {
  const latin1 = Buffer.from('itemId,player\n1,Jos\u00e9\n', 'latin1');
  expect(() => salesParts(latin1, 'sales.csv')).toThrow(/sales\.csv is not UTF-8/);
});

test('the largest part of a file fits one message of the bus', () => {
  const record = `"${'""'.repeat(60)}",x\n`;
  const [first, ...rest] = parts(`head,x\n${record.repeat(30_000)}`);
  expect(rest.length).toBeGreaterThan(0);
  const request = { by: { accountId: 'a'.repeat(64), keyId: 'k'.repeat(64) }, request: first.body };
  expect(JSON.stringify(request).length).toBeGreaterThan(0.9 * SALES_IMPORT_BYTES_MAX);
  expect(Buffer.byteLength(JSON.stringify(request))).toBeLessThan(4 * 1_048_576);
});

test('no row is lost, doubled or moved, and no part is beyond its bounds', () => {
  const rows = fc.array(fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(
      rows,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 80, max: 200 }),
      (texts, rowsMax, bytesMax) => {
        const records = texts.map(text => `"${text.replaceAll('"', '""')}",x\n`);
        const found = parts(`head,x\n${records.join('')}`, { rowsMax, bytesMax });
        const csvs = found.map(({ body }) => (body as { csv: string }).csv);
        expect(csvs.map(csv => csv.slice('head,x\n'.length)).join('')).toBe(records.join(''));
        for (const csv of csvs) expect(JSON.stringify(csv).length).toBeLessThanOrEqual(bytesMax + 2);
        const json = parts(JSON.stringify(texts), { rowsMax, bytesMax });
        expect(json.flatMap(({ body }) => (body as { sales: string[] }).sales)).toEqual(texts);
        let before = 0;
        for (const { body, rowsBefore } of json) {
          expect(rowsBefore).toBe(before);
          before += (body as { sales: unknown[] }).sales.length;
          expect(before - rowsBefore).toBeLessThanOrEqual(rowsMax);
        }
      },
    ),
    { numRuns: 200 },
  );
});
