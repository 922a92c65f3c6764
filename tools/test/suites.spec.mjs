import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gitTree } from '../tidy/tidy.mjs';
import { workspaceRoot } from '../setup/workspace.mjs';
import { thoseThatFit } from './gates.mjs';
import { ImportGraph } from './import-graph.mjs';
import { longShare, MONEY } from './long-share.mjs';
import { missingTools } from './missing-tools.mjs';
import { relatedSuites } from './related-suites.mjs';
import { grownMost, heldAgainst, readBudgets, recordCosts, spendingOf, spentInAll } from './spending.mjs';
import { packageFolders } from './package-entries.mjs';
import { expectedSeconds, longHeader, recordedCosts, suiteOf, suitesAmong } from './suites.mjs';

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

  it('of this repository leads through names that a package has for itself, to who uses it', () => {
    for (const [file, project] of [
      ['libs/durability/src/wal/node/digest.ts', 'apps/payments'],
      ['libs/protocols/src/encoding/node/sha256.ts', 'apps/gateway'],
    ]) {
      const reached = new ImportGraph(gitTree(workspaceRoot)).distancesFrom([file]);
      const projects = new Set([...reached.keys()].flatMap(each => suiteOf(each)?.project ?? []));
      assert.ok(projects.has(project), file);
    }
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
    assert.equal(near.nearTools.length + near.farTools.length + near.long.length, 0);
    const all = relatedSuites({ tree, changed: ['package-lock.json'], projects: [], costs: COSTS });
    assert.equal(all.unit.length + all.service.length, 5);
  });
});

