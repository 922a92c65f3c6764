import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { takeForFresh, typescriptIsStale } from '../setup/outputs.mjs';
import { workspaceRoot } from '../setup/workspace.mjs';
import { isRunning } from '../test/cpu-seconds.mjs';
import { suiteOf } from '../test/suites.mjs';
import { SuiteRunner, suiteSearch } from './catching-suite.mjs';
import { diffLines, drawMutations, isProduct, sitesOf } from './random-mutations.mjs';
import { applyChange, changed, copyCheckout, outputOf } from './scratch-copy.mjs';
import { lineOf, summary } from './verdicts.mjs';

let root;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-mutate-spec-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path, content) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const text = path => readFileSync(join(root, path), 'utf8');

describe('the listed faults', () => {
  const { mutations, equivalent } = JSON.parse(
    readFileSync(join(import.meta.dirname, 'mutations.json'), 'utf8'),
  );

  it('are forty and those of later code, each with a name of its own', () => {
    assert.equal(new Set(mutations.map(({ id }) => id)).size, mutations.length);
    assert.ok(mutations.length >= 40);
  });

  for (const mutation of mutations) {
    it(`can be put where they belong, and have a suite: ${mutation.id}`, () => {
      const source = readFileSync(join(workspaceRoot, mutation.file), 'utf8');
      assert.notEqual(changed(source, mutation), source);
      assert.ok(existsSync(join(workspaceRoot, mutation.caughtBy)), mutation.caughtBy);
      assert.equal(mutation.tier, suiteOf(mutation.caughtBy).tier);
    });
  }

  it('stand in the documentation, each with the suite that catches it', () => {
    const rows = readFileSync(join(workspaceRoot, 'docs/testing.md'), 'utf8').split('\n');
    for (const { id, caughtBy, tier } of mutations) {
      const row = rows.find(line => line.startsWith(`| \`${id}\` `));
      assert.ok(row?.includes(`\`${caughtBy}\` (${tier})`), id);
    }
  });

  it('say of each that was drawn and is none why, as long as it can be put where it belongs', () => {
    for (const { reason, ...mutation } of equivalent) {
      const source = readFileSync(join(workspaceRoot, mutation.file), 'utf8');
      assert.notEqual(changed(source, mutation), source);
      assert.ok(reason.length > 20);
    }
  });
});

describe('a change', () => {
  const change = { file: 'libs/x/src/sum.ts', old: 'a + b', new: 'a - b' };

  it('is made where its text occurs once, and nowhere else', () => {
    assert.equal(changed('return a + b;', change), 'return a - b;');
    assert.throws(
      () => changed('return b + a;', change),
      /libs\/x\/src\/sum\.ts: the old text occurs 0 times/,
    );
    assert.throws(() => changed('a + b + a + b', change), /occurs 2 times, and must once: a \+ b/);
  });

  it('is refused where no compiler takes the source with it', () => {
    const broken = { ...change, new: 'a + ' };
    assert.throws(
      () => changed('sum(a + b);', broken),
      /sum\.ts does not compile with the fault: Expression expected/,
    );
  });

  it('is taken literally, whatever stands in its place', () => {
    assert.equal(changed('x', { file: 'x', old: 'x', new: "$& $' $$" }), "$& $' $$");
  });

  it('goes into the source and what was built of it, and out again as if it had not been', () => {
    const source = 'export const sum = (a: number, b: number): number => a + b;\n';
    put('tsconfig.base.json', '{"compilerOptions":{"target":"es2022","module":"nodenext"}}');
    put('libs/x/src/sum.ts', source);
    put('libs/x/dist/sum.js', 'export const sum = (a, b) => a + b;\n');
    const built = new Date(1_700_000_000_000);
    for (const file of ['src/sum.ts', 'dist/sum.js']) utimesSync(join(root, 'libs/x', file), built, built);
    const restore = applyChange(root, change);
    assert.match(text('libs/x/src/sum.ts'), /number => a - b;/);
    assert.match(text('libs/x/dist/sum.js'), /^export const sum = \(a, b\) => a - b;/);
    restore();
    assert.equal(text('libs/x/src/sum.ts'), source);
    assert.equal(text('libs/x/dist/sum.js'), 'export const sum = (a, b) => a + b;\n');
    assert.equal(statSync(join(root, 'libs/x/src/sum.ts')).mtimeMs, built.getTime());
  });

  it('of the length of a source leaves what is built as fresh as it was, in a copy too', () => {
    execFileSync('git', ['init', '-q'], { cwd: root });
    put('.gitignore', 'node_modules\ndist\ncopy\n');
    put('tsconfig.base.json', '{"compilerOptions":{"target":"es2022","module":"nodenext"}}');
    put('tsconfig.build.json', '{"references":[{"path":"libs/x/tsconfig.lib.json"}]}');
    for (const file of [
      'package.json',
      'package-lock.json',
      'libs/x/package.json',
      'libs/x/tsconfig.lib.json',
    ])
      put(file, '{}');
    put('node_modules/typescript/package.json', '{}');
    put('libs/x/src/sum.ts', 'a + b');
    put('libs/x/dist/sum.js', 'a + b');
    put('libs/x/dist/tsconfig.lib.tsbuildinfo', '{"fileNames":["../src/sum.ts"]}');
    mkdirSync(join(root, 'node_modules/.cache/svc'), { recursive: true });
    takeForFresh(root);
    const copy = join(root, 'copy');
    copyCheckout(root, copy);
    assert.equal(typescriptIsStale(copy), false);
    const restore = applyChange(copy, { ...change, new: 'a + b + c' });
    assert.equal(text('copy/libs/x/src/sum.ts').length, 9);
    assert.equal(typescriptIsStale(copy), false);
    restore();
    assert.equal(text('copy/libs/x/src/sum.ts').length, 5);
    assert.equal(typescriptIsStale(copy), false);
  });

  it('knows where the build puts a source', () => {
    assert.equal(outputOf('libs/engines/mesh/src/a/b.ts'), 'libs/engines/mesh/dist/a/b.js');
    assert.equal(outputOf('tools/build.mjs'), undefined);
  });
});

