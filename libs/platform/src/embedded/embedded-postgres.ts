import type { ServiceName } from '@svc/contracts';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { createLogger } from '../observability/logger.js';
import { EmbeddedPostgresError, lockDataFolder, prepareDataFolder } from './data-folder.js';
import { canReach, type PostgresAccount, postgresAccount } from './postgres-account.js';
import { findPostgresBinaries, POSTGRES_MAJOR, type PostgresBinaries } from './postgres-binaries.js';
import { initialiseCluster, PostgresProcess } from './postgres-process.js';
import { DATABASE, migratorOf, provisionRoles, roleOf } from './postgres-roles.js';
import { endLeftover } from './process-identity.js';
import { loadOrCreateSecrets } from './secrets.js';
import { Supervisor } from './supervisor.js';

/** Where root puts what the user postgres cannot reach in its place. */
const SYSTEM_HOME = '/var/lib/svc-gateway';
const LEFTOVER_GRACE_MS = 10_000;

export interface EmbeddedPostgresOptions {
  /** The database lies in `<dataDir>/postgres`, the passwords in `<dataDir>/secrets.json`. */
  readonly dataDir: string;
  readonly logger?: Logger;
  /** A free one by default. */
  readonly port?: number;
  /** false gives up durability for speed: tests only. */
  readonly fsync?: boolean;
  /** Where root puts what the user postgres cannot reach; `/var/lib/svc-gateway` by default. */
  readonly systemHome?: string;
  /** false: a server that dies stays down, as after the death of its owner. */
  readonly supervised?: boolean;
}

export interface EmbeddedPostgres {
  /** Connection of a service's own role, which works with the service's tables and owns nothing. */
  urlFor(service: ServiceName): string;
  /** Connection of the role that owns the service's schema, for its migrations. */
  migrationUrlFor(service: ServiceName): string;
  /** Both, as a service's environment has them. */
  urlsFor(service: ServiceName): { readonly databaseUrl: string; readonly migrationUrl: string };
  readonly adminUrl: string;
  /** Folder that really holds the database. */
  readonly databaseDir: string;
  /** Of the server that runs now: it changes when one that died was started again. */
  readonly pid: number;
  /** Fast shutdown: open transactions are rolled back, the rest is on the disk when it resolves. */
  stop(): Promise<void>;
}

/**
 * Starts a Postgres of our own: loopback only, a free port, SCRAM passwords, one database `svc` with
 * a schema and two roles for each service. A server that a killed run left behind is ended first, and one
 * that dies is started again on the same port.
 * @throws EmbeddedPostgresError one sentence that says what is wrong with the data folder
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const logger = options.logger ?? createLogger('allinone');
  await prepareDataFolder(resolve(options.dataDir));
  // Behind a link: what counts is which folders the user postgres must really pass.
  const dataDir = await realpath(options.dataDir);
  const unlock = await lockDataFolder(dataDir);
  try {
    const account = await postgresAccount();
    const systemHome = options.systemHome ?? SYSTEM_HOME;
    const binaries = await findPostgresBinaries(
      account,
      join(systemHome, `postgres-${POSTGRES_MAJOR}`),
      logger,
    );
    const databaseDir = await placeDatabase(dataDir, systemHome, account, logger);
    const secrets = await loadOrCreateSecrets(dataDir);
    await endLeftoverServer(databaseDir, logger);
    await ensureCluster(databaseDir, binaries, account, secrets.postgresPassword);
    const settings = { databaseDir, account, fsync: options.fsync ?? true, logger };
    const server = await PostgresProcess.start(binaries.postgres, { ...settings, port: options.port });
    const url = (role: string, password: string, database: string) =>
      `postgres://${role}:${password}@127.0.0.1:${server.port}/${database}`;
    try {
      const { postgresPassword, rolePasswords, migratorPasswords } = secrets;
      await provisionRoles(url('postgres', postgresPassword, 'postgres'), rolePasswords, migratorPasswords);
    } catch (error) {
      await server.stop();
      throw refusedPassword(error, dataDir) ?? error;
    }
    // The postmaster.pid of a dead server stays: by it Postgres knows whether sessions of that one still run.
    const restart = () => PostgresProcess.start(binaries.postgres, { ...settings, port: server.port });
    const supervisor = new Supervisor(
      'Postgres',
      server,
      options.supervised === false ? undefined : restart,
      logger,
    );
    const urlFor = (service: ServiceName) => url(roleOf(service), secrets.rolePasswords[service], DATABASE);
    const migrationUrlFor = (service: ServiceName) =>
      url(migratorOf(service), secrets.migratorPasswords[service], DATABASE);
    return {
      urlFor,
      migrationUrlFor,
      urlsFor: service => ({ databaseUrl: urlFor(service), migrationUrl: migrationUrlFor(service) }),
      adminUrl: url('postgres', secrets.postgresPassword, DATABASE),
      databaseDir,
      get pid() {
        return supervisor.pid;
      },
      stop: async () => {
        await supervisor.stop();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** `<dataDir>/postgres`, or a folder under the system home where the account cannot pass. */
