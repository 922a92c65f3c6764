import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { runChild } from './child.mjs';
import { installDependencies, staleDependencies } from './dependencies.mjs';
import { requireNode } from './node-version.mjs';
import { buildTypeScript, buildWasm, typescriptIsStale, wasmIsStale, keptFresh } from './outputs.mjs';
import { seconds } from './progress.mjs';
import { SetupError } from './setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './workspace.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-setup-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path, content) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
};

describe('Node version', () => {
  it('accepts the named version and every newer one', () => {
    for (const version of ['20.19.0', '20.20.2', '22.0.0', '26.1.3-nightly'])
      requireNode('>=20.19.0', version);
  });

  it('refuses an older one with a sentence that names both', () => {
    for (const version of ['20.18.9', '18.20.0', '8.0.0']) {
      assert.throws(() => requireNode('>=20.19.0', version), {
        name: 'SetupError',
        message: new RegExp(`needs Node 20\\.19\\.0 or newer, and this is Node ${version}`),
      });
    }
  });
});

describe('fastify', () => {
  it('is pinned to one version in every package that names it, and installed as that', () => {
    const { packages } = JSON.parse(readFileSync(join(workspaceRoot, 'package-lock.json'), 'utf8'));
    const manifests = Object.keys(packages).filter(path => !/(^|\/)node_modules\//.test(path));
    const named = manifests.flatMap(path => {
      const manifest = JSON.parse(readFileSync(join(workspaceRoot, path, 'package.json'), 'utf8'));
      const kinds = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies];
      return kinds.flatMap(kind => kind?.fastify ?? []).map(version => `${path} ${version}`);
    });
    const { version } = packages['node_modules/fastify'];
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.ok(named.length >= 3, named.join());
    for (const one of named) assert.ok(one.endsWith(` ${version}`), one);
  });
});

describe('installed packages', () => {
  const lock = {
    packages: {
      '': { name: 'x' },
      'libs/a': { version: '1.0.0' },
      'node_modules/a': { link: true, resolved: 'libs/a' },
      'node_modules/b': { version: '2.0.0' },
      'node_modules/b/node_modules/c': { version: '3.0.0' },
      'node_modules/other-platform': { version: '1.0.0', optional: true },
    },
  };
  beforeEach(() => {
    const { 'node_modules/other-platform': _absent, ...present } = lock.packages;
    put('package-lock.json', lock);
    put('node_modules/.package-lock.json', { packages: present });
    for (const path of ['libs/a', 'node_modules/b', 'node_modules/b/node_modules/c'])
      put(`${path}/package.json`, '{}');
    symlinkSync('../libs/a', join(root, 'node_modules/a'));
  });

  it('are fresh when they are those of the lock file, another platform’s left out', () => {
    assert.equal(staleDependencies(root), undefined);
  });

  it('are stale when an install was broken off', () => {
    unlinkSync(join(root, 'node_modules/.package-lock.json'));
    assert.match(staleDependencies(root), /broken off/);
  });

  it('are stale when the lock file moved on, naming the package and both versions', () => {
    lock.packages['node_modules/b'].version = '2.0.1';
    put('package-lock.json', lock);
    lock.packages['node_modules/b'].version = '2.0.0';
    assert.equal(staleDependencies(root), 'node_modules/b is 2.0.0, and the lock file says 2.0.1');
  });

  it('are stale when the lock file has a package more', () => {
    put('package-lock.json', { packages: { ...lock.packages, 'node_modules/d': { version: '1.0.0' } } });
    assert.equal(staleDependencies(root), 'node_modules/d is not installed');
  });

  it('are stale when a folder was emptied by hand, and when the link to a workspace is gone', () => {
    rmSync(join(root, 'node_modules/b/node_modules/c'), { recursive: true });
    assert.equal(staleDependencies(root), 'node_modules/b/node_modules/c is incomplete');
    put('node_modules/b/node_modules/c/package.json', '{}');
    unlinkSync(join(root, 'node_modules/a'));
    assert.equal(staleDependencies(root), 'node_modules/a is incomplete');
  });

  it('cannot be told without a readable lock file, and that is one sentence', () => {
    put('package-lock.json', '{"packages":');
    assert.throws(() => staleDependencies(root), SetupError);
    unlinkSync(join(root, 'package-lock.json'));
    assert.throws(() => staleDependencies(root), /package-lock.json is missing/);
  });

  it('are installed by npm ci, and a failure of npm keeps its exit code', async () => {
    put('package.json', { name: 'x', version: '1.0.0' });
    put('package-lock.json', {
      name: 'x',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: { '': { name: 'x', version: '1.0.0' } },
    });
    rmSync(join(root, 'node_modules'), { recursive: true });
    await installDependencies(root);
    put('package.json', { name: 'x', version: '1.0.0', dependencies: { missing: '1.0.0' } });
    await assert.rejects(installDependencies(root), { name: 'SetupError', exitCode: 1 });
  });
});

