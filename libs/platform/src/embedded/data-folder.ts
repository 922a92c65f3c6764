import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSameProcess, processIdentity } from './process-identity.js';

/** The data folder, or the database in it, cannot be used; the message is one sentence for a person. */
export class EmbeddedPostgresError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedPostgresError';
  }
}

const LOCK_FILE = 'instance.lock';

/**
 * Makes the folder where it is missing, readable for the user that Postgres runs as.
 * @throws EmbeddedPostgresError when it is something else, or cannot be written
 */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir);
    const probe = join(dataDir, `.probe-${process.pid}-${randomBytes(4).toString('hex')}`);
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    const isFolder = await stat(dataDir).then(
      found => found.isDirectory(),
      () => undefined,
    );
    if (isFolder === false)
      throw new EmbeddedPostgresError(`The data folder ${dataDir} is a file, not a folder.`);
    throw new EmbeddedPostgresError(`The data folder ${dataDir} cannot be written (${codeOf(error)}).`);
  }
}

/** Folder by folder: node's recursive mkdir never returns below /proc, where the kernel says ENOENT. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
    await chmod(path, 0o755);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    const parent = dirname(path);
    const parentExists = await stat(parent).then(
      () => true,
      () => false,
    );
    if (codeOf(error) !== 'ENOENT' || parentExists) throw error;
    await makeFolder(parent);
    await makeFolder(path);
  }
}

/**
 * Takes the folder for this process; a lock whose process is gone (killed, or the machine restarted)
 * is taken over. Returns the function that gives it back.
 * @throws EmbeddedPostgresError when another running instance has it
 */
export async function lockDataFolder(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, LOCK_FILE);
  const mine = JSON.stringify({
    ...(await processIdentity(process.pid)),
    nonce: randomBytes(8).toString('hex'),
  });
  for (let attempt = 0; attempt < 20; attempt++) {
    if (await createExclusively(path, mine)) return () => removeIfStill(path, mine);
    const held = await readFile(path, 'utf8').catch(() => undefined);
    if (held === undefined) continue;
    const owner = parseOwner(held);
    if (owner && (await isSameProcess(owner))) {
      throw new EmbeddedPostgresError(
        `The data folder ${dataDir} is in use by another running instance (process ${owner.pid}).`,
      );
    }
    await takeAway(path, held);
  }
  throw new EmbeddedPostgresError(`The lock of the data folder ${dataDir} could not be taken.`);
}

/** Writes a file whole or not at all, for its owner's eyes alone. */
export async function writeAtomically(path: string, content: string): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}

async function createExclusively(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw new EmbeddedPostgresError(`${path} cannot be written (${codeOf(error)}).`);
  }
}

/** Of several processes that find a stale lock, the rename lets one win; a fresh lock is put back. */
async function takeAway(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const taken = await readFile(aside, 'utf8');
  if (taken !== stale) await createExclusively(path, taken);
  await rm(aside);
}

async function removeIfStill(path: string, content: string): Promise<void> {
  const held = await readFile(path, 'utf8').catch(() => undefined);
  if (held === content) await rm(path, { force: true });
}

function parseOwner(content: string): { pid: number; startedAt: string } | undefined {
  try {
    const { pid, startedAt } = JSON.parse(content) as { pid?: unknown; startedAt?: unknown };
    return Number.isSafeInteger(pid) && typeof startedAt === 'string'
      ? { pid: pid as number, startedAt }
      : undefined;
  } catch {
    return undefined;
  }
}

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
