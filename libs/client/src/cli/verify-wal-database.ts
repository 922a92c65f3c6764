import {
  type CheckpointKeys,
  isSagaId,
  type LogReport,
  readCheckpointFile,
  verifyLogs,
  type WalKey,
} from '@svc/durability';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyEd25519 } from '../ed25519.js';
import { ConnectionError, SvcError } from '../errors.js';
import { DataFolderError, databaseOfDataFolder } from '../node/data-folder.js';
import { ExitCode, UsageError } from './exit-code.js';
import { columns, grouped } from './terminal.js';
import { textOption, type VerbContext } from './verb.js';
import { walKeys } from './wal-keys.js';

const DATA_DIR = '.data';
/** What `npm start` writes its checkpoints to, in its data folder. */
const DATA_CHECKPOINTS = 'wal-checkpoints.jsonl';
/** Findings that are printed; `--json` has a thousand. */
const PRINTED_MAX = 50;

/** Where the logs are, and what was kept of them elsewhere. */
interface WalOperands {
  readonly url: string;
  readonly checkpointFile: string | undefined;
}

/** `svc wal verify`: all logs of a database, on this machine. */
export async function verifyWalDatabase(context: VerbContext): Promise<ExitCode> {
  const { values, terminal } = context;
  const { url, checkpointFile } = await operandsOf(context);
  const keys = await keysInReach(context);
  const sagaId = textOption(values, 'saga')?.toLowerCase();
  if (sagaId !== undefined && !isSagaId(sagaId))
    throw new UsageError('--saga must be the id of a saga, a UUID');
  // Opened first: whatever is in the file by now is in the database that is looked at afterwards.
  const file = checkpointFile === undefined ? undefined : await openCheckpoints(checkpointFile);
  // Loaded here: no other verb needs a database driver.
  const { WalDatabase, WalDatabaseError } = await import('../node/wal-database.js');
  const database = await WalDatabase.open(url, { sagaId }).catch(error => {
    if (!(error instanceof WalDatabaseError)) throw error;
    throw new ConnectionError('UNREACHABLE', error.message, { cause: error });
  });
  // An interrupt ends the connection, and with it whatever waits for the database.
  const stop = () => void database.close().catch(() => undefined);
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    terminal.progress('reading the logs');
    const startedAt = performance.now();
    const outside = file && readCheckpointFile(file.chunks);
    const report = await verifyLogs(database, { keys, outside, sagaId });
    const seconds = (performance.now() - startedAt) / 1_000;
    if (sagaId !== undefined && report.sagas === 0 && report.valid)
      throw new UsageError(`there is no saga ${sagaId} in this database`);
    terminal.endProgress();
    const recordsPerSecond = Math.round(report.records / seconds);
    terminal.result({ ...report, seconds, recordsPerSecond }, linesOf(report, seconds, checkpointFile));
    return report.valid ? ExitCode.ok : ExitCode.failure;
  } finally {
    context.signal.removeEventListener('abort', stop);
    await database.close().catch(() => undefined);
    await file?.handle.close();
  }
}

async function operandsOf({ values, environment }: VerbContext): Promise<WalOperands> {
  const [named, folder] = [textOption(values, 'database'), textOption(values, 'data')];
  if (named !== undefined && folder !== undefined)
    throw new UsageError('--database and --data exclude each other');
  const checkpointFile = textOption(values, 'checkpoint');
  const url = named ?? (folder === undefined ? environment['DATABASE_URL'] : undefined);
  if (url !== undefined) {
    if (!/^postgres(ql)?:\/\//.test(url)) throw new UsageError('--database must be a postgres:// address');
    return { url, checkpointFile };
  }
  const dataDir = folder ?? DATA_DIR;
  const ofFolder = join(dataDir, DATA_CHECKPOINTS);
  return {
    url: await databaseOfDataFolder(dataDir).catch(error => {
      throw error instanceof DataFolderError ? new UsageError(error.message) : error;
    }),
    checkpointFile: checkpointFile ?? ((await isReadable(ofFolder)) ? ofFolder : undefined),
  };
}

/** The keys; undefined, and said so, where none were named and no gateway answers. */
async function keysInReach(context: VerbContext): Promise<CheckpointKeys | undefined> {
  let keys: WalKey[];
  try {
    keys = await walKeys(context);
  } catch (error) {
    if (textOption(context.values, 'keys') !== undefined || !(error instanceof SvcError)) throw error;
    context.terminal.note(
      `svc: signatures are not checked: ${error.message}; --keys names the published keys`,
    );
    return undefined;
  }
  return { keys, verify: verifyEd25519 };
}

interface CheckpointFile {
  readonly handle: FileHandle;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** As much of a file as it has now: it may be written on meanwhile. */
async function openCheckpoints(path: string): Promise<CheckpointFile> {
  try {
    const handle = await open(path);
    const { size } = await handle.stat();
    if (size === 0) return { handle, chunks: noChunks() };
    return { handle, chunks: handle.createReadStream({ end: size - 1, autoClose: false }) };
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
}

async function* noChunks(): AsyncGenerator<Uint8Array> {}

async function isReadable(path: string): Promise<boolean> {
  const handle = await open(path).catch(() => undefined);
  await handle?.close();
  return handle !== undefined;
}

function linesOf(report: LogReport, seconds: number, checkpointFile: string | undefined): string[] {
  const { valid, findings, findingCount, sagas, records, checkpoints } = report;
  const rate = grouped(Math.round(records / seconds));
  const summary = columns([
    [
      valid ? 'VALID' : `INVALID  ${grouped(findingCount)} finding${findingCount === 1 ? '' : 's'}`,
      `${grouped(sagas)} sagas, ${grouped(records)} records, ${grouped(checkpoints)} checkpoints`,
    ],
    ['signatures', report.signatures === 'checked' ? 'checked' : 'NOT CHECKED: give --keys'],
    ['kept outside', outsideLine(report, checkpointFile)],
    ['not covered', `${grouped(report.recordsUncovered)} records are under no checkpoint yet`],
    ['time', `${seconds.toFixed(2)} s, ${rate} records/s`],
  ]);
  const printed = findings.slice(0, PRINTED_MAX).map(describeFinding);
  const more = findingCount - printed.length;
  return [...summary, ...printed, ...(more > 0 ? [`and ${grouped(more)} more: --json`] : [])];
}

function outsideLine({ outsideCheckpoints, outsideTorn }: LogReport, path: string | undefined): string {
  if (outsideCheckpoints === undefined || path === undefined)
    return 'nothing given: a tail that was cut with its checkpoints is not seen without --checkpoint';
  const torn = outsideTorn ? '; its last line has no end' : '';
  return `${grouped(outsideCheckpoints)} checkpoints of ${path} are in the database${torn}`;
}

/** What does not hold, by the names of the saga and the record. */
function describeFinding({ reason, sagaId, seq, checkpoint, line }: LogReport['findings'][number]): string {
  const place = [
    ...(sagaId === undefined ? [] : [`saga ${sagaId}`]),
    ...(seq === undefined ? [] : [`record ${seq}`]),
    ...(checkpoint === undefined ? [] : [`checkpoint ${checkpoint}`]),
    ...(line === undefined ? [] : [`line ${line}`]),
  ];
  return `  ${place.join(', ')}: ${reason}`;
}
