import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { workspaceRoot } from '../setup/workspace.mjs';
import { isRunning } from './cpu-seconds.mjs';

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-runner-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs suites with Jest as the workspace does, in a folder of their own. @returns what was printed, and the records by file */
function run(suites, variables = {}, settings = {}) {
  for (const [file, text] of Object.entries(suites)) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const tools = join(workspaceRoot, 'tools/test');
  const config = join(folder, 'jest.config.json');
  const parts = {
    testRunner: join(tools, 'suite-runner.mjs'),
    reporters: [join(tools, 'suite-reporter.mjs')],
    // As in the workspace: with a limit Jest runs even one suite in a process of its own.
    workerIdleMemoryLimit: '1GB',
    ...settings,
  };
  writeFileSync(
    config,
    JSON.stringify({ rootDir: folder, testMatch: ['**/*.spec.ts'], transform: {}, ...parts }),
  );
  const records = join(folder, 'records.json');
  const { NODE_TEST_CONTEXT: _inside, ...env } = process.env;
  const jest = join(workspaceRoot, 'node_modules/jest/bin/jest.js');
  const args = [jest, '--config', config, '--maxWorkers=2', '--runTestsByPath', ...Object.keys(suites)];
  const child = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...env, NODE_PATH: join(workspaceRoot, 'node_modules'), SUITE_RECORDS: records, ...variables },
  });
  const found = JSON.parse(readFileSync(records, 'utf8'));
  return {
    output: child.stdout + child.stderr,
    ...Object.fromEntries(found.map(record => [record.file, record])),
  };
}

