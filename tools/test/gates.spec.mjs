import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { typescriptIsStale } from '../setup/outputs.mjs';
import { baseOf } from './change.mjs';
import { GATES, jestSuites, thoseThatFit, typesOf } from './gates.mjs';
import { suiteOf } from './suites.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-gates-'));
  put('package.json', '{ "name": "x" }');
  put('package-lock.json', '{}');
  put('.gitignore', 'node_modules\ndist\n');
  put('tsconfig.base.json', '{}');
  put('tsconfig.build.json', '{ "references": [{ "path": "libs/a/tsconfig.lib.json" }] }');
  put('libs/a/package.json', '{ "name": "a" }');
  put('libs/a/tsconfig.lib.json', '{}');
  put('libs/a/src/one.ts', 'export const one = 1;\n');
  put('libs/a/src/one.spec.ts', `import { one } from './one.js';\n`);
  put('libs/a/e2e/one.spec.ts', `import { one } from '../src/one.js';\n`);
  put('libs/a/e2e/one.long.spec.ts', `// commit: ./one.spec.ts\nimport './one.spec.js';\n`);
  put('tools/test/costs.json', '{ "reference": 1, "suites": {} }');
  mkdirSync(join(root, 'apps'));
  mkdirSync(join(root, 'libs/engines'));
  put('node_modules/typescript/package.json', '{ "version": "1" }');
  // Compiles as tsc -b does, as far as this test looks, and says what it was asked for.
  standIn(
    'typescript/bin/tsc',
    `mkdirSync('libs/a/dist', { recursive: true });
     writeFileSync('libs/a/dist/one.js', '');
     writeFileSync('libs/a/dist/tsconfig.lib.tsbuildinfo', '{ "fileNames": ["../src/one.ts"] }');
     console.log('tsc', ...args);`,
  );
  standIn('prettier/bin/prettier.cjs', '');
  standIn('eslint/bin/eslint.js', '');
  standIn('jest/bin/jest.js', JEST);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path, content) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
/** A program of node_modules that does as it is told here. */
const standIn = (path, code) =>
  put(
    `node_modules/${path}`,
    `const { mkdirSync, readFileSync, writeFileSync } = require('node:fs'); const args = process.argv.slice(2);\n${code}`,
  );

/** Stands for Jest: each suite passes one test, but for what a test of this file has put into `jest.json`. */
const JEST = `
const { left = [], code = 0, breaks = false, lacks, cpu = 0 } = JSON.parse(require('node:fs').existsSync('jest.json') ? readFileSync('jest.json', 'utf8') : '{}');
const files = args.filter(arg => arg.endsWith('.spec.ts') && !left.includes(arg));
const missing = lacks ? [lacks] : [];
const seconds = process.env.SUITE_SECONDS ? JSON.parse(readFileSync(process.env.SUITE_SECONDS, 'utf8')) : {};
const isLate = file => Date.now() + seconds[file] * 1_000 > Number(process.env.SUITE_DEADLINE);
const ran = { expectations: 1, failed: 0, failures: [], skipped: 0, missing };
const record = file => ({ file, cpuSeconds: cpu, wallSeconds: 0, ...ran, passed: Number(!isLate(file)), notStarted: isLate(file) });
if (!breaks) writeFileSync(process.env.SUITE_RECORDS, JSON.stringify(files.map(record)));
process.exitCode = code;`;

describe('suites that Jest runs', () => {
  const suites = ['libs/a/src/one.spec.ts', 'libs/a/src/two.spec.ts'].map(suiteOf);
  const ran = facts => {
    put('jest.json', JSON.stringify(facts));
    return jestSuites(root, suites);
  };

  it('pass where each left a record and Jest ended well', async () => {
    const { tally, records } = await ran({});
    assert.deepEqual(tally, { passed: 2, failed: 0, skipped: 0 });
    assert.equal(records.length, 2);
  });

  it('fail where one left no record, which is named', async () => {
    const { tally, records } = await ran({ left: ['libs/a/src/two.spec.ts'] });
    assert.deepEqual(tally, { passed: 1, failed: 1, skipped: 0 });
    assert.deepEqual(records[1].failures, ['libs/a/src/two.spec.ts › it was not run']);
    assert.equal((await ran({ breaks: true, code: 1 })).tally.failed, 2);
  });

  it('fail where Jest ended with a fault that no suite tells of', async () => {
    const { tally, faults } = await ran({ code: 1 });
    assert.equal(tally.failed, 1);
    assert.match(faults[0], /^Jest ended with 1/);
  });
});