describe('a copy of the checkout', () => {
  it('has its sources, its outputs and its installed packages, and imports nothing of the original', () => {
    const git = (...args) => execFileSync('git', args, { cwd: root });
    git('init', '-q');
    put('.gitignore', 'node_modules\ndist\ncopy\n');
    put('package.json', '{}');
    put('libs/x/package.json', '{}');
    put('libs/x/src/index.ts', '// committed');
    git('add', '.');
    put('libs/x/src/fresh.ts', '// not committed');
    put('libs/x/dist/index.js', '// built');
    put('libs/x/node_modules/near/index.js', '');
    put('node_modules/far/index.js', '');
    mkdirSync(join(root, 'node_modules/@svc'));
    symlinkSync('../../libs/x', join(root, 'node_modules/@svc/x'));
    copyCheckout(root, join(root, 'copy'));
    for (const path of ['src/index.ts', 'src/fresh.ts', 'dist/index.js', 'node_modules/near/index.js'])
      assert.ok(existsSync(join(root, 'copy/libs/x', path)), path);
    const real = path => realpathSync(join(root, 'copy/node_modules', path));
    assert.equal(real('far'), join(root, 'node_modules/far'));
    assert.equal(real('@svc/x'), join(root, 'copy/libs/x'));
  });
});

describe('the suites for a file', () => {
  it('are asked by tier, then by how many imports lie between, then by what they take', () => {
    const imports = path => `import { x } from '${path}';`;
    const files = {
      'libs/x/src/log.ts': 'export const x = 1;',
      'libs/x/src/chain.ts': imports('./log.js'),
      'libs/x/src/dear.spec.ts': imports('./log.js'),
      'libs/x/src/cheap.spec.ts': imports('./log.js'),
      'libs/x/src/far.spec.ts': imports('./chain.js'),
      'libs/x/src/other.spec.ts': '',
      'apps/y/e2e/near.spec.ts': imports('../../../libs/x/src/log.js'),
      'libs/x/e2e/own.spec.ts': imports('../src/chain.js'),
      'libs/x/src/log.long.spec.ts': imports('./log.js'),
    };
    const tree = { files: Object.keys(files), read: file => files[file] };
    const costs = {
      reference: 1,
      suites: { 'libs/x/src/dear.spec.ts': [2, 2], 'libs/x/src/cheap.spec.ts': [1, 1] },
    };
    assert.deepEqual(suiteSearch(tree, costs)('libs/x/src/log.ts'), [
      'libs/x/src/cheap.spec.ts',
      'libs/x/src/dear.spec.ts',
      'libs/x/src/far.spec.ts',
      'libs/x/e2e/own.spec.ts',
      'apps/y/e2e/near.spec.ts',
      'libs/x/src/log.long.spec.ts',
    ]);
  });
});

/**
 * Stands for Jest: a suite is a list of texts that files must have; one that has not, is red, does not load, waits for ever or ends its
 * process.
 */
