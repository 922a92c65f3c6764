import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deadFiles } from './dead-files.mjs';
import { entryExports } from './entry-exports.mjs';
import { fileLength } from './file-length.mjs';
import { fixedWaits } from './fixed-waits.mjs';
import { forbiddenText } from './forbidden-text.mjs';
import { functionLength } from './function-length.mjs';
import { longSuites } from './long-suites.mjs';
import { markdownLinks } from './markdown-links.mjs';
import { names } from './names.mjs';
import { CHECKS, tidy } from './tidy.mjs';

/** A tree of files that exist in this test alone. */
const treeOf = contents => ({ files: Object.keys(contents), read: file => contents[file] });
const body = lines => Array.from({ length: lines }, (_, i) => `  step${i}();`).join('\n');
const messages = findings => findings.map(({ file, line, message }) => `${file}:${line} ${message}`);

const pack = (exports = { '.': { '@svc/source': './src/index.ts' } }) => JSON.stringify({ exports });

describe('function-length', () => {
  const longest = treeOf({ 'a.ts': `export function prove() {\n${body(68)}\n}\n` });
  const tooLong = treeOf({ 'a.ts': `\nexport function prove() {\n${body(69)}\n}\n` });

  it('allows 70 lines and reports the 71st, with the function and its line', () => {
    assert.deepEqual(functionLength(longest, []), []);
    assert.deepEqual(messages(functionLength(tooLong, [])), [
      'a.ts:2 prove has 71 lines, and 70 is the bound',
    ]);
  });

  it('reports methods, constructors and arrow functions', () => {
    const source = `class A {\nconstructor() {\n${body(69)}\n}\nrun() {\n${body(69)}\n}\n}\nconst f = () => {\n${body(69)}\n};`;
    const found = functionLength(treeOf({ 'a.ts': source }), []).map(({ message }) => message.split(' ')[0]);
    assert.deepEqual(found, ['constructor', 'run', 'f']);
  });

  it('does not count the list of tests in a describe, and counts a long test in it', () => {
    const suite = `describe('x', () => {\n${body(200)}\n});`;
    const each = `describe.each([1])('x %i', () => {\n${body(200)}\n});`;
    const given = `describeX(() => {\n${body(200)}\n});`;
    const suites = treeOf({ 'a.spec.ts': suite, 'b.spec.ts': each, 'c.spec.ts': given });
    assert.deepEqual(functionLength(suites, []), []);
    const long = `describe('x', () => {\nit('y', () => {\n${body(80)}\n});\n});`;
    assert.equal(functionLength(treeOf({ 'a.spec.ts': long }), []).length, 1);
    const cases = `export function describeX() {\n${body(200)}\n}`;
    assert.deepEqual(functionLength(treeOf({ 'a.cases.ts': cases }), []), []);
    assert.equal(functionLength(treeOf({ 'a.ts': cases }), []).length, 1);
  });

  it('accepts a listed exception, and reports one that nothing needs', () => {
    const exception = { file: 'a.ts', name: 'prove', reason: 'one table' };
    assert.deepEqual(functionLength(tooLong, [exception]), []);
    assert.match(
      messages(functionLength(longest, [exception]))[0],
      /exception for prove is no longer needed/,
    );
  });
});

describe('names', () => {
  it('reports files and folders that name nothing, sort by kind, or stand beside their first version', () => {
    const bad = [
      'libs/utils/a.ts',
      'libs/a/helpers.ts',
      'libs/a/common.spec.ts',
      'libs/shared/b.ts',
      'a/misc.mjs',
    ];
    bad.push('libs/a/dtos/prove.ts', 'libs/a/interfaces/port.ts', 'libs/a/fri-v2.ts');
    for (const file of bad) assert.equal(names(treeOf({ [file]: '' })).length, 1, file);
  });

  it('allows names that hold such a word within them', () => {
    const good = ['libs/a/shared-memory.ts', 'libs/a/v1.ts', 'libs/a/ipv4.ts', 'libs/a/types.ts'];
    assert.deepEqual(names(treeOf(Object.fromEntries(good.map(file => [file, ''])))), []);
  });
});

