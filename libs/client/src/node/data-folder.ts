import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Where `npm start` puts the database when the user postgres cannot reach the data folder. */
const SYSTEM_HOME = '/var/lib/svc-gateway';

/** What there is to say when a folder is none of a running `npm start`. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/**
 * Connection to the database of an `npm start` that runs: its port from Postgres itself, its password from the folder's
 * secrets.
 *
 * @param dataDir the data folder, by default of `npm start` `.data`
 * @throws {DataFolderError}
 */
export async function databaseOfDataFolder(dataDir: string, systemHome = SYSTEM_HOME): Promise<string> {
  const folder = await realpath(dataDir).catch(() => {
    throw new DataFolderError(
      `there is no data folder ${dataDir}; --database names a database, --data a folder`,
    );
  });
  const password = await passwordOf(folder);
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const port = (await portOf(join(folder, 'postgres'))) ?? (await portOf(join(systemHome, hash, 'postgres')));
  if (port === undefined)
    throw new DataFolderError(`the database of ${dataDir} does not run: npm start starts it`);
  return `postgres://payments:${encodeURIComponent(password)}@127.0.0.1:${port}/svc`;
}

async function passwordOf(folder: string): Promise<string> {
  const path = join(folder, 'secrets.json');
  try {
    const { rolePasswords } = JSON.parse(await readFile(path, 'utf8')) as {
      rolePasswords?: { payments?: unknown };
    };
    if (typeof rolePasswords?.payments === 'string') return rolePasswords.payments;
  } catch {
    // The message below says what is expected.
  }
  throw new DataFolderError(`${path} cannot be read, or has no password of the payments service`);
}

/** The port of a Postgres by its `postmaster.pid`: process, folder, start, port. */
async function portOf(databaseDir: string): Promise<number | undefined> {
  const text = await readFile(join(databaseDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const port = Number(text.split('\n')[3]);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}
