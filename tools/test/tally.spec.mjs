import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { closingLine, sum } from './tally.mjs';

describe('tally of suites', () => {
  it('adds up the records of the suites', () => {
    const records = [
      { passed: 4, failed: 0, skipped: 2 },
      { passed: 1, failed: 1, skipped: 0 },
    ];
    assert.deepEqual(sum(records), { passed: 5, failed: 1, skipped: 2 });
  });
});

describe('tally of node:test', () => {
  // In a process of its own: a runner inside a running test does nothing.
  const told = source => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-tally-'));
    const program = `
      import { run } from 'node:test';
      import { recordsOfNodeTests } from ${JSON.stringify(join(import.meta.dirname, 'tally.mjs'))};
      const told = await recordsOfNodeTests(run({ files: [${JSON.stringify(join(folder, 'a.spec.mjs'))}] }));
      console.log(JSON.stringify(told));`;
    try {
      writeFileSync(join(folder, 'run.mjs'), program);
      writeFileSync(
        join(folder, 'a.spec.mjs'),
        `import { describe, it, before } from 'node:test';\n${source}`,
      );
      const { NODE_TEST_CONTEXT: _inside, ...env } = process.env;
      return JSON.parse(execFileSync(process.execPath, [join(folder, 'run.mjs')], { env, encoding: 'utf8' }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  const tallyOf = source => told(source).tally;

  it('counts tests and not their suites', () => {
    const source = `describe('a', () => { it('x', () => {}); it('y', () => { throw Error(); }); it('z', { skip: true }, () => {}); });`;
    assert.deepEqual(tallyOf(source), { passed: 1, failed: 1, skipped: 1 });
  });

  it('counts a suite that is skipped as one skipped, beside the tests that ran', () => {
    const source = `describe('a', { skip: 'no tool' }, () => { it('x', () => {}); it('y', () => {}); }); it('z', () => {});`;
    assert.deepEqual(tallyOf(source), { passed: 1, failed: 0, skipped: 1 });
  });

  it('reports a failure when a file cannot be loaded', () => {
    assert.ok(tallyOf('throw new Error("broken");').failed > 0);
  });

  it('reports a failure when the set-up of a suite fails', () => {
    const source = `describe('a', () => { before(() => { throw Error(); }); it('x', () => {}); });`;
    assert.ok(tallyOf(source).failed > 0);
  });

  it('tells of each file what failed, and why tests were skipped', () => {
    const source = `describe('a', () => { it('x', { skip: 'sox is not installed' }, () => {}); it('y', { skip: true }, () => {}); });
      describe('b', { skip: 'no tool' }, () => { it('x', () => {}); });
      it('z', () => { throw Error(); });`;
    const [{ file, failures, missing }, ...others] = told(source).records;
    assert.deepEqual(others, []);
    assert.match(file, /a\.spec\.mjs$/);
    assert.deepEqual(failures, ['z']);
    assert.deepEqual(missing.sort(), ['no tool', 'sox is not installed', '“y” is skipped']);
  });
});

describe('closing line', () => {
  it('adds up the gates and names skips only where there are some', () => {
    const total = sum([
      { passed: 1, failed: 0, skipped: 0 },
      { passed: 2, failed: 1, skipped: 0 },
    ]);
    assert.equal(closingLine(total), '3 passed, 1 failed');
    assert.equal(closingLine({ ...total, skipped: 2 }), '3 passed, 1 failed, 2 skipped');
  });
});
