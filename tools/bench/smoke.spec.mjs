import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SetupError } from '../setup/setup-error.mjs';
import { prepareWorkspace } from '../setup/workspace.mjs';
import { benchmarkNames, loadBenchmark } from './benchmarks.mjs';
import { optionsOf, partsOf, readOptions } from './options.mjs';
import { Report } from './report.mjs';
import { describeSmokes } from './smoke.cases.mjs';

// The benchmarks load what was built.
await prepareWorkspace();

/** Those that start no process. */
const CHEAPEST = ['second-verifier', 'webgpu'];

describe('smallest sizes of the benchmarks', () => {
  for (const name of benchmarkNames()) {
    it(`${name} says its options and its smallest sizes`, async () => {
      const benchmark = await loadBenchmark(name);
      assert.equal(typeof benchmark.default, 'function');
      assert.ok(Object.keys(benchmark.smoke).length > 0);
      const options = optionsOf(name, benchmark, { smoke: true });
      assert.deepEqual(Object.keys(options).sort(), Object.keys(benchmark.options).sort());
      assert.notDeepEqual(options, { ...benchmark.options });
    });
  }
  describeSmokes(CHEAPEST);
});

describe('options of a benchmark', () => {
  const benchmark = { options: { seconds: 5, only: undefined }, smoke: { seconds: 1 } };

  it('are read with values after a space or an equals sign, numbers as numbers', () => {
    const argv = ['gateway', '--seconds', '2', '--only=a,b', '--smoke', '--rates', '5,20'];
    assert.deepEqual(readOptions(argv), { seconds: 2, only: 'a,b', smoke: true, rates: '5,20' });
  });

  it('are its own, the smallest with --smoke, and what is asked for over both', () => {
    assert.deepEqual(optionsOf('b', benchmark, {}), { seconds: 5, only: undefined });
    assert.deepEqual(optionsOf('b', benchmark, { smoke: true, only: 'x' }), { seconds: 1, only: 'x' });
    assert.deepEqual(optionsOf('b', benchmark, { smoke: true, seconds: 3 }).seconds, 3);
  });

  it('are refused where it has none of the name, and where a smoke would be appended', () => {
    assert.throws(() => optionsOf('b', benchmark, { second: 3 }), SetupError);
    assert.throws(() => optionsOf('b', { ...benchmark, smoke: { rounds: 1 } }, {}), SetupError);
    assert.throws(() => optionsOf('b', benchmark, { smoke: true, append: true }), SetupError);
  });

  it('name parts that there are', () => {
    const parts = { a: 1, b: 2 };
    assert.deepEqual(partsOf(parts, undefined), [1, 2]);
    assert.deepEqual(partsOf(parts, 'b'), [2]);
    assert.throws(() => partsOf(parts, 'a,toString'), SetupError);
  });
});

describe('results that are missing', () => {
  const missingOf = metrics => {
    const report = new Report();
    report.table('t');
    report.row('r', metrics);
    return report.missing;
  };

  it('are figures that are no numbers', () => {
    assert.deepEqual(missingOf({ p50Ms: 0, said: 'none tried' }), []);
    for (const nothing of [NaN, Infinity, undefined, null, '']) {
      assert.deepEqual(missingOf({ p50Ms: nothing, calls: 1 }), ['p50Ms of "r" in "t"']);
    }
  });

  it('are all where there is no table, a table without a row, and a target that nothing was measured for', () => {
    const report = new Report();
    assert.deepEqual(report.missing, ['every table']);
    report.table('t');
    report.verdict('calls', 5 / 0, 'at least', 2);
    assert.deepEqual(report.missing, ['calls', '"t" as a whole']);
  });

  it('are not what was left out, which is named', () => {
    const report = new Report();
    report.row('ours', { ms: 1 });
    report.leftOut('theirs', 'needs Rust');
    assert.deepEqual(report.missing, []);
    assert.deepEqual(report.leftOutOnes, ['theirs, needs Rust']);
    assert.match(report.markdown(), /^Left out: theirs, needs Rust\.$/m);
  });
});
