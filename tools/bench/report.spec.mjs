import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { workspaceRoot } from '../setup/workspace.mjs';
import { provenance, Report } from './report.mjs';

describe('report of a benchmark', () => {
  it('compares each row with the first of its table, by the first metric', () => {
    const report = new Report();
    report.table('hash');
    report.row('peer', { perSecond: 200, p50Ms: 5 });
    report.row('ours', { perSecond: 300, p50Ms: 3 });
    report.table('proof');
    report.row('ours', { proveMs: 10 });
    const [hash, proof] = report.result.tables;
    assert.deepEqual(
      hash.rows.map(row => row.ratio),
      [1, 1.5],
    );
    assert.equal(proof.rows[0].ratio, 1);
  });

  it('prints a Markdown table whose columns line up, and the notes below it', () => {
    const report = new Report();
    report.row('bare', { requestsPerSecond: 12_345, p50Ms: 0.5123 });
    report.row('a longer name', { requestsPerSecond: 6_172.5 });
    report.note('Client and server share two cores.');
    const lines = report.markdown().split('\n');
    assert.equal(new Set(lines.slice(0, 4).map(line => line.length)).size, 1);
    assert.match(lines[2], /\| bare +\| +12,345 \| 0\.512 \| +1× \|/);
    assert.match(lines[3], /\| a longer name \| +6,173 \| +\| +0\.5× \|/);
    assert.equal(lines[5], 'Client and server share two cores.');
  });

  it('refuses a row that measured nothing', () => {
    assert.throws(() => new Report().row('nothing', {}), RangeError);
  });

  it('says on which commit, machine and versions it was measured', () => {
    const { commit, cores, node, packages } = provenance(workspaceRoot, ['fastify']);
    const head = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: workspaceRoot,
      encoding: 'utf8',
    }).trim();
    assert.ok(commit.startsWith(head));
    assert.ok(cores > 0 && node === process.versions.node);
    assert.match(packages.fastify, /^5\./);
  });
});
