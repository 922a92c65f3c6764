import { SERVICES, type ServiceName } from '@svc/contracts';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { codeOf, EmbeddedPostgresError, prepareDataFolder, writeAtomically } from './data-folder.js';

const SECRET_BYTES = 32;
const secret = () => randomBytes(SECRET_BYTES).toString('hex');
const Secret = z.string().min(2 * SECRET_BYTES);

const EmbeddedSecrets = z.object({
  postgresPassword: Secret,
  rolePasswords: z.record(z.enum(SERVICES), Secret),
  migratorPasswords: z.record(z.enum(SERVICES), Secret),
  paymentsSecret: Secret,
  macaroonSecret: Secret,
  sandboxLightningKey: Secret,
  auditSigningSeeds: Secret,
  apiKeyPepper: Secret,
  creditKeySecret: Secret,
  licenceSigningSeeds: Secret,
  walSigningSeeds: Secret,
  departmentSecret: Secret,
  callbackSigningSeeds: Secret,
  acousticSecret: Secret,
  pairingSigningSeeds: Secret,
  meshSigningSeeds: Secret,
  adminKey: Secret,
});

/** What an instance on one machine invents for itself at its first start, 32 random bytes each as hex. */
export type EmbeddedSecrets = z.infer<typeof EmbeddedSecrets>;

/**
 * Reads `<dataDir>/secrets.json`, or makes it (mode 0600, written whole or not at all). A secret that
 * a newer version adds is added to the file. The folder is made where it is missing: without an embedded database nothing made it yet.
 * @throws EmbeddedPostgresError when the file is broken: new secrets would not open the old database; when it cannot be read or written
 */
export async function loadOrCreateSecrets(dataDir: string): Promise<EmbeddedSecrets> {
  const path = join(dataDir, 'secrets.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new EmbeddedPostgresError(`${path} cannot be read (${error.code}).`);
  });
  const found = text === undefined ? {} : parse(text, path);
  const complete = EmbeddedSecrets.safeParse({ ...generate(), ...found });
  if (!complete.success) {
    const [issue] = complete.error.issues;
    throw new EmbeddedPostgresError(`${path} is broken at ${issue.path.join('.')}: ${issue.message}.`);
  }
  if (JSON.stringify(complete.data) !== JSON.stringify(found)) {
    await makeOwnFolder(dataDir);
    await writeAtomically(path, `${JSON.stringify(complete.data, null, 2)}\n`).catch((error: unknown) => {
      throw new EmbeddedPostgresError(`${path} cannot be written (${codeOf(error)}).`);
    });
  }
  return complete.data;
}

/** Makes the folder where it is missing, for its owner's eyes alone; what is missing above it, as above a database's. */
async function makeOwnFolder(dataDir: string): Promise<void> {
  const make = () => mkdir(dataDir, { mode: 0o700 });
  try {
    await make().catch(async (error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      await prepareDataFolder(dirname(dataDir));
      await make();
    });
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    if (codeOf(error) !== 'EEXIST')
      throw new EmbeddedPostgresError(`The data folder ${dataDir} cannot be made (${codeOf(error)}).`);
  }
}

function generate(): EmbeddedSecrets {
  const passwords = () =>
    Object.fromEntries(SERVICES.map(service => [service, secret()])) as Record<ServiceName, string>;
  return {
    postgresPassword: secret(),
    rolePasswords: passwords(),
    migratorPasswords: passwords(),
    paymentsSecret: secret(),
    macaroonSecret: secret(),
    sandboxLightningKey: secret(),
    auditSigningSeeds: secret(),
    apiKeyPepper: secret(),
    creditKeySecret: secret(),
    licenceSigningSeeds: secret(),
    walSigningSeeds: secret(),
    departmentSecret: secret(),
    callbackSigningSeeds: secret(),
    acousticSecret: secret(),
    pairingSigningSeeds: secret(),
    meshSigningSeeds: secret(),
    adminKey: secret(),
  };
}

function parse(text: string, path: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below, together with what is no object.
  }
  throw new EmbeddedPostgresError(
    `${path} is not a JSON object; restore it, or delete the data folder to start anew.`,
  );
}