describe('suites that a change reaches without an import', () => {
  const files = {
    'apps/pay/src/main.ts': `import './pay.js';\n`,
    'apps/pay/src/pay.ts': '',
    'apps/shop/src/main.ts': `import '../../pay/src/pay.js';\n`,
    'apps/shop/e2e/processes.ts': `const main = resolve(workspace, 'apps', app, 'dist/main.js');\n`,
    'apps/shop/e2e/shop.spec.ts': `import { start } from './processes.js';\n`,
    'libs/a/assembly/add.ts': '',
    'libs/a/src/add.spec.ts': '',
    'libs/a/src/kill.long.spec.ts': '',
    'libs/b/e2e/run.spec.ts': `const cwd = join(ROOT, 'apps/pay');\nspawn('node', ['dist/main.js'], { cwd });\n`,
    'libs/b/e2e/thread.spec.ts': `const THREAD = new URL('../../a/dist/thread.js', import.meta.url);\n`,
    'libs/a/src/thread.ts': '',
    'libs/b/src/page.spec.ts': `const page = new URL('../../../docs/page.md', import.meta.url);\n`,
    'docs/page.md': '',
    'tools/test/worker-postgres.mjs': `const KEEPER = new URL('../../libs/c/dist/keeper.js', import.meta.url);\n`,
    'libs/c/src/keeper.ts': '',
    'tools/x/near.spec.mjs': `read('docs/page.md'); put('libs/a/src/thread.ts');\n`,
    'tools/x/far.spec.mjs': '',
    'tools/deploy/topology.spec.mjs': '',
    'libs/c/assembly/sum.ts': '',
    'libs/c/src/load.ts': `const file = new URL('../dist/sum.wasm', import.meta.url);\n`,
    'libs/b/src/sum.spec.ts': `import '../../c/src/load.js';\n`,
    'libs/d/package.json': `{"name":"@svc/d","exports":{".":{"@svc/source":"./src/index.ts"}}}`,
    'libs/d/src/index.ts': `export { sum } from './sum.js';\n`,
    'libs/d/src/sum.ts': '',
    'libs/d/src/sum.spec.ts': `import { sum } from './sum.js';\n`,
    'bench/d/bench.mjs': `import { sum } from '@svc/d';\n`,
    'tools/bench/benchmarks.mjs': `const load = name => import(join(folder, name, 'bench.mjs'));\n`,
    'tools/bench/smoke.spec.mjs': `import { load } from './benchmarks.mjs';\n`,
  };
  const projects = ['apps/pay', 'apps/shop', 'libs/a', 'libs/b', 'libs/c', 'libs/d'];
  const reached = (...changed) => {
    const ofChange = projects.filter(project => changed.some(file => file.startsWith(project)));
    const related = relatedSuites({ tree: treeOf(files), changed, projects: ofChange, costs: COSTS });
    const named = Object.entries(related).map(([kind, suites]) => [kind, suites.map(({ file }) => file)]);
    return Object.fromEntries(named.filter(([, suites]) => suites.length > 0));
  };
  const SMOKE = 'tools/bench/smoke.spec.mjs';
  const TOOLS = ['tools/x/near.spec.mjs', 'tools/x/far.spec.mjs', 'tools/deploy/topology.spec.mjs', SMOKE];

  it('are those of who loads what AssemblyScript is compiled into', () => {
    assert.deepEqual(reached('libs/c/assembly/sum.ts'), { unit: ['libs/b/src/sum.spec.ts'] });
  });

  it('are those of the deployment for configurations, migrations and what packages need', () => {
    for (const file of [
      'apps/pay/package.json',
      'apps/pay/src/pay-config.ts',
      'apps/pay/src/migrations/1-a.ts',
    ])
      assert.deepEqual(reached(file).farTools, ['tools/deploy/topology.spec.mjs'], file);
  });

  it('are those of the project for AssemblyScript, for what is gone and for what is no source', () => {
    const all = { unit: ['libs/a/src/add.spec.ts'], long: ['libs/a/src/kill.long.spec.ts'] };
    for (const file of ['libs/a/assembly/add.ts', 'libs/a/src/gone.ts', 'libs/a/table.json'])
      assert.deepEqual(reached(file), all, file);
    assert.deepEqual(reached('libs/a/src/gone.spec.ts'), {});
  });

  it('are those that load a benchmark which imports what changed, behind the suites of packages', () => {
    const { unit, nearTools, farTools } = reached('libs/d/src/sum.ts');
    assert.deepEqual([unit, nearTools, farTools], [['libs/d/src/sum.spec.ts'], undefined, [SMOKE]]);
    assert.deepEqual(reached('bench/d/bench.mjs'), { nearTools: [SMOKE] });
  });

  it('are those of the tools for files outside of packages', () => {
    for (const file of [
      'docker-compose.yml',
      'Dockerfile',
      'k8s/base/nats.conf',
      'tools/mutate/mutations.json',
    ])
      assert.deepEqual(reached(file).farTools.sort(), [...TOOLS].sort(), file);
    const { nearTools, unit, farTools } = reached('docs/page.md');
    assert.deepEqual([nearTools, unit], [[TOOLS[0]], ['libs/b/src/page.spec.ts']]);
    assert.deepEqual(farTools.sort(), TOOLS.slice(1).sort());
  });

  it('are all for what every suite is run with, and all services for what their Postgres is kept by', () => {
    const services = Object.keys(files).filter(file => suiteOf(file)?.tier === 'service');
    for (const file of ['tools/test/source-transform.mjs', 'tools/test/worker-postgres.mjs']) {
      const { unit, service, farTools, nearTools = [] } = reached(file);
      assert.equal(unit.length + service.length, services.length + 4, file);
      assert.equal(nearTools.length + farTools.length, TOOLS.length);
    }
    const { service, unit = [] } = reached('libs/c/src/keeper.ts');
    assert.deepEqual([service.sort(), unit], [services.sort(), []]);
  });

  it('are those that start a program from what is built of it', () => {
    assert.deepEqual(reached('apps/pay/src/pay.ts').service, [
      'apps/shop/e2e/shop.spec.ts',
      'libs/b/e2e/run.spec.ts',
    ]);
    assert.deepEqual(reached('apps/shop/src/main.ts').service, ['apps/shop/e2e/shop.spec.ts']);
    assert.deepEqual(reached('libs/a/src/thread.ts'), { service: ['libs/b/e2e/thread.spec.ts'] });
  });

  it('are in this repository the product for the payments, and service suites for the keeper of their Postgres', () => {
    const tree = gitTree(workspaceRoot);
    const serviceOf = file => {
      const parts = { tree, changed: [file], projects: [], costs: COSTS };
      return relatedSuites(parts).service.map(suite => suite.file);
    };
    const reachedByPayments = serviceOf('apps/payments/src/claim/claim-insert.ts');
    for (const file of ['libs/client/e2e/product.spec.ts', 'apps/allinone/e2e/allinone.spec.ts'])
      assert.ok(reachedByPayments.includes(file), file);
    assert.ok(serviceOf('libs/platform/src/testing/postgres-keeper.ts').length > 100);
  });
});