async function placeDatabase(
  dataDir: string,
  systemHome: string,
  account: PostgresAccount,
  logger: Logger,
): Promise<string> {
  const inPlace = join(dataDir, 'postgres');
  if (await canReach(inPlace, account)) return inPlace;
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const home = join(systemHome, hash);
  await mkdir(home, { recursive: true, mode: 0o755 });
  await chmod(home, 0o755);
  const placed = join(home, 'postgres');
  logger.warn(
    { dataDir, placed },
    'Postgres runs as its own user, who cannot reach the data folder: the database lies elsewhere',
  );
  return placed;
}

/** A postmaster.pid names the server of an earlier run; nobody else can have one, we hold the lock. */
async function endLeftoverServer(databaseDir: string, logger: Logger): Promise<void> {
  const path = join(databaseDir, 'postmaster.pid');
  const content = await readFile(path, 'utf8').catch(() => undefined);
  if (content === undefined) return;
  const pid = Number.parseInt(content, 10);
  if (Number.isSafeInteger(pid) && pid > 1 && (await endLeftover(pid, databaseDir, LEFTOVER_GRACE_MS))) {
    logger.warn({ pid }, 'Ended the Postgres that an earlier run left behind');
  }
  // Postgres would take a stranger with the same number for a server that still runs.
  await rm(path, { force: true });
}

async function ensureCluster(
  databaseDir: string,
  binaries: PostgresBinaries,
  account: PostgresAccount,
  password: string,
): Promise<void> {
  const found = await stat(databaseDir).catch(() => undefined);
  if (!found) return initialiseCluster(binaries.initdb, databaseDir, account, password);
  if (!found.isDirectory())
    throw new EmbeddedPostgresError(`${databaseDir} is a file, not the folder of a database.`);
  const version = await readFile(join(databaseDir, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version === undefined) {
    throw new EmbeddedPostgresError(`${databaseDir} is not a Postgres database (it has no PG_VERSION).`);
  }
  if (version.trim() !== POSTGRES_MAJOR) {
    throw new EmbeddedPostgresError(
      `${databaseDir} was made by Postgres ${version.trim().slice(0, 20)}, this release runs Postgres ${POSTGRES_MAJOR}.`,
    );
  }
  if (account.ids && found.uid !== account.ids.uid)
    await chown(databaseDir, account.ids.uid, account.ids.gid);
}

/** secrets.json was lost or exchanged, so the database does not know the password in it. */
function refusedPassword(error: unknown, dataDir: string): EmbeddedPostgresError | undefined {
  if ((error as { code?: string }).code !== '28P01') return undefined;
  const message = `The password in ${join(dataDir, 'secrets.json')} does not open the database beside it; restore that file, or delete the data folder to start anew.`;
  return new EmbeddedPostgresError(message, { cause: error });
}