describe('suites that Node runs', () => {
  const BUSY = 'const t = process.cpuUsage(); while (process.cpuUsage(t).user < 500_000);';
  /** With another limit, where one is given. In a process of its own: a runner inside a running test does nothing. */
  const ran = (text, limitMs) => {
    put('tools/a/x.spec.mjs', `import { it } from 'node:test';\n${text}`);
    const { stdout } = inCheckout(
      `import { nodeSuites } from ${source('gates.mjs')};
       import { suiteOf, TIMEOUT_MS } from ${source('suites.mjs')};
       TIMEOUT_MS.long = ${limitMs} ?? TIMEOUT_MS.long;
       let printed = '';
       const { tally, nodeRecords } = await nodeSuites(process.cwd(), text => (printed += text), [suiteOf('tools/a/x.spec.mjs')]);
       console.log(JSON.stringify({ printed, tally, record: nodeRecords[0], options: process.env.NODE_OPTIONS }));`,
      { NODE_OPTIONS: '--no-deprecation' },
    );
    return JSON.parse(stdout);
  };

  it('are shown with what they took by the wall and of CPU, programs that they started included', () => {
    const { printed, tally, record, options } = ran(`
      import { execFileSync } from 'node:child_process';
      it('x', () => { execFileSync(process.execPath, ['-e', ${JSON.stringify(BUSY)}]); });
      it('y', () => { if (process.env.NODE_OPTIONS.includes('import') || process.env.SUITE_COSTS) throw Error(); });`);
    assert.equal(tally.passed, 2);
    assert.ok(record.cpuSeconds > 0.5 && record.wallSeconds > 0.5, JSON.stringify(record));
    assert.match(printed, /pass +\d+\.\d s +\d+\.\d CPU {2}tools\/a\/x\.spec\.mjs\n$/);
    assert.equal(options, '--no-deprecation');
  });

  it('are shown as failed where a test failed that another file defines', () => {
    put('tools/a/x.cases.mjs', `import { it } from 'node:test';\nit('y', () => { throw Error(); });`);
    const { printed, tally } = ran(`import './x.cases.mjs';\nit('x', () => {});`);
    assert.deepEqual([tally.passed, tally.failed], [1, 1]);
    assert.match(printed, /FAIL .* CPU {2}tools\/a\/x\.spec\.mjs\n$/);
  });

  it('are ended where they hang, and named', () => {
    const { printed, tally, record } = ran(`it('x', () => { for (;;); });`, 2_000);
    assert.deepEqual([tally.failed, record.file, record.failures.length], [1, 'tools/a/x.spec.mjs', 1]);
    assert.match(printed, /FAIL +0\.0 s +0\.0 CPU {2}tools\/a\/x\.spec\.mjs\n$/);
  });
});

describe('suites that have a limit', () => {
  it('are those that would end in time on as many workers as there are, in their order', () => {
    const seconds = { a: 60, b: 100, c: 90, d: 30 };
    const limit = { deadline: 120_000, secondsOf: name => seconds[name] };
    assert.deepEqual(thoseThatFit(['a', 'b', 'c', 'd'], limit, 0), ['a', 'b', 'd']);
    assert.deepEqual(thoseThatFit(['a', 'b'], limit, 119_000), []);
  });
});

describe('the layout', () => {
  const OPTIONS = '--check --log-level=warn --ignore-unknown';
  const told = async options => {
    let printed = '';
    await GATES.format(root, text => (printed += text), options);
    return printed;
  };
  const commit = message => {
    git('add', '.');
    git('commit', '--quiet', '-m', message);
  };
  beforeEach(() => {
    put('.gitignore', '/node_modules\ndist\n');
    standIn('prettier/bin/prettier.cjs', `console.log('prettier', ...args);`);
    git('init', '--quiet');
    commit('all');
  });

  it('is looked at of what changed since the base and has a layout, and of nothing where nothing did', async () => {
    put('libs/a/src/one.ts', 'export const one = 2;\n');
    put('libs/a/table.csv', '');
    put('docs/new.md', '');
    rmSync(join(root, 'libs/a/src/one.spec.ts'));
    commit('change');
    put('libs/a/src/uncommitted.ts', '');
    assert.equal(
      await told({ base: 'HEAD~1' }),
      `prettier ${OPTIONS} docs/new.md libs/a/src/one.ts libs/a/src/uncommitted.ts\n`,
    );
    rmSync(join(root, 'libs/a/src/uncommitted.ts'));
    assert.equal(await told({ base: 'HEAD' }), '');
  });

  it('is looked at of every file in a whole run, and where its settings or the lock file changed or are gone', async () => {
    const everything = `prettier ${OPTIONS} .\n`;
    assert.equal(await told({ base: 'HEAD', whole: true }), everything);
    put('package-lock.json', '{ "lockfileVersion": 3 }');
    assert.equal(await told({ base: 'HEAD' }), everything);
    put('.editorconfig', '');
    commit('settings');
    rmSync(join(root, '.editorconfig'));
    assert.equal(await told({ base: 'HEAD' }), everything);
  });

  it('is looked at of every file in a clone of one commit, which says so', async () => {
    // With a lock file it would be looked at for that.
    git('rm', '--quiet', 'package-lock.json');
    git('commit', '--quiet', '--amend', '-m', 'all');
    assert.equal(
      await told({ base: baseOf(root, '') }),
      `This clone holds no earlier commit: the format of every file is looked at.\nprettier ${OPTIONS} .\n`,
    );
  });
});

