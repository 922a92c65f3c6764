import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './data-folder.js';

const run = promisify(execFile);
const ACCOUNT = 'postgres';

/** The account that Postgres runs as: this process's own, but never root, which Postgres refuses. */
export interface PostgresAccount {
  /** Set when this process is root and must step down. */
  readonly ids?: { readonly uid: number; readonly gid: number };
}

/**
 * Finds the account; as root it is the system's user `postgres`, made where it is missing.
 * @throws EmbeddedPostgresError
 */
export async function postgresAccount(): Promise<PostgresAccount> {
  if (process.getuid?.() !== 0) return {};
  const known = await idsOf(ACCOUNT);
  if (known) return { ids: known };
  try {
    await run('groupadd', ['--system', '--force', ACCOUNT]);
    await run('useradd', [
      '--system',
      '--gid',
      ACCOUNT,
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      ACCOUNT,
    ]);
  } catch {
    throw new EmbeddedPostgresError(
      `Postgres does not run as root, and the user ${ACCOUNT} could not be made; start as another user.`,
    );
  }
  const made = await idsOf(ACCOUNT);
  if (!made) throw new EmbeddedPostgresError(`The user ${ACCOUNT} was made but cannot be looked up.`);
  return { ids: made };
}

/** Whether the account may pass through every folder above the path, by their mode bits. */
export async function canReach(path: string, account: PostgresAccount): Promise<boolean> {
  if (!account.ids) return true;
  const { uid, gid } = account.ids;
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined);
    if (found) {
      const bit = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001;
      if ((found.mode & bit) === 0) return false;
    }
    if (folder === dirname(folder)) return true;
  }
}

async function idsOf(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map(flag => run('id', [flag, name])));
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}
