import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { workspaceRoot } from '../setup/workspace.mjs';

const TOOLS = [
  'nats-server',
  'chromium',
  'sox',
  'minimodem',
  'turnserver',
  'pdftotext',
  'qpdf',
  'ffmpeg',
  'pgbouncer',
];
const FOUND = ['bash', 'dirname'];

describe('.ci/run', () => {
  let bin;
  beforeEach(() => {
    bin = mkdtempSync(join(tmpdir(), 'landing-'));
    for (const program of FOUND) symlinkSync(whereIs(program), join(bin, program));
  });
  afterEach(() => rmSync(bin, { recursive: true, force: true }));

  /** A program that writes down how it was called, and ends so. */
  const put = (name, status = 0) =>
    writeFileSync(
      join(bin, name),
      `#!${whereIs('bash')}\necho "${name} $* CI=$CI SKIPS_ALLOWED=$SKIPS_ALLOWED" >> '${bin}/calls'\nexit ${status}\n`,
      { mode: 0o755 },
    );
  /** As on a machine that has these programs alone. */
  const land = () => {
    const { SKIPS_ALLOWED: _, CI: __, ...env } = process.env;
    const { status, stderr } = spawnSync(join(workspaceRoot, '.ci/run'), [], {
      env: { ...env, PATH: bin },
      encoding: 'utf8',
    });
    return { status, stderr, calls: readFileSync(join(bin, 'calls'), 'utf8').trimEnd().split('\n') };
  };

  it('runs the whole, nine minutes of long suites, and takes no skip, where nothing is missing', () => {
    for (const name of [...TOOLS, 'dpkg', 'dpkg-query', 'npm']) put(name);
    const { status, calls } = land();
    assert.equal(status, 0);
    assert.equal(calls.at(-1), 'npm test --silent -- --landing 9 CI=true SKIPS_ALLOWED=');
    assert.ok(!calls.some(call => call.startsWith('apt-get')));
  });

  it('installs what is missing, and that alone', () => {
    for (const name of [...TOOLS.slice(2), 'dpkg', 'dpkg-query', 'npm', 'apt-get']) put(name);
    const { status, calls } = land();
    assert.equal(status, 0);
    const installed = calls.filter(call => call.startsWith('apt-get install'));
    assert.equal(installed.length, 1);
    assert.match(installed[0], /--no-install-recommends nats-server chromium CI=/);
  });

  it('allows suites that want a GPU to be skipped, and no others, where no Vulkan can be had', () => {
    for (const name of [...TOOLS, 'dpkg-query', 'npm']) put(name);
    for (const name of ['dpkg', 'apt-get', 'grep', 'head']) put(name, 1);
    const { status, calls } = land();
    assert.equal(status, 0);
    assert.equal(calls.at(-1), 'npm test --silent -- --landing 9 CI=true SKIPS_ALLOWED=WebGPU');
  });

  it('fails where what is missing cannot be installed, or where the tests fail', () => {
    for (const name of [...TOOLS.slice(1), 'dpkg', 'dpkg-query', 'npm']) put(name);
    put('apt-get', 100);
    const without = land();
    assert.notEqual(without.status, 0);
    assert.ok(!without.calls.some(call => call.startsWith('npm')));
    put('nats-server');
    put('npm', 1);
    assert.equal(land().status, 1);
  });
});

function whereIs(program) {
  const { stdout } = spawnSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  return stdout.trim();
}
