import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './data-folder.js';
import { loadOrCreateSecrets } from './secrets.js';

describe('embedded secrets', () => {
  let dataDir: string;
  const path = () => join(dataDir, 'secrets.json');
  const kept = async () => JSON.parse(await readFile(path(), 'utf8')) as object;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'svc-secrets-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('are the same at the next start', async () => {
    const made = await loadOrCreateSecrets(dataDir);
    expect(await loadOrCreateSecrets(dataDir)).toEqual(made);
    expect(await kept()).toEqual(made);
  });

  it('lose what nothing reads any more, and only that', async () => {
    const made = await loadOrCreateSecrets(dataDir);
    await writeFile(path(), JSON.stringify({ ...made, natsToken: 'a'.repeat(64) }));
    expect(await loadOrCreateSecrets(dataDir)).toEqual(made);
    expect(await kept()).toEqual(made);
  });

  it('make the folder where it is missing, for its owner alone, and leave one that is there as it is', async () => {
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    const missing = join(dataDir, 'a', 'b');
    const made = await loadOrCreateSecrets(missing);
    expect([await modeOf(missing), await modeOf(join(missing, 'secrets.json'))]).toEqual([0o700, 0o600]);
    expect(await loadOrCreateSecrets(missing)).toEqual(made);
    await chmod(dataDir, 0o750);
    await loadOrCreateSecrets(dataDir);
    expect(await modeOf(dataDir)).toBe(0o750);
  });

  it.each(['/proc/svc-secrets', '/proc/svc-secrets/a'])(
    'say in one sentence that %s cannot be made',
    async path => {
      await expect(loadOrCreateSecrets(path)).rejects.toThrow(EmbeddedPostgresError);
      await expect(loadOrCreateSecrets(path)).rejects.toThrow(
        /^The data folder \/proc\S* cannot be (made|written) \(\w+\)\.$/,
      );
    },
  );
});