describe('the runner of suites', () => {
  it('removes what a suite leaves lying unless something of it fails, and names that then', () => {
    const keep = (file, test) => {
      const left = join(folder, `${file}.jsonl`);
      const text = `require('fs').writeFileSync('${left}', ''); keptWhereFailed.push('${left}'); it('x', () => { ${test} });`;
      return [left, run({ [`apps/a/src/${file}.spec.ts`]: text }).output];
    };
    const [good, said] = keep('leaves', '');
    const [bad, complained] = keep('keeps', `throw new Error('no');`);
    assert.deepEqual([existsSync(good), said.includes(good)], [false, false]);
    assert.deepEqual([existsSync(bad), complained.includes(`Kept: ${bad}`)], [true, true]);
  });

  it('tells passed, failed and skipped tests and a suite that does not load apart', () => {
    const suites = {
      'apps/a/src/good.spec.ts': `it('x', () => {}); it('y', () => console.log('SKIPPED: sox is not installed'));`,
      'apps/a/src/bad.spec.ts': `it('x', () => { console.log('what it said'); throw new Error('why it failed'); });`,
      'apps/a/src/broken.spec.ts': `throw new Error('does not load');`,
    };
    const ran = run(suites);
    const counts = file => [ran[file].passed, ran[file].failed, ran[file].skipped];
    assert.deepEqual(counts('apps/a/src/good.spec.ts'), [1, 0, 1]);
    assert.deepEqual(ran['apps/a/src/good.spec.ts'].missing, ['sox is not installed']);
    assert.deepEqual(counts('apps/a/src/bad.spec.ts'), [0, 1, 0]);
    assert.deepEqual(counts('apps/a/src/broken.spec.ts'), [0, 1, 0]);
    // The end of a run repeats them.
    const told = ['bad', 'broken'].flatMap(name => ran[`apps/a/src/${name}.spec.ts`].failures);
    assert.match(
      told.join('\n'),
      /^apps\/a\/src\/bad.spec.ts › x\n.*why it failed[^]*broken[^]*does not load/,
    );
    for (const words of ['what it said', 'why it failed', 'does not load'])
      assert.ok(ran.output.includes(words), words);
  });

  it('counts the CPU of processes that a suite starts', () => {
    const busy = `const t = process.cpuUsage(); while (process.cpuUsage(t).user < 700000);`;
    const suites = {
      'apps/a/e2e/child.spec.ts': `it('x', () => { require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(busy)}]); });`,
      'apps/a/e2e/idle.spec.ts': `it('x', () => {});`,
    };
    const ran = run(suites);
    assert.ok(ran['apps/a/e2e/child.spec.ts'].cpuSeconds > 0.6);
    assert.ok(ran['apps/a/e2e/idle.spec.ts'].cpuSeconds < 0.5);
  });

  it('lets a unit suite start no process, server, connection or socket, and a service suite all of them', () => {
    const test = `
      const { once } = require('node:events');
      it('a process', () => { require('node:child_process').execFileSync(process.execPath, ['-v']); });
      it('a server', async () => {
        const server = require('node:net').createServer().listen(0);
        await once(server, 'listening');
        server.close();
      });
      it('a connection', async () => {
        // Nothing listens there: the attempt is refused by the machine, or by the runner before it.
        const socket = require('node:net').connect(1, '127.0.0.1');
        const [{ code }] = await once(socket, 'error');
        expect(code).toBe('ECONNREFUSED');
      });
      it('a socket', () => { require('node:dgram').createSocket('udp4').close(); });`;
    const ran = run({ 'apps/a/src/unit.spec.ts': test, 'apps/a/e2e/service.spec.ts': test });
    const { failed, failures } = ran['apps/a/src/unit.spec.ts'];
    assert.equal(failed, 4);
    const refusals = [
      'starts no process (execFileSync)',
      'opens no server (listen)',
      'opens no connection (connect)',
      'opens no socket (createSocket)',
    ];
    for (const refused of refusals)
      assert.ok(failures.join().includes(`A unit suite ${refused}: it belongs into e2e/`), refused);
    assert.equal(ran['apps/a/e2e/service.spec.ts'].passed, 4);
  });

  it('tries properties with the same cases in each run of the quick tiers, and with others in the long one', () => {
    const settings = {
      extensionsToTreatAsEsm: ['.ts'],
      transform: {
        '^.+\\.ts$': [join(workspaceRoot, 'tools/test/source-transform.mjs'), { jsc: { target: 'es2022' } }],
      },
    };
    const cases = name => {
      const drawn = join(folder, 'drawn.json');
      const test = `import { writeFileSync } from 'node:fs';\nimport fc from 'fast-check';
        it('x', () => {
          const cases = [];
          fc.assert(fc.property(fc.integer(), value => { cases.push(value); }));
          writeFileSync('${drawn}', JSON.stringify(cases));
        });`;
      run({ [`apps/a/${name}.spec.ts`]: test }, { NODE_OPTIONS: '--experimental-vm-modules' }, settings);
      return JSON.parse(readFileSync(drawn, 'utf8'));
    };
    const [once, again, service] = ['src/drawn', 'src/drawn', 'e2e/drawn'].map(cases);
    assert.equal(once.length, 100);
    assert.deepEqual([again, service], [once, once]);
    const [long, longAgain] = ['src/drawn.long', 'src/drawn.long'].map(cases);
    assert.notDeepEqual(long, once);
    assert.notDeepEqual(long, longAgain);
  });

  it('gives a test the time of its tier', () => {
    const environment = join(folder, 'tells-limit.cjs');
    // Jest tells its environment, and no suite, what the limit is.
    writeFileSync(
      environment,
      `const { TestEnvironment } = require('jest-environment-node');
      module.exports = class extends TestEnvironment {
        handleTestEvent({ name }, { testTimeout }) {
          if (name === 'run_start') this.global.limitMs = testTimeout;
        }
      };`,
    );
    const limits = { 'src/a': 60, 'e2e/b': 240, 'src/c.long': 600, 'e2e/d.long': 600, 'e2e/e.foreign': 600 };
    const suites = Object.entries(limits).map(([name, seconds]) => [
      `apps/a/${name}.spec.ts`,
      `it('x', () => expect([limitMs, Number(process.env.SUITE_LIMIT_MS)]).toEqual([${seconds}_000, ${seconds}_000]));`,
    ]);
    const ran = run(Object.fromEntries(suites), {}, { testEnvironment: environment });
    for (const [file] of suites) assert.deepEqual(ran[file].failures, [], file);
  });

  it('ends a suite that holds up its thread for ever, with what it started, names it, and runs the others', () => {
    const pid = join(folder, 'pid');
    const forEver = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
    const hangs = `it('x', () => {
      const child = require('node:child_process').spawn('sleep', ['1000'], { stdio: 'ignore' });
      require('node:fs').writeFileSync(${JSON.stringify(pid)}, String(child.pid));
      ${forEver}
    });`;
    const suites = { 'apps/a/e2e/hangs.spec.ts': hangs, 'apps/a/src/loads.spec.ts': forEver };
    const signs = `it.each([1, 2, 3])('%i', () => new Promise(next => setTimeout(next, 2_000)));`;
    const others = { 'apps/a/src/signs.spec.ts': signs, 'apps/a/src/good.spec.ts': `it('x', () => {});` };
    const ran = run({ ...suites, ...others }, { SUITE_SILENCE_MS: '5000' });
    for (const file of Object.keys(suites)) {
      assert.equal(ran[file].failed, 1);
      assert.match(ran[file].failures[0], new RegExp(`^${file} › hangs: no test of it began or ended`));
    }
    assert.equal(isRunning(Number(readFileSync(pid, 'utf8'))), false);
    assert.deepEqual([ran['apps/a/src/signs.spec.ts'].passed, ran['apps/a/src/good.spec.ts'].passed], [3, 1]);
  });

  it('starts no suite that would end after the deadline, by what it is expected to take', () => {
    const seconds = join(folder, 'seconds.json');
    writeFileSync(seconds, JSON.stringify({ 'apps/a/src/dear.spec.ts': 700, 'apps/a/src/cheap.spec.ts': 1 }));
    const test = `it('x', () => {});`;
    const ran = run(
      { 'apps/a/src/dear.spec.ts': test, 'apps/a/src/cheap.spec.ts': test },
      { SUITE_SECONDS: seconds, SUITE_DEADLINE: String(Date.now() + 600_000) },
    );
    assert.equal(ran['apps/a/src/dear.spec.ts'].notStarted, true);
    assert.equal(ran['apps/a/src/cheap.spec.ts'].passed, 1);
  });

  it('starts no suite after the deadline, and counts none of those as passed or skipped', () => {
    const ran = run({ 'apps/a/src/late.spec.ts': `it('x', () => {});` }, { SUITE_DEADLINE: '1' });
    const { notStarted, passed, failed, skipped } = ran['apps/a/src/late.spec.ts'];
    assert.deepEqual(
      { notStarted, passed, failed, skipped },
      { notStarted: true, passed: 0, failed: 0, skipped: 0 },
    );
  });
});