const JEST = `
const { spawn } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
const testResults = [];
for (const suite of args.filter(arg => arg.endsWith('.spec.ts'))) {
  const { waits, stale, loads = true, ends, ...wanted } = JSON.parse(readFileSync(suite, 'utf8'));
  const isGreen = Object.entries(wanted).every(([file, text]) => readFileSync(file, 'utf8').includes(text));
  const status = isGreen ? 'passed' : 'failed';
  if (waits && !isGreen) {
    const database = spawn('sleep', ['1000'], { detached: true });
    writeFileSync('database.pid', String(database.pid));
    setInterval(() => undefined, 1_000);
    return;
  }
  if (ends && !isGreen) process.kill(process.pid, 'SIGALRM');
  const message = stale ? '  ● has it\\n\\n    What is built is missing or older than its source: npm run build' : 'red';
  testResults.push({ name: process.cwd() + '/' + suite, status, message, assertionResults: loads || isGreen ? [{ status, fullName: 'has it' }] : [] });
  if (!isGreen) break;
}
const report = args.find(arg => arg.startsWith('--outputFile=')).slice('--outputFile='.length);
writeFileSync(report, JSON.stringify({ testResults }));`;

describe('the suite that catches a fault', () => {
  const change = { file: 'libs/x/src/sum.ts', old: 'a + b', new: 'a - b' };
  const [sees, blind] = ['{"libs/x/src/sum.ts":"a + b"}', '{}'];
  const red = '{"libs/x/src/sum.ts":"a * b"}';
  const find = (suites, recorded, limits = undefined) => {
    put('node_modules/jest/bin/jest.js', JEST);
    put('libs/x/src/sum.ts', 'a + b');
    for (const [suite, content] of Object.entries(suites)) put(suite, content);
    return new SuiteRunner(root, root, () => Object.keys(suites), new Map(), limits).find(change, recorded);
  };

  it('is the recorded one where that sees it, and nothing else is run', async () => {
    const found = await find(
      { 'libs/x/src/a.spec.ts': sees, 'libs/x/e2e/b.spec.ts': sees },
      'libs/x/e2e/b.spec.ts',
    );
    const one = { caughtBy: 'libs/x/e2e/b.spec.ts', tier: 'service', test: 'has it', suites: 1 };
    assert.deepEqual(found, { ...one, notLoaded: [], brokenSuites: [] });
  });

  it('is the nearest of the quickest tier where the recorded one sees nothing', async () => {
    const suites = {
      'libs/x/e2e/b.spec.ts': blind,
      'libs/x/src/c.long.spec.ts': sees,
      'libs/x/e2e/d.spec.ts': sees,
    };
    const found = await find(suites, 'libs/x/e2e/b.spec.ts');
    assert.equal(found.caughtBy, 'libs/x/e2e/d.spec.ts');
    assert.equal(text('libs/x/src/sum.ts'), 'a + b');
  });

  it('is none that is red without the fault', async () => {
    const found = await find({ 'libs/x/src/a.spec.ts': red, 'libs/x/src/b.spec.ts': sees });
    assert.equal(found.caughtBy, 'libs/x/src/b.spec.ts');
    assert.deepEqual(found.brokenSuites, ['libs/x/src/a.spec.ts']);
  });

  it('is none that is red for what is not built', async () => {
    const stale = '{"stale":true,"libs/x/src/sum.ts":"a + b"}';
    const found = await find({ 'libs/x/e2e/a.spec.ts': stale, 'libs/x/e2e/b.spec.ts': sees });
    assert.equal(found.caughtBy, 'libs/x/e2e/b.spec.ts');
    assert.deepEqual(found.brokenSuites, ['libs/x/e2e/a.spec.ts']);
  });

  it('is none that does not load with it, which is told of, and the suites behind it are asked', async () => {
    const unloaded = '{"loads":false,"libs/x/src/sum.ts":"a + b"}';
    const suites = { 'libs/x/src/a.spec.ts': unloaded, 'libs/x/src/b.spec.ts': sees };
    const finding = await find(suites);
    assert.equal(finding.caughtBy, 'libs/x/src/b.spec.ts');
    assert.deepEqual([finding.notLoaded, finding.brokenSuites], [['libs/x/src/a.spec.ts'], []]);
    const alone = await find({ 'libs/x/src/a.spec.ts': unloaded });
    assert.equal(alone.caughtBy, undefined);
    const mutation = { id: 'x', area: 'y', file: change.file, what: 'z', isRandom: false };
    assert.match(
      lineOf({ mutation, finding: alone, seconds: 1 }),
      /SURVIVES[^]*does not load, and so does not count: libs\/x\/src\/a\.spec\.ts$/,
    );
  });

  it('is one whose process its own guard ends with it', async () => {
    const ends = '{"ends":true,"libs/x/src/sum.ts":"a + b"}';
    const { caughtBy, test } = await find({ 'libs/x/src/a.spec.ts': blind, 'libs/x/src/b.spec.ts': ends });
    assert.deepEqual([caughtBy, test], ['libs/x/src/b.spec.ts', 'does not end']);
  });

  it('is one that waits for ever with it, and is ended with all that it started', async () => {
    const waits = '{"waits":true,"libs/x/src/sum.ts":"a + b"}';
    const suites = { 'libs/x/src/a.spec.ts': blind, 'libs/x/src/b.spec.ts': waits };
    const found = await find(suites, undefined, { unit: 2 });
    assert.deepEqual([found.caughtBy, found.test], ['libs/x/src/b.spec.ts', 'does not end']);
    assert.equal(isRunning(Number(text('database.pid'))), false);
  });

  it('is missing where none sees it', async () => {
    const found = await find({ 'libs/x/src/a.spec.ts': blind, 'libs/x/src/b.long.spec.ts': blind });
    assert.deepEqual(found, { suites: 2, notLoaded: [], brokenSuites: [] });
  });
});

