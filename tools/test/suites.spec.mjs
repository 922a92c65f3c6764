import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gitTree } from '../tidy/tidy.mjs';
import { workspaceRoot } from '../setup/workspace.mjs';
import { ImportGraph } from './import-graph.mjs';
import { longShare } from './long-share.mjs';
import { missingTools } from './missing-tools.mjs';
import { relatedSuites } from './related-suites.mjs';
import { grownMost, heldAgainst, spendingOf } from './spending.mjs';
import { packageFolders } from './package-entries.mjs';
import { longHeader, suiteOf, suitesAmong } from './suites.mjs';

/** A tree of files that exist in this test alone. */
const treeOf = contents => ({ files: Object.keys(contents), read: file => contents[file] });
const COSTS = { reference: 1, suites: {} };

describe('a suite', () => {
  it('is of the tier, the project and the runner that its name tells', () => {
    const told = file => Object.values(suiteOf(file)).slice(1);
    assert.deepEqual(told('libs/engines/modem/src/ecc/bch.spec.ts'), ['unit', 'libs/engines/modem', 'jest']);
    assert.deepEqual(told('apps/payments/e2e/claims.e2e.spec.ts'), ['service', 'apps/payments', 'jest']);
    assert.deepEqual(told('libs/kernels/src/fft.long.spec.ts'), ['long', 'libs/kernels', 'jest']);
    assert.deepEqual(told('apps/allinone/e2e/task-death.long.spec.ts'), ['long', 'apps/allinone', 'jest']);
    assert.deepEqual(told('tools/sandbox/e2e/card.spec.ts'), ['service', 'tools/sandbox', 'jest']);
    assert.deepEqual(told('libs/x/e2e/rust.foreign.spec.ts'), ['foreign', 'libs/x', 'jest']);
    assert.deepEqual(told('tools/bench/smoke.long.spec.mjs'), ['long', 'tools', 'node']);
    for (const file of ['libs/kernels/src/fft.ts', 'docs/a.spec.md', 'libs/kernels/fft.spec.ts'])
      assert.equal(suiteOf(file), undefined);
  });

  it('of the long tier says which quick one stands for it, or why none does, and what it watches', () => {
    assert.deepEqual(longHeader('// commit: ./a.spec.ts\n// watches: apps/x, libs/y/src\nimport 1'), {
      sample: './a.spec.ts',
      watches: ['apps/x', 'libs/y/src'],
    });
    assert.deepEqual(longHeader('// commit: none, only a kill shows it\nimport 1'), {
      reason: 'only a kill shows it',
      watches: [],
    });
    assert.deepEqual(longHeader('import 1'), { sample: undefined, watches: [] });
  });

  it('is found in every package that has one', () => {
    const projects = new Set(suitesAmong(gitTree(workspaceRoot).files).map(({ project }) => project));
    const without = packageFolders(workspaceRoot).filter(folder => !projects.has(folder));
    assert.deepEqual(without, []);
  });
});

describe('the graph of imports', () => {
  const pack = (name, exports) => JSON.stringify({ name, exports });
  const tree = treeOf({
    'libs/a/package.json': pack('@svc/a', { '.': { '@svc/source': './src/index.ts' } }),
    'libs/a/src/index.ts': `export { one } from './one.js';\nexport {\n  type Two,\n  two as zwei,\n} from './two.js';\n`,
    'libs/a/src/one.ts': `import { deep } from './deep.js';\nexport const one = deep;\n`,
    'libs/a/src/two.ts': 'export const two = 2;\n',
    'libs/a/src/deep.ts': 'export const deep = 1;\n',
    'libs/b/src/one.spec.ts': `import { one } from '@svc/a';\n`,
    'libs/b/src/two.spec.ts': `import {\n  zwei,\n} from '@svc/a';\n`,
    'libs/b/src/all.spec.ts': `import * as all from '@svc/a';\n`,
    'libs/b/src/late.spec.ts': `const a = await import('@svc/a');\n`,
    'libs/b/e2e/child.spec.ts': `const script = new URL('../src/child.mjs', import.meta.url);\n`,
    'libs/b/src/child.mjs': `import '../../a/src/deep.ts';\n`,
  });
  const reached = (...changed) => {
    const found = [...new ImportGraph(tree).distancesFrom(changed)];
    return Object.fromEntries(found.filter(([file]) => file.includes('.spec.')));
  };

  it('leads through the entry of a package to those alone who import the name', () => {
    assert.deepEqual(reached('libs/a/src/two.ts'), {
      'libs/b/src/two.spec.ts': 1,
      'libs/b/src/all.spec.ts': 2,
      'libs/b/src/late.spec.ts': 2,
    });
  });

  it('counts the imports between, and follows files that are started by their URL', () => {
    assert.deepEqual(reached('libs/a/src/deep.ts'), {
      'libs/b/src/one.spec.ts': 2,
      'libs/b/src/all.spec.ts': 3,
      'libs/b/src/late.spec.ts': 3,
      'libs/b/e2e/child.spec.ts': 2,
    });
  });

  it('takes a change of the entry itself for one of every name', () => {
    assert.equal(Object.keys(reached('libs/a/src/index.ts')).length, 4);
  });

  it('of this repository leads from a kernel across packages', () => {
    const whole = new ImportGraph(gitTree(workspaceRoot)).distancesFrom([
      'libs/kernels/src/circle/circle-fft.ts',
    ]);
    const projects = new Set([...whole.keys()].flatMap(file => suiteOf(file)?.project ?? []));
    for (const project of ['libs/engines/stark-prover', 'libs/engines/stark-verifier', 'apps/prover'])
      assert.ok(projects.has(project), project);
  });

  it('gives what a change reaches nearest first, and every suite of a project whose other files changed', () => {
    const changed = ['libs/a/src/deep.ts'];
    const near = relatedSuites({ tree, changed, projects: ['libs/a'], costs: COSTS });
    assert.equal(near.unit[0].file, 'libs/b/src/one.spec.ts');
    assert.deepEqual(
      near.service.map(({ file }) => file),
      ['libs/b/e2e/child.spec.ts'],
    );
    const beside = relatedSuites({
      tree,
      changed: ['libs/b/table.json'],
      projects: ['libs/b'],
      costs: COSTS,
    });
    assert.equal(beside.unit.length + beside.service.length, 5);
    const all = relatedSuites({ tree, changed: ['package-lock.json'], projects: [], costs: COSTS });
    assert.equal(all.unit.length + all.service.length, 5);
  });
});

