import type { WalKey } from '@svc/durability';
import { verifyWalEvents, type WalEventsVerdict } from '../wal/verify-wal-events.js';
import { connectionOptions, openClient } from './connection.js';
import { ExitCode } from './exit-code.js';
import { printable } from './layout.js';
import { publishedKeys } from './published-keys.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

function checkedRows(verdict: WalEventsVerdict): (readonly [string, string])[] {
  if (!verdict.valid) {
    const { seq, reason } = verdict;
    if (reason === 'kind-unknown')
      return [['log', `NOT CHECKED  record ${seq} is of a kind that this command does not know`]];
    return [['log', `INVALID  ${seq === undefined ? '' : `record ${seq}: `}${reason}`]];
  }
  const { checkpoint } = verdict;
  const covered =
    checkpoint === undefined
      ? 'none covers it yet'
      : `number ${checkpoint.number} of ${checkpoint.at}, signed, covers ${checkpoint.covers} records`;
  return [
    ['log', `${verdict.count} records chained to ${verdict.head}`],
    ['checkpoint', covered],
  ];
}

async function run(context: VerbContext): Promise<ExitCode> {
  const { positionals, values, environment, signal, terminal } = context;
  const client = await openClient(context, 'free');
  const ticket = textOption(values, 'ticket') ?? environment['SVC_TICKET'];
  const { data } = await client.saga(positionals[0], { ticket, signal });
  const keys = await publishedKeys<WalKey>(context, '/.well-known/svc-wal-keys.json');
  const verdict = await verifyWalEvents(data as unknown as Record<string, unknown>, { keys });
  const rows = [['status', data.status], ['tool', data.tool], ...checkedRows(verdict)] as const;
  const width = Math.max(...data.walEvents.map(({ kind }) => kind.length));
  const events = data.walEvents.map(({ seq, at, kind, step = '', attempt }) =>
    `${String(seq).padStart(4)}  ${at}  ${printable(kind).padEnd(width)}  ${step}${attempt > 1 ? `, try ${attempt}` : ''}`.trimEnd(),
  );
  terminal.result({ ...data, checked: verdict }, [...columns(rows), ...events]);
  return verdict.valid ? ExitCode.ok : ExitCode.proofInvalid;
}

export const sagaVerb: Verb = {
  name: 'saga',
  summary: 'show a saga with its write-ahead log, and check its chain here',
  operands: 'SAGA_ID',
  positionalsMin: 1,
  positionalsMax: 1,
  options: {
    ticket: { type: 'string', placeholder: 'TICKET', help: 'the ticket that began it (SVC_TICKET)' },
    keys: {
      type: 'string',
      placeholder: 'FILE',
      help: 'the published keys, JSON (default: fetched from the gateway)',
    },
    ...connectionOptions,
  },
  notes: [
    'Exits with 4 where the log does not hold, or cannot be checked since it has records of a newer kind.',
    'A saga is shown to its payer: by SVC_KEY, the key of the account that paid, or by its ticket.',
    '',
    'Example:',
    '  SVC_TICKET=tkt_… svc saga 0b9cfc0e-9d5f-4f7e-8b63-2f1d8c1f6e10',
  ],
  run,
};
