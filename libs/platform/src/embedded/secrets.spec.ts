import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
});