describe('types of some projects', () => {
  it('are checked after a build that writes down what it was made of', async () => {
    const configs = ['libs/a/tsconfig.json'];
    let told = '';
    await typesOf(root, text => (told += text), configs);
    assert.equal(typescriptIsStale(root), false);
    put('libs/a/src/one.ts', 'export const one = 1 + 0;\n');
    assert.equal(typescriptIsStale(root), true);
    const { tally } = await typesOf(root, text => (told += text), configs);
    assert.equal(tally.failed, 0);
    assert.equal(typescriptIsStale(root), false);
    assert.match(told, /tsc -b tsconfig\.build\.json\ntsc -b libs\/a\/tsconfig\.json\n$/);
  });

  it('fail with what the compiler says where the build fails', async () => {
    standIn('typescript/bin/tsc', `console.log('error TS1'); process.exitCode = 2;`);
    let told = '';
    const { tally } = await typesOf(root, text => (told += text), []);
    assert.equal(tally.failed, 1);
    assert.match(told, /error TS1[^]*failed with exit code 2/);
  });
});

const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: root });
/** Runs a program of ours in a process of its own, in the checkout of this test. */
const inCheckout = (program, variables = {}) => {
  const { NODE_TEST_CONTEXT: _inside, ...env } = process.env;
  put('node_modules/program.mjs', program);
  const args = [join(root, 'node_modules/program.mjs')];
  return spawnSync(process.execPath, args, { cwd: root, env: { ...env, ...variables }, encoding: 'utf8' });
};
const source = name => JSON.stringify(join(import.meta.dirname, name));

describe('the check of a change', () => {
  /** As if it had begun a while ago. */
  const check = (sinceMs = 0) =>
    inCheckout(`
      import { ChangeCheck } from ${source('change-check.mjs')};
      process.exitCode = await new ChangeCheck(process.cwd(), Date.now() - ${sinceMs}, 'HEAD', async () => 0.5).run() > 0 ? 1 : 0;`);
  beforeEach(() => {
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '-m', 'all');
    put('libs/a/src/one.ts', 'export const one = 2;\n');
    utimesSync(join(root, 'libs/a/src/one.ts'), 1, 1);
  });

  it('builds what is stale before service suites, and counts long suites apart', () => {
    const { stdout } = check();
    assert.match(stdout, /› types: 1 passed, 0 failed/);
    assert.equal(typescriptIsStale(root), false);
    assert.match(stdout, /› service: 1 passed, 0 failed/);
    assert.match(stdout, /ran 2 of 2 related suites in .*; 1 long ones are left to npm run test:full\n/);
  });

  it('runs no service suite on programs that could not be built, and says so', () => {
    standIn('typescript/bin/tsc', 'process.exitCode = 2;');
    const { stdout, status } = check();
    assert.equal(status, 1);
    assert.match(stdout, /Service suites .* did not run: what they start is not built\.\nran 1 of 2/);
    assert.doesNotMatch(stdout, /› service/);
  });

  it('ends a gate that takes too long, which has neither passed nor failed, and says so', () => {
    standIn('eslint/bin/eslint.js', 'setInterval(() => {}, 1_000);');
    const { stdout } = check(78_000);
    assert.match(stdout, /› lint: ended, its time was up/);
    assert.match(stdout, /lint took too long and was ended; npm test -- lint runs it\./);
  });

  it('starts no suite that would not end within the two minutes', () => {
    const suites = { 'libs/a/e2e/one.spec.ts': [9, 300], 'libs/a/src/one.spec.ts': [1, 1] };
    put('tools/test/costs.json', JSON.stringify({ reference: 1, suites }));
    const { stdout } = check();
    assert.match(stdout, /\nran 1 of 2 related suites in .*; npm test runs the rest; 1 long ones/);
  });

  it('names tools that are missing', () => {
    put('jest.json', JSON.stringify({ lacks: 'nats-server is not installed' }));
    const { stdout } = check();
    assert.match(stdout, /To run them too: apt-get install nats-server/);
  });
});

