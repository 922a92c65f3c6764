import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLogger } from '../src/observability/logger.js';
import { canReach, postgresAccount } from '../src/embedded/postgres-account.js';
import { findPostgresBinaries, installedFolder, POSTGRES_MAJOR } from '../src/embedded/postgres-binaries.js';

const run = promisify(execFile);
const logger = createLogger('allinone', { level: 'silent' });

describe('Postgres binaries', () => {
  it('are used where npm put them when the account can read them, and nothing is copied', async () => {
    const account = await postgresAccount();
    if (!(await canReach(installedFolder(), account)))
      return console.log('SKIPPED: the checkout is not readable');
    const { postgres } = await findPostgresBinaries(account, '/nowhere', logger);
    expect(postgres.startsWith(installedFolder())).toBe(true);
    const { stdout } = await run(postgres, ['--version'], { ...account.ids });
    expect(stdout).toMatch(new RegExp(`PostgreSQL\\) ${POSTGRES_MAJOR}\\.`));
  });

  it('are copied once to where the user postgres can run them when the checkout is below a 0700 folder', async () => {
    if (process.getuid?.() !== 0) return console.log('SKIPPED: needs root');
    const account = await postgresAccount();
    const parent = await mkdtemp(join(tmpdir(), 'svc-binaries-'));
    await chmod(parent, 0o755);
    try {
      const shut = join(parent, 'shut');
      await mkdir(shut, { mode: 0o700 });
      await cp(installedFolder(), join(shut, 'native'), { recursive: true, verbatimSymlinks: true });
      // As npm leaves it when it drops modes and links.
      await chmod(join(shut, 'native/bin/postgres'), 0o644);
      const links = (await readdir(join(shut, 'native/lib'))).filter(name =>
        /^lib(pq|icuuc)\.so\.\d+$/.test(name),
      );
      expect(links.length).toBeGreaterThan(0);
      for (const link of links) await rm(join(shut, 'native/lib', link));

      const find = () =>
        findPostgresBinaries(account, join(parent, 'home/postgres'), logger, join(shut, 'native'));
      const { postgres, initdb } = await find();
      expect(postgres).toBe(join(parent, 'home/postgres/bin/postgres'));
      for (const program of [postgres, initdb]) {
        const { stdout } = await run(program, ['--version'], { ...account.ids, cwd: '/' });
        expect(stdout).toMatch(new RegExp(`PostgreSQL\\) ${POSTGRES_MAJOR}\\.`));
      }
      const { ino } = await stat(postgres);
      await find();
      expect((await stat(postgres)).ino).toBe(ino);
    } finally {
      await rm(parent, { recursive: true, force: true });
    }
  });
});
