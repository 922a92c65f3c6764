import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { workspaceRoot } from '../../tools/setup/workspace.mjs';

/** Honest and mutated claims: enough of every kind of mutation, in the time that cargo takes to build. */
const COUNTS = ['--valid', '20', '--mutated', '400', '--seed', '1'];

for (const [claims, ...also] of [['every claim'], ['every claim under a definition', '--own']])
  it(`a verifier in Rust, made from the documentation of the format, judges ${claims} as ours does`, t => {
    if (spawnSync('cargo', ['--version']).status !== 0) return t.skip('cargo is not installed');
    const args = [join(workspaceRoot, 'tools/bench.mjs'), 'second-verifier', ...COUNTS, ...also];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: workspaceRoot,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
  });