describe('a run of everything with a landing', () => {
  const land = (gates = undefined, env = {}) =>
    inCheckout(
      `import { TestRun } from ${source('test-run.mjs')};
       const run = new TestRun(process.cwd(), { words: [], full: false, record: false, landing: '9', bin: '0' }, async () => 0.5);
       run.choice = { ...run.choice, gates: ${JSON.stringify(gates)} ?? run.choice.gates };
       const { closing, failed } = await run.all();
       console.log(closing.join('\\n'));
       process.exitCode = failed ? 1 : 0;`,
      { CHECK_BASE: 'HEAD', CI: '', ...env },
    );
  beforeEach(() => {
    standIn('nx/dist/bin/nx.js', '');
    put('tools/test/budgets.json', '{ "libs/a": 1 }');
    put('libs/a/table.csv', '');
    put('libs/a/e2e/two.long.spec.ts', `// commit: ./one.spec.ts\nimport './one.spec.js';\n`);
    put(
      'tools/bench/smoke.long.spec.mjs',
      `import { it } from 'node:test';\nit('x', { skip: 'sox is not installed' });\n`,
    );
    put('bench/x/bench.mjs', '');
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '-m', 'all');
    for (const gone of ['libs/a/table.csv', 'bench/x/bench.mjs']) rmSync(join(root, gone));
  });

  it('starts no long suite that would not end in time, and names it with what it takes', () => {
    const suites = { 'libs/a/e2e/one.long.spec.ts': [1, 1], 'libs/a/e2e/two.long.spec.ts': [1, 900_000] };
    put('tools/test/costs.json', JSON.stringify({ reference: 100, suites }));
    const { stdout } = land();
    assert.match(stdout, /› long: 1 passed, 0 failed/);
    assert.match(stdout, /1 of 3 long suites did not fit into 9 minutes/);
    assert.match(stdout, /two\.long\.spec\.ts \(reached by the change; 15000 min 00 s\)/);
  });

  it('has long suites of the tools among them, what is gone counts as changed, and their skips are named', () => {
    const { stdout } = land();
    assert.match(stdout, /› long tools: 0 passed, 0 failed, 1 skipped/);
    assert.match(stdout, /smoke\.long\.spec\.mjs: sox is not installed/);
    assert.match(stdout, /To run them too: apt-get install sox/);
  });

  it('has the benchmarks behind all others where a package changed that one of them imports', () => {
    put('bench/x/bench.mjs', `import { one } from '../../libs/a/dist/one.js';\n`);
    put('tools/bench/benchmarks.mjs', `export const NAME = 'bench.mjs';\n`);
    put('tools/bench/smoke.long.spec.mjs', `import { NAME } from './benchmarks.mjs';\n`);
    git('add', '.');
    git('commit', '--quiet', '-m', 'bench');
    put('libs/a/src/one.ts', 'export const one = 2;\n');
    assert.match(land([]).stdout, /› long: 2 passed, 0 failed[^]*› long tools: 1 passed, 0 failed/);
  });

  it('fails where a project spent far more than its budget, and else is green', () => {
    assert.equal(land([]).status, 0);
    put('jest.json', JSON.stringify({ cpu: 1_000 }));
    const { stdout, status } = land([]);
    assert.match(stdout, /spent (\d+) loops; all budgets are 1\.\nlibs\/a spent \1 of its budget of 1/);
    assert.equal(status, 1);
  });

  it('fails where a test was skipped and all tools are to be there', () => {
    assert.equal(land([], { CI: 'true' }).status, 1);
  });

  it('names what was skipped for what this machine may lack, and is green', () => {
    put('jest.json', JSON.stringify({ lacks: 'WebGPU: no adapter' }));
    const { stdout, status } = land([], { CI: 'true', SKIPS_ALLOWED: 'WebGPU' });
    assert.match(stdout, /did not run whole:\n {2}libs\/a\/\S+: WebGPU: no adapter/);
    assert.equal(status, 0);
    assert.equal(land([], { CI: 'true', SKIPS_ALLOWED: 'Web' }).status, 1);
  });

  it('fails, and says so at its end, where Jest ends with a fault that no suite tells of', () => {
    put('jest.json', JSON.stringify({ code: 1 }));
    const { stdout, status } = land([]);
    assert.equal(status, 1);
    assert.match(stdout, /\nFAIL Jest ended with 1/);
  });
});