describe('the long share of a landing', () => {
  const suites = [
    'apps/payments/e2e/death',
    'libs/kernels/src/fft',
    'libs/engines/modem/src/room',
    'apps/snn/e2e/million',
  ].map(name => suiteOf(`${name}.long.spec.ts`));
  const texts = {
    'apps/payments/e2e/death.long.spec.ts': '// commit: none, kills\n// watches: libs/durability/src\n',
  };
  const share = (changed, distances = new Map(), turn = 0) =>
    longShare({ suites, changed, distances, read: file => texts[file] ?? '', costs: COSTS, turn });

  it('begins with money and durability, then what the change reaches, the nearest first', () => {
    const distances = new Map([
      ['libs/kernels/src/fft.long.spec.ts', 2],
      ['libs/engines/modem/src/room.long.spec.ts', 1],
    ]);
    const [first, second, third] = share(['libs/durability/src/saga.ts'], distances);
    assert.equal(first.suite.project, 'apps/payments');
    assert.deepEqual([second.suite.project, third.suite.project], ['libs/engines/modem', 'libs/kernels']);
  });

  it('brings every suite up in five landings in which it is not reached', () => {
    const seen = new Set(
      [0, 1, 2, 3, 4].flatMap(turn => share([], new Map(), turn).map(({ suite }) => suite.file)),
    );
    assert.equal(seen.size, suites.length);
    assert.ok(share([], new Map(), 7).length < suites.length);
  });
});

describe('what suites cost', () => {
  const record = (file, cpuSeconds) => ({ file, cpuSeconds, missing: [] });
  const records = [
    record('apps/snn/src/a.spec.ts', 4),
    record('apps/snn/e2e/b.spec.ts', 8),
    record('apps/snn/e2e/c.long.spec.ts', 90),
  ];

  it('is added up by project in multiples of the reference loop, without the long tier', () => {
    assert.deepEqual([...spendingOf(records, 2)], [['apps/snn', 6]]);
  });

  it('names a project above 1.3 times its budget, and fails one above twice, or without one', () => {
    const spending = new Map([
      ['a', 12],
      ['b', 14],
      ['c', 21],
      ['d', 1],
    ]);
    const { notices, faults } = heldAgainst(spending, { a: 10, b: 10, c: 10 });
    assert.deepEqual([notices.length, faults.length], [1, 2]);
    assert.match(notices[0], /^b spent 14 of its budget of 10 \(1\.4 times\)/);
    assert.match(faults[0], /^c /);
    assert.match(faults[1], /^d has no budget/);
  });

  it('shows the suites that grew, on a machine of half the speed too', () => {
    const costs = {
      reference: 1,
      suites: { 'apps/snn/src/a.spec.ts': [2, 2], 'apps/snn/e2e/b.spec.ts': [1, 1] },
    };
    const grown = grownMost(records, 2, costs);
    assert.equal(grown.length, 1);
    assert.match(grown[0], /^apps\/snn\/e2e\/b\.spec\.ts took 8\.0 CPU s, 6\.0 more/);
  });
});

describe('suites that lack a tool', () => {
  it('are named with the one command that installs what is missing', () => {
    const lines = missingTools([
      { file: 'a.spec.ts', missing: ['nats-server is not installed', 'nats-server is not installed'] },
      { file: 'b.spec.ts', missing: [] },
      { file: 'c.spec.ts', missing: ['pdftotext is not installed'] },
    ]);
    assert.deepEqual(lines, [
      '2 suites did not run whole:',
      '  a.spec.ts: nats-server is not installed',
      '  c.spec.ts: pdftotext is not installed',
      'To run them too: apt-get install nats-server poppler-utils',
    ]);
    assert.deepEqual(missingTools([{ file: 'b.spec.ts', missing: [] }]), []);
  });
});
