import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

/** The columns that an import of sales reads. */
const COLUMNS = [
  ...['itemId', 'venue', 'year', 'set', 'number', 'player', 'sport', 'parallel', 'company', 'grade'],
  ...['qualifier', 'price', 'fees', 'currency', 'soldAt', 'saleType', 'url', 'verified', 'synthetic'],
];

/**
 * Writes a market as `sales-001.csv` and on, each with so many rows, and `truth.json`: what each card truly sells for, and
 * what is wrong with which sale.
 *
 * @param {import('@svc/comps').CardMarket} market
 * @param {{ folder: string; rowsPerFile: number; options: object }} into `options` stand in the truth, so that the market
 *   can be made again
 * @returns {Promise<{ rows: number; files: number }>}
 */
export async function writeCardMarket(market, { folder, rowsPerFile, options }) {
  await mkdir(folder, { recursive: true });
  const { faults, rows, files } = await writeSales(market, folder, rowsPerFile);
  await writeTruth(market, options, faults, join(folder, 'truth.json'));
  return { rows, files };
}

/** Files of so many rows; what is wrong with a sale is kept for the truth. */
async function writeSales(market, folder, rowsPerFile) {
  const faults = [];
  let rows = 0;
  let files = 0;
  let file;
  for (const { sale, fault } of market.labelledSales()) {
    if (rows % rowsPerFile === 0) {
      await close(file);
      file = createWriteStream(join(folder, `sales-${String(++files).padStart(3, '0')}.csv`));
      file.write(`${COLUMNS.join(',')}\n`);
    }
    if (fault !== 'none') faults.push({ venue: sale.venue, itemId: sale.itemId, fault });
    const fields = { ...sale, ...sale.card };
    if (!file.write(`${COLUMNS.map(column => quoted(fields[column])).join(',')}\n`))
      await once(file, 'drain');
    rows++;
  }
  await close(file);
  return { faults, rows, files };
}

async function writeTruth(market, options, faults, path) {
  const file = createWriteStream(path);
  file.write(`{"options":${JSON.stringify(options)},"listings":[`);
  let separator = '\n';
  for (const listing of market.truth()) {
    if (!file.write(separator + JSON.stringify(listing))) await once(file, 'drain');
    separator = ',\n';
  }
  file.write(`\n],"faults":[\n${faults.map(fault => JSON.stringify(fault)).join(',\n')}\n]}\n`);
  await close(file);
}

async function close(file) {
  file?.end();
  if (file) await finished(file);
}

/** A field of a CSV (RFC 4180). */
function quoted(value = '') {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
