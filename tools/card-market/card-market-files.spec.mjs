import { parse } from 'csv-parse/sync';
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CardMarket } from '../../libs/engines/comps/dist/index.js';
import { writeCardMarket } from './card-market-files.mjs';

describe('files of a card market', () => {
  let root;
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'card-market-'));
  });
  after(() => rmSync(root, { recursive: true }));

  const write = async (into, { seed, rowsPerFile = 20_000 }) => {
    const folder = join(root, into);
    const options = { seed, cards: 40, asOfMs: Date.UTC(2026, 0, 1) };
    await writeCardMarket(new CardMarket(options), { folder, rowsPerFile, options });
    const names = readdirSync(folder).filter(name => name.endsWith('.csv'));
    return {
      files: names.map(name => readFileSync(join(folder, name), 'utf8')),
      truth: JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8')),
    };
  };

  it('have so many rows each, and the truth of each card and of each faulty sale', async () => {
    const { files, truth } = await write('split', { seed: 3, rowsPerFile: 300 });
    const parts = files.map(text => parse(text, { columns: true }));
    assert.ok(parts.length > 1);
    assert.ok(parts.slice(0, -1).every(rows => rows.length === 300));
    const rows = parts.flat();
    assert.ok(rows.every(row => row.synthetic === 'true' && row.currency === 'USD'));
    const ids = new Set(rows.map(row => `${row.venue} ${row.itemId}`));
    const duplicates = truth.faults.filter(({ fault }) => fault === 'duplicate');
    assert.equal(rows.length - ids.size, duplicates.length);
    assert.ok(truth.faults.every(({ venue, itemId }) => ids.has(`${venue} ${itemId}`)));
    const listed = new Set(truth.listings.map(l => `${l.card.number} ${l.company} ${l.grade}`));
    assert.ok(rows.every(row => listed.has(`${row.number} ${row.company} ${row.grade}`)));
  });

  it('are the same for the same seed, and others for another', async () => {
    const first = await write('first', { seed: 5 });
    assert.deepEqual(await write('second', { seed: 5 }), first);
    assert.notDeepEqual((await write('third', { seed: 6 })).files, first.files);
  });

  it('keep a market as a spreadsheet would write it', async () => {
    const sale = {
      ...{
        itemId: '1',
        venue: 'A "B", C',
        company: 'PSA',
        grade: 10,
        price: '1.00',
        fees: '0.00',
        currency: 'USD',
      },
      ...{ soldAt: '2026-01-01T00:00:00.000Z', saleType: 'fixed', verified: true, synthetic: true },
      card: { year: 1990, set: 'Line\nbreak', number: '7', player: 'O’Neil, "Ace"', sport: 'Hockey' },
    };
    const market = {
      *labelledSales() {
        yield { sale, fault: 'none' };
      },
      *truth() {},
    };
    const folder = join(root, 'quoted');
    await writeCardMarket(market, { folder, rowsPerFile: 10, options: {} });
    const [row] = parse(readFileSync(join(folder, 'sales-001.csv'), 'utf8'), { columns: true });
    assert.equal(row.venue, sale.venue);
    assert.equal(row.set, sale.card.set);
    assert.equal(row.player, sale.card.player);
    assert.equal(row.parallel, '');
  });
});