describe('file-length', () => {
  const lines = count => 'x();\n'.repeat(count);

  it('reports more than 600 and fewer than 15 lines of code', () => {
    const found = fileLength(
      treeOf({ 'a.ts': lines(601), 'b.mjs': lines(14), 'c.ts': lines(600), 'd.ts': lines(15) }),
    );
    assert.deepEqual(
      found.map(({ file }) => file),
      ['a.ts', 'b.mjs'],
    );
  });

  it('lets entries, configuration and the commands of package.json be short', () => {
    const manifest = JSON.stringify({ scripts: { build: 'node tools/build.mjs' } });
    const short = {
      'libs/a/src/index.ts': 'x',
      'apps/a/src/main.ts': 'x',
      'jest.config.mjs': 'x',
      'tools/build.mjs': 'x',
    };
    assert.deepEqual(fileLength(treeOf({ 'package.json': manifest, ...short })), []);
  });
});

describe('dead-files', () => {
  const tree = extra =>
    treeOf({
      'libs/a/package.json': pack({ '.': { '@svc/source': './src/index.ts' } }),
      'libs/a/src/index.ts': "export { fri } from './fri.js';",
      'libs/a/src/fri.ts':
        "const late = await import('./late.js');\nnew Worker(new URL('./worker.mjs', import.meta.url));",
      'libs/a/src/late.ts': '',
      'libs/a/src/worker.mjs': '',
      ...extra,
    });

  it('follows exports, imports, import() and URLs of workers', () => {
    assert.deepEqual(deadFiles(tree({})), []);
  });

  it('reports a file that nothing reaches, and the files that only it reaches', () => {
    const extra = { 'libs/a/src/old.ts': "import './older.js';", 'libs/a/src/older.ts': '' };
    assert.deepEqual(
      deadFiles(tree(extra)).map(({ file }) => file),
      ['libs/a/src/old.ts', 'libs/a/src/older.ts'],
    );
  });

  it('counts an oracle that a test uses as alive', () => {
    const extra = { 'libs/a/src/fri.spec.ts': "import './fri.naive.js';", 'libs/a/src/fri.naive.ts': '' };
    assert.deepEqual(deadFiles(tree(extra)), []);
  });
});

describe('markdown-links', () => {
  const pages = { 'README.md': '', 'docs/a.md': '# One title\n## Two: `code` & more\n', 'docs/b/c.md': '' };

  it('reports a link to a missing file and to a missing heading', () => {
    const text = 'see [a](docs/missing.md)\nand [b](docs/a.md#nowhere) and [c](#here)\n[d]: ./gone.md\n';
    assert.deepEqual(messages(markdownLinks(treeOf({ ...pages, 'README.md': text }))), [
      'README.md:1 the link docs/missing.md leads to no file',
      'README.md:2 docs/a.md has no heading #nowhere',
      'README.md:2 README.md has no heading #here',
      'README.md:3 the link ./gone.md leads to no file',
    ]);
  });

  it('accepts files, folders, headings, addresses and links inside code', () => {
    const text =
      '[a](docs/a.md#one-title) [b](docs/b/) [c](https://example.org/x) [d](docs/a.md#two-code--more) `[e](f)`\n```\n[g](h)\n```\n';
    assert.deepEqual(markdownLinks(treeOf({ ...pages, 'README.md': text })), []);
  });
});

describe('entry-exports', () => {
  it('reports export * and an index.ts that is no package entry', () => {
    const tree = treeOf({
      'libs/a/package.json': pack(),
      'libs/a/src/index.ts': "export { x } from './x.js';\nexport * from './y.js';\n",
      'libs/a/src/field/index.ts': '',
    });
    const found = messages(entryExports(tree));
    assert.equal(found.length, 2);
    assert.match(found[0], /^libs\/a\/src\/index\.ts:2 export \*/);
    assert.match(found[1], /^libs\/a\/src\/field\/index\.ts:1 /);
  });

  it('accepts the entry of an export with a subpath', () => {
    const manifest = pack({ './node': { '@svc/source': './src/node/index.ts' } });
    assert.deepEqual(
      entryExports(treeOf({ 'libs/a/package.json': manifest, 'libs/a/src/node/index.ts': '' })),
      [],
    );
  });
});

