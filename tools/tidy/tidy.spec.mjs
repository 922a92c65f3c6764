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
import { namedTests } from './named-tests.mjs';
import { names } from './names.mjs';
import { testLimits } from './test-limits.mjs';
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

  it('follows what an entry with sources has for one platform alone, and not what it has been built to', () => {
    const built = { types: './dist/on/index.d.ts', default: './dist/on/index.js' };
    const entry = { '@svc/source': './src/on/index.ts', ...built, browser: './dist/on/browser.js' };
    const files = ['index.ts', 'browser.ts', 'other.ts'].map(name => [`libs/b/src/on/${name}`, '']);
    const found = deadFiles(
      treeOf({ 'libs/b/package.json': pack({ './on': entry }), ...Object.fromEntries(files) }),
    );
    assert.deepEqual(
      found.map(({ file }) => file),
      ['libs/b/src/on/other.ts'],
    );
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

describe('named-tests', () => {
  const suites = {
    'a/b.spec.ts':
      "it('adds', async () => {});\nit.each([\n  ['x', () => 1],\n])('adds %s', x => {});\n// was 'subtracts'",
    'a/c.cases.ts': "test('is told, to who asks', () => {});",
  };
  const page = rows => namedTests(treeOf({ ...suites, 'docs/page.md': rows.join('\n') }));

  it('accepts tests that are there, several in a cell', () => {
    const row =
      '| 1 | `a/b.spec.ts`: adds<br>`a/b.spec.ts`: adds %s<br>`a/c.cases.ts`: is told, to who asks |';
    assert.deepEqual(page([row]), []);
  });

  it('reports a title that no test has, one of a comment too, and a suite that is gone', () => {
    const rows = ['| `a/b.spec.ts`: subtracts |', '| `a/b.spec.ts`: add |', '| `a/d.spec.ts`: adds |'];
    assert.deepEqual(messages(page(rows)), [
      'docs/page.md:1 a/b.spec.ts has no test "subtracts"',
      'docs/page.md:2 a/b.spec.ts has no test "add"',
      'docs/page.md:3 the suite a/d.spec.ts does not exist',
    ]);
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
    'libs/a/src/h.cases.ts': ['it', '.skip("x")'].join(''),
    'libs/a/src/i.contract.ts': ['describe', '.only("x")'].join(''),
    'libs/a/src/testing/j.ts': ['jest.retry', 'Times(2)'].join(''),
    'libs/a/e2e/k.cases.ts': "process.stdout.write('SKIPPED: no sox');",
    'libs/a/e2e/l.cases.ts': "console.log('SKIPPED no sox');",
    'libs/a/e2e/m.cases.ts': "const mark = 'SKIPPED';",
    'libs/a/src/n.ts': "import { byTier } from '@svc/platform/testing';",
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
      'libs/a/src/b.cases.ts': "it('needs sox', () => console.log('SKIPPED: sox is not installed'));",
      'libs/a/src/b.contract.ts': "import { byTier } from '@svc/platform/testing';",
      'libs/a/src/jobs.ts': "const state = 'SKIPPED';",
    };
    assert.deepEqual(forbiddenText(treeOf(good)), []);
  });
});

describe('tidy', () => {
  it('runs every check and names the check in each line', () => {
    const long = `export function prove() {\n${body(700)}\n}\n`;
    const tree = treeOf({
      'README.md': '[a](gone.md)\n`a/gone.spec.ts`: holds',
      'libs/a/utils.ts': long,
      'libs/a/src/x.long.spec.ts': 'await delay(5); jest.setTimeout(9);',
      'libs/a/index.ts': ['export * from "./utils.js"; // TO', 'DO'].join(''),
    });
    const seen = new Set(tidy(tree).map(line => line.split('  ')[1].split(':')[0]));
    assert.deepEqual([...seen].sort(), Object.keys(CHECKS).sort());
  });
});

describe('long-suites', () => {
  const LONG = 'libs/a/src/x.long.spec.ts';
  const quick = { 'libs/a/src/x.spec.ts': "import { describeX } from './x.cases.js';\ndescribeX(3);\n" };
  const found = (text, others = {}) => messages(longSuites(treeOf({ ...quick, ...others, [LONG]: text })));

  it('lets pass a long suite that runs the tests of its quick one, or says why none can', () => {
    const header = '// commit: ./x.spec.ts\n// watches: libs/a/src\n';
    assert.deepEqual(found(`${header}import './x.spec.js';\n`), []);
    assert.deepEqual(found(`${header}import { describeX } from './x.cases.js';\ndescribeX(3_000);\n`), []);
    assert.deepEqual(
      found('// commit: none, only a kill shows it; see ./x.spec.ts\nit("dies", kill);\n'),
      [],
    );
    assert.deepEqual(
      found('// commit: ../../b/e2e/y.spec.mjs\nimport { tell } from "../../b/e2e/y.cases.mjs";\n', {
        'libs/b/e2e/y.spec.mjs': "import { tell } from './y.cases.mjs';\n",
      }),
      [],
    );
  });

  it('reports one without a name, with a name of nothing, of a long suite, and a path that is gone', () => {
    for (const text of ['import 1', '// commit: none\n', '// commit: none, \n'])
      assert.deepEqual(found(text), [
        `${LONG}:1 its first line names no quick suite: // commit: ./X.spec.ts, or // commit: none, REASON`,
      ]);
    assert.deepEqual(found('// commit: ./z.spec.ts\n// watches: libs/b\n'), [
      `${LONG}:1 there is no libs/a/src/z.spec.ts`,
      `${LONG}:2 watches libs/b, where nothing lies`,
    ]);
    assert.deepEqual(found('// commit: ./x.long.spec.ts\n'), [`${LONG}:1 ./x.long.spec.ts is long itself`]);
    assert.deepEqual(found('// commit: none, only a kill shows it; see ./z.spec.ts\n'), [
      `${LONG}:1 there is no libs/a/src/z.spec.ts`,
    ]);
  });

  it('reports one whose quick suite is another test', () => {
    const [alone] = found('// commit: ./x.spec.ts\nimport { other } from "./other.js";\nit("y", other);\n');
    assert.match(alone, /neither imports libs\/a\/src\/x\.spec\.ts nor shares a \.cases module with it/);
    // Nor is it the same test for what it is tested with.
    const [fixture] = found('// commit: ./x.spec.ts\nimport { start } from "./fixture.js";\n', {
      'libs/a/src/x.spec.ts': "import { start } from './fixture.js';\n",
    });
    assert.match(fixture, /neither imports/);
  });

  it('reports tests that the quick suite leaves out, until the first line says why', () => {
    const more = [
      [
        "import { describeX, describeY } from './x.cases.js';\n",
        /calls describeY, which libs\/a\/src\/x\.spec\.ts/,
      ],
      ["import { describeX } from './x.cases.js';\n  it.each([1])('z', z);\n", /has tests of its own/],
      ["import './x.spec.js';\ntest('z', z);\n", /has tests of its own/],
    ];
    for (const [text, message] of more) {
      const [finding, ...others] = found(`// commit: ./x.spec.ts\n${text}`);
      assert.match(finding, message);
      assert.deepEqual(others, []);
      assert.deepEqual(found(`// commit: ./x.spec.ts, but for a million: minutes each\n${text}`), []);
    }
  });
});

describe('test-limits', () => {
  it('reports limits of tests and of what is done around them, whatever form they have', () => {
    const source = [
      'it("a", work, 5_000);',
      'it.each(rows)("b %s", work, LIMIT_MS);',
      'test.each`x`("c", work, 5_000);',
      'beforeAll(work, 60_000);',
      'jest.setTimeout(30_000);',
      'it.each(rows)("d", work); it("e", work); afterEach(work); describe("f", work); client.test("g", work, 3);',
    ].join('\n');
    const found = file => testLimits(treeOf({ [file]: source })).map(({ line }) => line);
    for (const file of ['a/src/x.spec.ts', 'a/src/x.cases.ts', 'a/src/x.contract.ts', 'a/e2e/fixture.ts'])
      assert.deepEqual(found(file), [1, 2, 3, 4, 5]);
    assert.deepEqual(found('a/src/x.ts'), []);
  });
});

describe('fixed-waits', () => {
  const found = (source, file = 'a/src/x.spec.ts') =>
    fixedWaits(treeOf({ [file]: source })).map(({ line, message }) => `${line} ${message.split(':')[0]}`);
  const TIME = 'waits for a time';
  const PIECES = 'waits for a time in pieces';

  it('reports a wait for a time in tests, and none between two looks at a condition', () => {
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
    const files = ['a/src/x.spec.ts', 'a/e2e/fixture.ts', 'a/src/testing/y.ts', 'a/src/x.cases.ts'];
    for (const file of [...files, 'a/src/x.contract.ts', 'tools/x.spec.mjs'])
      assert.deepEqual(found(source, file), [`2 ${TIME}`, `3 ${TIME}`, `9 ${TIME}`], file);
    assert.deepEqual(found(source, 'a/src/poll.ts'), []);
  });

  it('follows the names that a file gives to timers, and takes no other function for one', () => {
    const source = [
      "import { setTimeout as later } from 'node:timers/promises';",
      'const rest = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));',
      'const calm = rest;',
      'async function idle() { await calm(20); }',
      'const doze = promisify(setTimeout);',
      'const wait = async () => { while (!done()) await rest(5); };',
      'it("x", async () => {',
      '  await later(1); await rest(2); await calm(3);',
      '  await idle(); await doze(4);',
      '  await wait();',
      '});',
    ].join('\n');
    assert.deepEqual(found(source), [...Array(3).fill(`8 ${TIME}`), ...Array(2).fill(`9 ${TIME}`)]);
  });

  it('reports a loop that ends by a count or by a clock, and takes one that asks', () => {
    const source = [
      'for (let i = 0; i < 20; i++) await delay(1);',
      'for (const _ of rounds) { look(); await delay(1); }',
      'for (const since = Date.now(); !isSilent && Date.now() - since < 300;) await delay(1);',
      'for (;;) { if (performance.now() > end) return; await delay(1); }',
      'for (; !isOver; turns++) await delay(1);',
      'for (let i = 0; i < 20 && state.open > 0; i++) await delay(1);',
      'for (let stored = 0; stored < 2;) { try { await add(); stored++; } catch { await delay(1); } }',
      'while (!holds()) { if (Date.now() > end) throw new Error("what it waited for"); await delay(1); }',
      'do { offered = await rails(); await delay(1); } while (offered.includes(gone));',
      'for (let i = 0; i < TRIES_MAX; i += 1) { if (await holds()) return; await delay(1); }',
      'while (!holds() && tries++ < 100) await delay(1);',
      'for (;;) { turns++; if (holds() || turns === 100) break; await delay(1); }',
      'for (let i = 0; i < all.length; i++) { await all[i].end(); await delay(1); }',
      'for (const since = Date.now(); ;) { if (holds()) return; if (Date.now() > since + 9) throw x; await delay(1); }',
    ].join('\n');
    const expected = [
      `1 ${PIECES}`,
      `2 ${PIECES}`,
      '3 polls until a time is over',
      '4 polls until a time is over',
      ...[6, 10, 11, 12].map(line => `${line} polls a number of times`),
    ];
    assert.deepEqual(found(`it('x', async () => {${source}\n});`), expected);
  });

  it('reports a race against a timer, and one that is handed on', () => {
    const source = [
      "const outcome = await Promise.race([heard, delay(700, 'nothing')]);",
      "const late = new Promise(resolve => { setTimeout(() => resolve('nothing'), 700); });",
      'tools.before = () => delay(20);',
      'const closing = new Promise(resolve => socket.once("close", () => setTimeout(resolve, 1)));',
    ].join('\n');
    assert.deepEqual(
      found(source),
      [1, 2, 3].map(line => `${line} ${TIME}`),
    );
  });

  it('lets pass one whose reason is told, and demands a reason', () => {
    const reason = '// a fixed wait: the SDK of the processor asks again after a time of its own';
    assert.deepEqual(found(`${reason}\nawait delay(600);\nawait delay(5); ${reason}`), []);
    assert.deepEqual(found('// a fixed wait: slow\nawait delay(600);'), [
      '2 a fixed wait says why it is one',
    ]);
  });
});
