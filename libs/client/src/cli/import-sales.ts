import type { SalesImport } from '@svc/contracts';
import { linesOf } from './api-command.js';
import { openClient } from './connection.js';
import { ExitCode } from './exit-code.js';
import { readFileOrStdin } from './operand.js';
import { salesParts } from './sales-file.js';
import type { VerbContext } from './verb.js';

const FAULTS_SHOWN = 50;

/**
 * Imports the sales of a file, in as many imports as it takes; each is taken whole or not at all. One that fails ends the
 * command: the same file again goes on, since what was taken is known then.
 */
export async function importSales(context: VerbContext, path: string): Promise<ExitCode> {
  const parts = salesParts(await readFileOrStdin(path, context.streams), path);
  const client = await openClient(context, 'free');
  const total = {
    ...{ imports: [] as string[], rows: 0, accepted: 0, duplicates: 0, quarantined: 0, newCards: 0 },
    faults: [] as SalesImport['faults'],
  };
  for (const { body, rowsBefore } of parts) {
    const options = { body, signal: context.signal };
    const { data } = await client.request('POST' as string, '/v1/admin/card-sales', options);
    const taken = data as SalesImport;
    if (taken.importId !== null) total.imports.push(taken.importId);
    for (const count of ['rows', 'accepted', 'duplicates', 'quarantined', 'newCards'] as const)
      total[count] += taken[count];
    const faults = taken.faults.map(fault => ({ ...fault, row: fault.row + rowsBefore }));
    total.faults.push(...faults.slice(0, FAULTS_SHOWN - total.faults.length));
    if (parts.length > 1) context.terminal.note(`${total.rows} rows, ${total.accepted} of them new`);
  }
  context.terminal.result(total, linesOf(total));
  return ExitCode.ok;
}
