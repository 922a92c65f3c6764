import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { writeCardMarket } from './card-market/card-market-files.mjs';
import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

/**
 * `node tools/generate-card-market.mjs --out FOLDER [--count 300] [--seed 1] [--sales-per-card 20] [--as-of 2026-01-01]
 * [--rows-per-file 20000]`: a made-up market of so many cards as `sales-001.csv` and on, each a file that an import takes,
 * and `truth.json`: what each card truly sells for, and what is wrong with which sale. The same for the same options.
 */
await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      count: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
      'sales-per-card': { type: 'string', default: '20' },
      'as-of': { type: 'string', default: '2026-01-01' },
      'rows-per-file': { type: 'string', default: '20000' },
    },
  });
  if (!values.out) throw new SetupError('--out is the folder that the market is written into');
  const options = {
    seed: numberOf('seed', values.seed),
    cards: numberOf('count', values.count),
    salesPerCard: numberOf('sales-per-card', values['sales-per-card']),
    asOfMs: Date.parse(values['as-of']),
  };
  if (Number.isNaN(options.asOfMs)) throw new SetupError('--as-of is a date such as 2026-01-01');
  const rowsPerFile = numberOf('rows-per-file', values['rows-per-file']);
  if (!Number.isInteger(rowsPerFile) || rowsPerFile < 1)
    throw new SetupError('--rows-per-file is a whole number from 1');
  await prepareWorkspace();
  const { CardMarket } = await import(
    pathToFileURL(join(workspaceRoot, 'libs/engines/comps/dist/index.js')).href
  );
  const market = marketOf(CardMarket, options);
  const written = await writeCardMarket(market, { folder: values.out, rowsPerFile, options });
  process.stdout.write(
    `${options.cards} cards, ${written.rows} sales in ${written.files} files, ${values.out}\n`,
  );
});

function marketOf(CardMarket, options) {
  try {
    return new CardMarket(options);
  } catch (error) {
    // Its bounds speak of cards, the command of their count: both are named.
    throw error instanceof RangeError
      ? new SetupError(`${error.message} (--count is the number of cards)`)
      : error;
  }
}

function numberOf(name, text) {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new SetupError(`--${name} is a number`);
  return value;
}
