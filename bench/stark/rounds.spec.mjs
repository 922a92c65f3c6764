import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Report } from '../../tools/bench/report.mjs';
import { compare } from './rounds.mjs';

/** A contender that takes the given times, one a process. */
function contender(name, isPeer, grindingBits, times, calls = []) {
  const left = [...times];
  return {
    name,
    isPeer,
    grindingBits,
    run: async ({ log2Rows, threads }) => {
      calls.push(`${name} 2^${log2Rows} ${threads}`);
      const ms = left.shift();
      if (ms === undefined)
        throw Object.assign(new Error('command failed'), { stderr: 'at x\nRangeError: no memory\n' });
      return {
        proveMs: [ms, ms + 2],
        traceMs: [0],
        verifyMs: [1],
        proofBytes: 10 * ms,
        peakRssKib: 2048 * ms,
      };
    },
  };
}

const once = { sizes: [10], threadCounts: [1], rounds: 1 };
const rowsOf = report => report.result.tables.flatMap(({ rows }) => rows);

describe('comparison of provers', () => {
  it('runs every contender once a round, round after round', async () => {
    const calls = [];
    const [a, b] = ['a', 'b'].map(name => contender(name, false, 16, [1, 1, 1, 1], calls));
    const report = new Report();
    await compare(report, [['t', [a, b]]], { sizes: [10], threadCounts: [1, 2], rounds: 2 });
    const round = threads => [`a 2^10 ${threads}`, `b 2^10 ${threads}`];
    assert.deepEqual(calls, [...round(1), ...round(1), ...round(2), ...round(2)]);
    assert.deepEqual(
      report.result.tables.map(({ title }) => title),
      ['t, 2^10 rows, 1 thread', 't, 2^10 rows, 2 threads'],
    );
  });

  it('takes the median of all runs of all rounds, the least time and the greatest size', async () => {
    const report = new Report();
    await compare(report, [['t', [contender('a', false, 16, [10, 3, 20])]]], { ...once, rounds: 3 });
    const [{ metrics }] = rowsOf(report);
    assert.equal(metrics.proveMs, (10 + 12) / 2);
    assert.equal(metrics.proveBestMs, 3);
    assert.equal(metrics.proofBytes, 200);
    assert.equal(metrics.peakRssMb, 40);
  });

  it('holds ours against the fastest peer that grinds as long', async () => {
    const report = new Report();
    const all = [
      contender('slow peer', true, 16, [9]),
      contender('fast peer', true, 16, [7]),
      contender('peer that does not grind', true, 0, [1]),
      contender('ours', false, 16, [3]),
      contender('ours with nobody to beat', false, 20, [3]),
    ];
    await compare(report, [['t', all]], once);
    const ratios = rowsOf(report).map(({ metrics }) => metrics.timesFastestPeer);
    assert.deepEqual(ratios, [undefined, undefined, undefined, 4 / 8, undefined]);
  });

  it('keeps what a contender measured before it failed, says why it did, and does not ask it again', async () => {
    const calls = [];
    const all = [contender('good', false, 16, [1, 1, 1, 1]), contender('bad', false, 16, [1], calls)];
    const report = new Report();
    await compare(report, [['t', all]], { sizes: [10, 12], threadCounts: [1], rounds: 2 });
    assert.deepEqual(calls, ['bad 2^10 1', 'bad 2^10 1']);
    assert.deepEqual(report.result.notes, ['SKIPPED bad from 2^10 on: RangeError: no memory.']);
    assert.deepEqual(
      rowsOf(report).map(({ name }) => name),
      ['good', 'bad', 'good'],
    );
  });
});