describe('outputs', () => {
  beforeEach(() => {
    symlinkSync(join(workspaceRoot, 'node_modules/typescript'), link('typescript'));
    symlinkSync(join(workspaceRoot, 'node_modules/assemblyscript'), link('assemblyscript'));
    put('package.json', { type: 'module', engines: { node: '>=20.19.0' } });
    put('package-lock.json', { packages: {} });
    put('node_modules/.package-lock.json', { packages: {} });
    put('tsconfig.base.json', {
      compilerOptions: { composite: true, module: 'nodenext', types: [], lib: ['es2023'] },
    });
    put('tsconfig.build.json', { files: [], references: [{ path: './libs/a/tsconfig.lib.json' }] });
    put('libs/a/package.json', { type: 'module' });
    put('libs/a/tsconfig.lib.json', {
      extends: '../../tsconfig.base.json',
      compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/tsconfig.lib.tsbuildinfo' },
      include: ['src/**/*.ts'],
      exclude: ['src/left-out.ts'],
    });
    put('libs/a/src/index.ts', 'export const one: number = 1;\n');
    put('libs/a/src/left-out.ts', 'export const two = 2;\n');
    put('libs/kernels/asconfig.json', {
      entries: ['assembly/index.ts'],
      targets: { release: { outFile: 'wasm/kernels.wasm' } },
    });
    put('libs/kernels/assembly/index.ts', 'export function add(a: i32, b: i32): i32 { return a + b; }\n');
  });
  const link = name => {
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    return join(root, 'node_modules', name);
  };

  it('are built once, and fresh until a source changes', async () => {
    assert.deepEqual([wasmIsStale(root), typescriptIsStale(root)], [true, true]);
    await prepareWorkspace({ root });
    assert.deepEqual([wasmIsStale(root), typescriptIsStale(root)], [false, false]);
    put('libs/a/src/index.ts', 'export const one: number = 2;\n');
    utimesSync(join(root, 'libs/a/src/index.ts'), 1, 1);
    put('libs/kernels/assembly/index.ts', 'export function add(a: i32, b: i32): i32 { return b + a; }\n');
    assert.deepEqual([wasmIsStale(root), typescriptIsStale(root)], [true, true]);
  });

  it('are built again when one was deleted, which tsc -b alone would not notice', async () => {
    await buildTypeScript(root);
    await buildWasm(root);
    unlinkSync(join(root, 'libs/a/dist/index.js'));
    unlinkSync(join(root, 'libs/kernels/wasm/kernels.wasm'));
    assert.deepEqual([wasmIsStale(root), typescriptIsStale(root)], [true, true]);
    await buildTypeScript(root);
    await buildWasm(root);
    assert.deepEqual([wasmIsStale(root), typescriptIsStale(root)], [false, false]);
  });

  it('stay fresh over a change that is made in them too, and stale when they were', async () => {
    const longer = text =>
      keptFresh(root, () => put('libs/a/src/index.ts', `export const one: number = ${text};\n`));
    await buildTypeScript(root);
    longer('10');
    assert.equal(typescriptIsStale(root), false);
    put('libs/a/src/index.ts', 'export const one: number = 100;\n');
    longer('1000');
    assert.equal(typescriptIsStale(root), true);
  });

  it('stay stale when the compiler reports an error', async () => {
    put('libs/a/src/index.ts', 'export const one: number = "one";\n');
    await assert.rejects(buildTypeScript(root), { name: 'SetupError', message: /failed with exit code/ });
    assert.equal(typescriptIsStale(root), true);
  });
});

describe('a child process', () => {
  it('gives its exit code, and its output to whoever listens', async () => {
    let output = '';
    const program = 'console.log("out"); console.error("err"); process.exit(7)';
    const exitCode = await runChild(process.execPath, ['-e', program], {
      cwd: root,
      onOutput: text => (output += text),
    });
    assert.equal(exitCode, 7);
    assert.deepEqual(output.trim().split('\n').sort(), ['err', 'out']);
  });

  it('that cannot be started is one sentence', async () => {
    await assert.rejects(runChild(join(root, 'none'), [], { cwd: root }), /could not be started: .*ENOENT/);
  });

  it('is ended when its time is up', { timeout: 60_000 }, async () => {
    const signal = AbortSignal.timeout(200);
    const forEver = ['-e', 'setInterval(() => {}, 1_000)'];
    await assert.rejects(runChild(process.execPath, forEver, { cwd: root, signal }), /was ended by SIGTERM/);
    await assert.rejects(runChild(process.execPath, forEver, { cwd: root, signal }), /was ended by SIGTERM/);
  });

  it('is ended with the command when a signal reaches the command alone', { timeout: 60_000 }, async () => {
    const program = `
      import { runChild } from ${JSON.stringify(join(import.meta.dirname, 'child.mjs'))};
      const ready = 'process.stdout.write("ready " + process.pid); setInterval(() => {}, 1000)';
      await runChild(process.execPath, ['-e', ready], { cwd: '.' }).catch(error => process.exit(error.exitCode));`;
    put('command.mjs', program);
    const command = spawn(process.execPath, [join(root, 'command.mjs')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const text = await new Promise(resolve => command.stdout.once('data', data => resolve(String(data))));
    const childPid = Number(text.split(' ')[1]);
    try {
      command.kill('SIGTERM');
      const ended = new Promise(resolve => command.once('close', resolve));
      assert.equal(await ended, 130);
      assert.throws(() => process.kill(childPid, 0), { code: 'ESRCH' });
    } finally {
      command.kill('SIGKILL');
      killIfRunning(childPid);
    }
  });
});

function killIfRunning(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    assert.equal(error.code, 'ESRCH');
  }
}

describe('durations', () => {
  it('are told in seconds, and in minutes from one on', () => {
    assert.deepEqual([80, 12_340, 185_000].map(seconds), ['0.1 s', '12.3 s', '3 min 05 s']);
  });
});
