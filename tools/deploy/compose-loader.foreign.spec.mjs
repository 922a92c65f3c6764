import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { workspaceRoot } from '../setup/workspace.mjs';

const hasGo = spawnSync('go', ['version']).status === 0;

/** Docker Compose's own loader refuses what its published schema lets through. */
describe('docker-compose.yml', { skip: hasGo ? false : 'go is not installed' }, () => {
  let folder;
  let loader;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-compose-'));
    loader = join(folder, 'compose-loader');
    const cwd = join(import.meta.dirname, 'compose-loader');
    execFileSync('go', ['build', '-trimpath', '-o', loader, '.'], { cwd, stdio: 'pipe' });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** What `npm run secrets` makes, as variables. */
  const freshSecrets = () => {
    const text = execFileSync(process.execPath, ['tools/deploy/secrets.mjs'], {
      cwd: workspaceRoot,
      encoding: 'utf8',
    });
    const lines = text.split('\n').filter(line => /^[A-Z_0-9]+=/.test(line));
    return Object.fromEntries(
      lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  };
  const load = (profile, env) =>
    spawnSync(loader, ['docker-compose.yml', profile], { cwd: workspaceRoot, env, encoding: 'utf8' });

  for (const profile of ['sandbox', 'production']) {
    it(`is loaded in the profile ${profile}, with fresh secrets, and bounds the processes of each service`, () => {
      const { status, stdout, stderr } = load(profile, freshSecrets());
      assert.equal(status, 0, stderr);
      const services = stdout
        .trim()
        .split('\n')
        .map(line => line.split(' '));
      assert.equal(services.length, 15);
      for (const [name, pids] of services) assert.equal(pids, name.startsWith('nats') ? '128' : '256', name);
    });
  }

  it('is refused without secrets, and what is missing is named', () => {
    const { status, stderr } = load('sandbox', {});
    assert.equal(status, 1);
    assert.match(
      stderr,
      /required variable PAYMENTS_SECRET is missing a value: make it with npm run -s secrets/,
    );
  });
});
