import type { SalesImport } from '@svc/contracts';
import { linesOf } from './api-command.js';
import { openClient } from './connection.js';
import { ExitCode } from './exit-code.js';
import { readFileOrStdin } from './operand.js';
import { saveFile } from './paid-answer.js';
import { readFeed } from './read-feed.js';
import { exchangeRates } from './exchange-rates.js';
import { readJsonObject, readOperandFile } from './operand.js';
import { salesParts, utf8 } from './sales-file.js';
import { profiledSales, type ProfiledSales, type SalesMap } from './sales-profile.js';
import { textOption, type VerbContext } from './verb.js';

const FAULTS_SHOWN = 50;
const RATES_BYTES_MAX = 64 * 1_048_576;

/**
 * Imports the sales of a file, in as many imports as it takes; each is taken whole or not at all. One that fails ends the
 * command: the same file again goes on, since what was taken is known then.
 */
export async function importSales(context: VerbContext, path: string): Promise<ExitCode> {
  const bytes = await readFileOrStdin(path, context.streams);
  const profiled = await withProfile(context, bytes, path);
  if (profiled?.sales.length === 0) {
    context.terminal.result(profiled, linesOf({ rows: 0, ...leftOf(profiled) }));
    return ExitCode.failure;
  }
  const parts = salesParts(profiled ? Buffer.from(JSON.stringify(profiled.sales)) : bytes, path);
  const dryRun = context.values['dry-run'] === true;
  const client = await openClient(context, 'free');
  const total = {
    ...{ imports: [] as string[], rows: 0, accepted: 0, duplicates: 0, quarantined: 0, newCards: 0 },
    faults: [] as SalesImport['faults'],
  };
  for (const { body, rowsBefore } of parts) {
    const options = { body: { ...body, ...(dryRun && { dryRun }) }, signal: context.signal };
    const { data } = await client.request('POST' as string, '/v1/admin/card-sales', options);
    const taken = data as SalesImport;
    if (taken.importId !== null) total.imports.push(taken.importId);
    for (const count of ['rows', 'accepted', 'duplicates', 'quarantined', 'newCards'] as const)
      total[count] += taken[count];
    const faults = taken.faults.map(fault => ({ ...fault, row: fault.row + rowsBefore }));
    total.faults.push(...faults.slice(0, FAULTS_SHOWN - total.faults.length));
    if (parts.length > 1) context.terminal.note(`${total.rows} rows, ${total.accepted} of them new`);
  }
  const told = { ...(dryRun && { dryRun }), ...total, ...(profiled && leftOf(profiled)) };
  context.terminal.result(told, linesOf(told));
  return ExitCode.ok;
}

const leftOf = ({ left }: ProfiledSales) => ({
  left: left.length,
  reasons: left.slice(0, FAULTS_SHOWN).map(({ line, title, reason }) => `line ${line}: ${reason} (${title})`),
});

/** The sales of a file of a venue; what is left for a person goes to the file that `--left` names. */
async function withProfile(
  { values, signal }: VerbContext,
  bytes: Uint8Array,
  path: string,
): Promise<ProfiledSales | undefined> {
  const [profile, mapFile, saleType] = ['profile', 'map', 'sale-type'].map(name => textOption(values, name));
  if (profile === undefined && mapFile === undefined) return undefined;
  const file = mapFile === undefined ? {} : readJsonObject(await readOperandFile(mapFile), mapFile);
  const { profile: ofMap = 'table', ...map } = file as SalesMap & { profile?: string };
  const rates = textOption(values, 'rates');
  const rateOf =
    rates === undefined
      ? undefined
      : exchangeRates(utf8(await readFeed(rates, RATES_BYTES_MAX, signal), rates), sourceOf(rates));
  const asked = { ...map, ...(saleType !== undefined && { values: { ...map.values, saleType } }) };
  const profiled = profiledSales(utf8(bytes, path), profile ?? ofMap, asked, rateOf);
  const left = textOption(values, 'left');
  if (left !== undefined) await saveFile(left, `${JSON.stringify(profiled.left, null, 2)}\n`);
  return profiled;
}

/** Whose rates they are, where they do not say it themselves. */
const sourceOf = (from: string): string =>
  (/^https?:/.test(from) ? new URL(from).hostname : (from.split(/[\\/]/).at(-1) ?? from)).slice(0, 64);
