import { verifyWalEvents, type WalEventsVerdict } from '../wal/verify-wal-events.js';
import { connectionOptions } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin, readJsonObject } from './operand.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';
import { verifyWalDatabase } from './verify-wal-database.js';
import { walKeys } from './wal-keys.js';

const OF_A_DATABASE = ['database', 'data', 'checkpoint', 'saga'];

/** The log in an answer, on this machine. */
async function verifyAnswer(context: VerbContext, path: string): Promise<ExitCode> {
  const { values, streams, terminal } = context;
  const misplaced = OF_A_DATABASE.find(name => textOption(values, name) !== undefined);
  if (misplaced !== undefined) throw new UsageError(`--${misplaced} is about a database: leave out ${path}`);
  const saved = readJsonObject(await readFileOrStdin(path, streams), path);
  // Only what is signed asks for keys: a log without a checkpoint is checked without any.
  const isSigned = saved['checkpoint'] !== undefined || saved['inclusion'] !== undefined;
  const keys = isSigned ? await walKeys(context) : undefined;
  const verdict = await verifyWalEvents(saved, { keys });
  terminal.result(verdict, report(verdict, isSigned));
  return verdict.valid ? ExitCode.ok : ExitCode.failure;
}

function report(verdict: WalEventsVerdict, isSigned: boolean): string[] {
  if (!verdict.valid) {
    const { reason, seq } = verdict;
    return [`INVALID  ${seq === undefined ? reason : `record ${seq}: ${reason}`}`];
  }
  const { sagaId, count, head, checkpoint } = verdict;
  return columns([
    ['VALID', `saga ${sagaId}, ${count} records`],
    ['head', head],
    [
      'checkpoint',
      checkpoint
        ? `number ${checkpoint.number} of ${checkpoint.at} covers ${checkpoint.covers} records, signed by a published key`
        : isSigned
          ? 'the newest is signed by a published key; the answer does not show that it covers this saga: svc saga does'
          : 'none in this answer: svc saga shows the one that covers it',
    ],
  ]);
}

async function run(context: VerbContext): Promise<ExitCode> {
  const [name, path] = context.positionals;
  if (name !== 'verify') throw new UsageError(`svc wal knows verify, got ${name.slice(0, 80)}`);
  return path === undefined ? verifyWalDatabase(context) : verifyAnswer(context, path);
}

export const walVerb: Verb = {
  name: 'wal',
  summary: 'verify write-ahead logs: of a database, or in an answer',
  operands: 'verify [ANSWER]',
  positionalsMin: 1,
  positionalsMax: 2,
  options: {
    database: {
      type: 'string',
      placeholder: 'URL',
      help: 'postgres:// address of the database (DATABASE_URL); the schema is payments',
    },
    data: {
      type: 'string',
      placeholder: 'DIR',
      help: 'data folder of an npm start that runs (default .data), with its own checkpoint file',
    },
    checkpoint: {
      type: 'string',
      placeholder: 'FILE',
      help: 'checkpoints that were kept outside the database, JSON lines',
    },
    saga: { type: 'string', placeholder: 'ID', help: 'the log of this saga alone' },
    keys: {
      type: 'string',
      placeholder: 'FILE|URL',
      help: 'the published keys, JSON (default: fetched from the gateway)',
    },
    ...connectionOptions,
  },
  notes: [
    'Reads the database itself, in one transaction that changes nothing. Without --checkpoint it cannot be seen',
    'that a tail was cut off together with its checkpoints. ANSWER is one of execute or of svc saga; - for stdin.',
    'Exits with 1 where something does not hold, and names the saga and the record.',
    '',
    'Examples:',
    '  svc wal verify',
    '  svc wal verify --database postgres://auditor@db/svc --checkpoint checkpoints.jsonl --keys svc-wal-keys.json',
    '  svc wal verify answer.json',
  ],
  run,
};