describe('faults that are drawn', () => {
  const source = `export function clamp(x: number, most: number): number {
  if (x > most) return most;
  log(x);
  return x < 0 ? 0 : x;
}
`;
  const files = { 'libs/a/src/clamp.ts': source, 'libs/b/src/clamp.ts': source, 'libs/b/src/index.ts': '' };
  const tree = { files: Object.keys(files), read: file => files[file] };

  it('are at conditions, statements and bounds', () => {
    const made = sitesOf('clamp.ts', source).map(
      ({ start, end, replacement }) => `${source.slice(start, end)} → ${replacement}`,
    );
    assert.deepEqual(made.sort(), [
      '< → <=',
      '> → >=',
      'if (x > most) return most; → ',
      'log(x); → ',
      'x < 0 → !(x < 0)',
      'x > most → !(x > most)',
    ]);
  });

  it('are in product sources alone', () => {
    assert.ok(isProduct('libs/engines/mesh/src/session/next.ts'));
    for (const file of [
      'src/a.spec.ts',
      'src/testing/a.ts',
      'e2e/a.ts',
      'src/a.cases.ts',
      'src/a.generated.ts',
    ])
      assert.equal(isProduct(`libs/x/${file}`), false, file);
    assert.equal(isProduct('tools/sandbox/src/a.ts'), false);
  });

  it('are the same for the same seed, others for another, and in every package in turn', () => {
    const drawn = drawMutations(tree, 6, 7);
    assert.deepEqual(drawMutations(tree, 6, 7), drawn);
    assert.notDeepEqual(drawMutations(tree, 6, 8), drawn);
    const areas = drawn.map(({ area }) => area);
    for (const at of [0, 2, 4]) assert.deepEqual(areas.slice(at, at + 2).sort(), ['libs/a', 'libs/b']);
  });

  it('can each be put where they were drawn', () => {
    const twice = `${source}${source.replace('clamp', 'again')}`;
    for (let seed = 0; seed < 40; seed++) {
      const [mutation] = drawMutations({ files: ['libs/a/src/x.ts'], read: () => twice }, 1, seed);
      assert.notEqual(changed(twice, mutation), twice);
      assert.ok(diffLines(mutation).length >= 1);
    }
  });

  it('are shown as the lines that differ', () => {
    const change = { old: 'a\n  if (x) y();\nb', new: 'a\n  if (!(x)) y();\nb' };
    assert.deepEqual(diffLines(change), ['- if (x) y();', '+ if (!(x)) y();']);
  });
});

describe('the verdict', () => {
  const outcomes = (isRandom, tiers) =>
    tiers.map((tier, index) => ({
      mutation: { id: `${index}`, area: 'x', isRandom },
      finding: { ...(tier && { caughtBy: 'a.spec.ts', tier }), suites: 1, notLoaded: [], brokenSuites: [] },
      seconds: 1,
    }));
  const many = (count, tier) => Array.from({ length: count }, () => tier);

  it('asks for 34 of 40 in the quick tiers and the others in the long one', () => {
    const enough = summary(outcomes(false, [...many(34, 'service'), ...many(6, 'long')]));
    assert.equal(enough.isEnough, true);
    assert.deepEqual(enough.lines, [
      'listed: 34 of 40 caught in unit and service (34 at least), 6 in long, 0 survive',
    ]);
    assert.equal(summary(outcomes(false, [...many(33, 'unit'), ...many(7, 'long')])).isEnough, false);
    assert.equal(summary(outcomes(false, [...many(39, 'unit'), undefined])).isEnough, false);
  });

  it('asks for 8 of 10 that were drawn, and takes for none what is said to be equivalent', () => {
    const drawn = outcomes(true, [...many(8, 'unit'), 'long', undefined]);
    assert.equal(summary(drawn).isEnough, false);
    drawn[9].equivalent = 'nobody can tell the two apart';
    assert.equal(summary(drawn).isEnough, true);
  });

  it('is no good one where a suite is red without a fault', () => {
    const [outcome] = outcomes(false, ['unit']);
    outcome.finding.brokenSuites = ['b.spec.ts'];
    const { isEnough, lines } = summary([outcome]);
    assert.equal(isEnough, false);
    assert.match(lines.at(-1), /^b\.spec\.ts is red without a fault/);
  });
});