describe('the seconds of a suite', () => {
  it('are what it took, else the median of its tier, else a guess', () => {
    const suites = Object.fromEntries(
      [9, 40, 700].map((wall, i) => [`libs/a/src/${i}.long.spec.ts`, [1, wall]]),
    );
    const took = (file, costs) => expectedSeconds(suiteOf(file), costs);
    assert.equal(took('libs/a/src/2.long.spec.ts', { reference: 1, suites }), 700);
    assert.equal(took('tools/a/new.long.spec.mjs', { reference: 1, suites }), 40);
    assert.equal(took('libs/a/src/new.spec.ts', { reference: 1, suites }), 2);
    assert.equal(took('tools/a/new.spec.mjs', { reference: 1, suites }), 4);
  });
});

describe('the long share of a landing', () => {
  const suites = [
    'apps/payments/e2e/death',
    'libs/kernels/src/fft',
    'libs/engines/modem/src/room',
    'apps/snn/e2e/million',
  ]
    .map(name => suiteOf(`${name}.long.spec.ts`))
    .concat(suiteOf('tools/bench/smoke.long.spec.mjs'));
  const texts = {
    'apps/payments/e2e/death.long.spec.ts': '// commit: none, kills\n// watches: libs/durability/src\n',
  };
  const share = (changed, distances = new Map(), turn = 0) =>
    longShare({ suites, changed, distances, read: file => texts[file] ?? '', costs: COSTS, turn });

  it('begins with the bin of its turn, then money and durability, then what the change reaches, the nearest first', () => {
    const distances = new Map([
      ['libs/kernels/src/fft.long.spec.ts', 2],
      ['libs/engines/modem/src/room.long.spec.ts', 1],
    ]);
    const order = turn =>
      share(['libs/durability/src/saga.ts'], distances, turn).map(({ suite }) => suite.project);
    const touched = ['apps/payments', 'libs/engines/modem', 'libs/kernels'];
    assert.deepEqual(order(6), [...touched, 'apps/snn']);
    assert.deepEqual(order(1), ['apps/snn', ...touched]);
    assert.deepEqual(order(3), ['libs/kernels', 'apps/payments', 'libs/engines/modem']);
    assert.deepEqual(order(8), ['apps/payments', 'libs/kernels', 'libs/engines/modem']);
  });

  it('has the smallest sizes of the benchmarks where one of them changed, and not for other tools', () => {
    const why = changed => share([changed]).find(({ suite }) => suite.runner === 'node')?.why;
    for (const file of ['bench/mcp/bench.mjs', 'tools/bench/report.mjs'])
      assert.equal(why(file), 'reached by the change', file);
    assert.notEqual(why('tools/tidy/tidy.mjs'), 'reached by the change');
  });

  it('has those that are reached through a benchmark behind all others, and among them when their bin comes up', () => {
    const smoke = 'tools/bench/smoke.long.spec.mjs';
    const found = turn =>
      share(['libs/kernels/src/fft.ts'], new Map([[smoke, 3]]), turn).map(({ suite, isLast }) => [
        suite.file,
        isLast,
      ]);
    const turns = [0, 1, 2, 3, 4].map(found);
    assert.ok(turns.every(list => list.some(([file]) => file === smoke)));
    assert.equal(turns.filter(list => list.at(-1)[0] === smoke && list.at(-1)[1]).length, 4);
  });

  it('brings every suite up in five landings in which it is not reached', () => {
    const seen = new Set(
      [0, 1, 2, 3, 4].flatMap(turn => share([], new Map(), turn).map(({ suite }) => suite.file)),
    );
    assert.equal(seen.size, suites.length);
    assert.ok(share([], new Map(), 7).length < suites.length);
  });

  it('of a change of everything holds all suites on money in five landings, and all suites in ten', () => {
    const tree = gitTree(workspaceRoot);
    const costs = recordedCosts(workspaceRoot);
    const all = suitesAmong(tree.files).filter(({ tier }) => tier === 'long');
    const distances = new Map(tree.files.map(file => [file, 0]));
    const parts = { suites: all, changed: tree.files, distances, read: tree.read, costs };
    // On a machine that takes 0.42 s for the reference loop, whatever the costs were recorded on.
    const secondsOf = suite => (expectedSeconds(suite, costs) * 0.42) / costs.reference;
    const landed = new Set();
    const missing = () => all.filter(suite => !landed.has(suite));
    for (let turn = 0; turn < 10; turn++) {
      const ordered = longShare({ ...parts, turn });
      // Node's suites come before Jest's.
      const ofRunner = runner => ordered.flatMap(({ suite }) => (suite.runner === runner ? suite : []));
      const startMs = 1000 * ofRunner('node').reduce((sum, suite) => sum + secondsOf(suite), 0);
      const fitting = thoseThatFit(ofRunner('jest'), { deadline: 9 * 60_000, secondsOf }, startMs);
      for (const suite of [...ofRunner('node'), ...fitting]) landed.add(suite);
      if (turn === 4)
        assert.deepEqual(
          missing().filter(({ project }) => MONEY.test(project)),
          [],
        );
    }
    assert.deepEqual(missing(), []);
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

  it('has a budget for each package that has unit or service suites, and for no other', () => {
    const quick = suitesAmong(gitTree(workspaceRoot).files).filter(
      ({ tier, runner }) => runner === 'jest' && ['unit', 'service'].includes(tier),
    );
    const projects = new Set(quick.map(({ project }) => project));
    assert.deepEqual(Object.keys(readBudgets(workspaceRoot)), [...projects].sort());
  });

  it('is told as a sum beside that of all budgets', () => {
    const told = spentInAll(spendingOf(records, 2), { 'apps/snn': 10, 'libs/edge': 4 });
    assert.equal(told, 'Unit and service suites spent 6 loops; all budgets are 14.');
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

  it('is kept of suites that did not run, and not of those that are gone', () => {
    const root = mkdtempSync(join(tmpdir(), 'svc-costs-'));
    try {
      for (const file of ['tools/test/costs.json', 'libs/a/src/a.spec.ts', 'libs/a/src/b.spec.ts']) {
        mkdirSync(join(root, file, '..'), { recursive: true });
        writeFileSync(join(root, file), '');
      }
      const suites = { 'libs/a/src/a.spec.ts': [2, 2, 1], 'libs/a/src/gone.spec.ts': [1, 1, 1] };
      writeFileSync(join(root, 'tools/test/costs.json'), JSON.stringify({ reference: 1, suites }));
      const ran = { file: 'libs/a/src/b.spec.ts', cpuSeconds: 5, wallSeconds: 6, expectations: 7, failed: 0 };
      recordCosts(root, [ran], 1);
      assert.deepEqual(recordedCosts(root).suites, {
        'libs/a/src/a.spec.ts': [2, 2, 1],
        'libs/a/src/b.spec.ts': [5, 6, 7],
      });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});

describe('the table of `expect` calls in docs/testing.md', () => {
  it('has a row of each long suite that Jest runs, and a suite for each row', () => {
    const told = readFileSync(join(workspaceRoot, 'docs/testing.md'), 'utf8');
    const table = told.slice(told.indexOf('| long suite |')).split('\n').slice(2).join('\n');
    const rows = [...table.matchAll(/^\| `([^`]+)` \|/gm)].flatMap(([, name]) => inBraces(name));
    const suites = suitesAmong(gitTree(workspaceRoot).files)
      .filter(({ tier, runner }) => tier === 'long' && runner === 'jest')
      .map(({ file }) => file.replace(/\.long\.spec\.ts$/, ''));
    assert.deepEqual(rows.sort(), suites.sort());
  });
});

/** `a-{b,c}.d` as a shell reads it: `a-b.d` and `a-c.d`. */
function inBraces(name) {
  const [, before, list, after] = /^(.*)\{(.+)\}(.*)$/.exec(name) ?? [];
  return list ? list.split(',').map(part => `${before}${part}${after}`) : [name];
}

describe('suites that lack a tool', () => {
  it('are named with the one command that installs what is missing', () => {
    const lines = missingTools([
      { file: 'a.spec.ts', missing: ['nats-server is not installed', 'nats-server is not installed'] },
      { file: 'b.spec.ts', missing: [] },
      { file: 'c.spec.ts', missing: ['pdftotext is not installed'] },
      { file: 'd.spec.ts', missing: ['WebGPU: no driver offers an adapter'] },
    ]);
    assert.deepEqual(lines, [
      '3 suites did not run whole:',
      '  a.spec.ts: nats-server is not installed',
      '  c.spec.ts: pdftotext is not installed',
      '  d.spec.ts: WebGPU: no driver offers an adapter',
      'To run them too: apt-get install libvulkan1 mesa-vulkan-drivers nats-server poppler-utils',
    ]);
    const anvil = missingTools([{ file: 'a.spec.ts', missing: ['anvil or nats-server is not installed'] }]);
    assert.equal(anvil.at(-1), 'To run them too: apt-get install nats-server && npm ci --include=optional');
    assert.deepEqual(missingTools([{ file: 'b.spec.ts', missing: [] }]), []);
  });
});
