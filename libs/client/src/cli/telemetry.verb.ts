import type { Telemetry } from '../api-types.js';
import { connectionOptions, openClient } from './connection.js';
import { ExitCode } from './exit-code.js';
import { columns } from './terminal.js';
import type { Verb, VerbContext } from './verb.js';

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'none';

function linesOf(telemetry: Telemetry): string[] {
  const { transactionsExecuted, treasuryClearedUsd, starkRoots, sagas, rails, since, measuredAt } = telemetry;
  return columns([
    ['executed', `${transactionsExecuted} transactions since ${since ?? 'the first is to come'}`],
    ['cleared', `${treasuryClearedUsd} USD`],
    ['sagas', counted(sagas)],
    ...Object.entries(rails).map(
      ([rail, { payments, amountUsd }]) => [rail, `${payments} payments, ${amountUsd} USD`] as const,
    ),
    [
      'STARK roots',
      `${starkRoots.count}${starkRoots.newest === undefined ? '' : `, newest ${starkRoots.newest}`}`,
    ],
    ['measured', measuredAt],
  ]);
}

async function run(context: VerbContext): Promise<ExitCode> {
  const { values, terminal, signal } = context;
  const client = await openClient(context, 'free');
  if (values['follow'] !== true) {
    const { data } = await client.telemetry({ signal });
    terminal.result(data, linesOf(data));
    return ExitCode.ok;
  }
  try {
    for await (const telemetry of client.followTelemetry({ signal })) {
      terminal.result(telemetry, [...linesOf(telemetry), '']);
    }
  } catch (error) {
    // Ctrl-C is how it is left.
    if (!signal.aborted) throw error;
  }
  return ExitCode.ok;
}

export const telemetryVerb: Verb = {
  name: 'telemetry',
  summary: 'what was executed and cleared, from the write-ahead logs',
  operands: '',
  positionalsMin: 0,
  positionalsMax: 0,
  options: {
    follow: { type: 'boolean', short: 'f', help: 'each change as it comes, until Ctrl-C' },
    ...connectionOptions,
  },
  notes: ['Examples:', '  svc telemetry', '  svc telemetry --follow --json'],
  run,
};