describe('forbidden-text', () => {
  // Put together here, so that this file does not hold what it forbids.
  const bad = {
    'docs/a.md': ['see /', 'work/main/x'].join(''),
    'libs/a/b.ts': ['const file = "/', 'tmp/scratch/x";'].join(''),
    'package-lock.json': ['"resolved": ', '"https://example.org/x.tgz"'].join(''),
    'docs/npm.md': ['from registry.', 'npmjs.org'].join(''),
    'libs/a/c.ts': ['Math', '.random()'].join(''),
    'libs/a/d.spec.ts': ['it', '.only("x")'].join(''),
    'libs/a/e.spec.ts': ['describe', '.each([1]).skip("x")'].join('').replace('.each([1])', ''),
    'libs/a/f.spec.ts': ['x', 'it("y")'].join(''),
    'libs/a/g.ts': ['// TO', 'DO: later'].join(''),
  };

  for (const [file, text] of Object.entries(bad)) {
    it(`reports ${file}: ${text.replace(/\W+/g, ' ').trim()}`, () => {
      assert.deepEqual(
        forbiddenText(treeOf({ [file]: `fine\n${text}\n` })).map(({ line }) => line),
        [2],
      );
    });
  }

  it('accepts randomness in a test, a mount at /tmp and a route that ends in a like name', () => {
    const good = {
      'libs/a/a.spec.ts': ['Math', '.random()'].join(''),
      'k8s/a.yaml': 'mountPath: /tmp\n',
      'docs/a.md': 'GET /v1/work/items and ./work/x\n',
      'libs/a/b.ts': 'page.skip(10); exit(1); list.only()',
    };
    assert.deepEqual(forbiddenText(treeOf(good)), []);
  });
});

describe('tidy', () => {
  it('runs every check and names the check in each line', () => {
    const long = `export function prove() {\n${body(700)}\n}\n`;
    const tree = treeOf({
      'README.md': '[a](gone.md)',
      'libs/a/utils.ts': long,
      'libs/a/src/x.long.spec.ts': 'await delay(5);',
      'libs/a/index.ts': ['export * from "./utils.js"; // TO', 'DO'].join(''),
    });
    const seen = new Set(tidy(tree).map(line => line.split('  ')[1].split(':')[0]));
    assert.deepEqual([...seen].sort(), Object.keys(CHECKS).sort());
  });
});

describe('long-suites', () => {
  const quick = { 'libs/a/src/x.spec.ts': '' };
  const found = contents => messages(longSuites(treeOf({ ...quick, ...contents })));

  it('lets pass a long suite that names its quick one, or why there is none', () => {
    const header = '// commit: ./x.spec.ts\n// watches: libs/a/src\n';
    assert.deepEqual(found({ 'libs/a/src/x.long.spec.ts': header }), []);
    assert.deepEqual(found({ 'libs/a/e2e/y.long.spec.ts': '// commit: none, only a kill shows it\n' }), []);
  });

  it('reports one without a name, with a name of nothing, of a long suite, and a path that is gone', () => {
    assert.deepEqual(found({ 'libs/a/src/x.long.spec.ts': 'import 1' }), [
      'libs/a/src/x.long.spec.ts:1 its first line names no quick suite: // commit: ./X.spec.ts',
    ]);
    assert.deepEqual(found({ 'libs/a/src/x.long.spec.ts': '// commit: ./z.spec.ts\n// watches: libs/b\n' }), [
      'libs/a/src/x.long.spec.ts:1 there is no libs/a/src/z.spec.ts',
      'libs/a/src/x.long.spec.ts:2 watches libs/b, where nothing lies',
    ]);
    assert.deepEqual(found({ 'libs/a/src/x.long.spec.ts': '// commit: ./x.long.spec.ts\n' }), [
      'libs/a/src/x.long.spec.ts:1 ./x.long.spec.ts is long itself',
    ]);
  });
});

describe('fixed-waits', () => {
  const source = [
    'it("x", async () => {',
    '  await delay(50);',
    '  await new Promise(resolve => setTimeout(resolve, 50));',
    '  while (!done()) await delay(5);',
    '  for (;;) {',
    '    if (done()) break;',
    '    await new Promise(next => setTimeout(next, 5));',
    '  }',
    '  for (const one of all) list.map(async () => { await sleep(3); });',
    '});',
  ].join('\n');
  const lines = file => fixedWaits(treeOf({ [file]: source })).map(({ line }) => line);

  it('reports a wait for a time in tests, and none between two looks at a condition', () => {
    for (const file of ['a/src/x.spec.ts', 'a/e2e/fixture.ts', 'a/src/testing/y.ts', 'a/src/x.cases.ts'])
      assert.deepEqual(lines(file), [2, 3, 9]);
    assert.deepEqual(lines('a/src/poll.ts'), []);
  });
});
