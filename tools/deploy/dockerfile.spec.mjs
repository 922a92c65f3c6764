import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SERVICES } from '@svc/contracts';
import { ALLOCATOR } from '../bench/served-process.mjs';
import { requireNode } from '../setup/node-version.mjs';
import { workspaceRoot } from '../setup/workspace.mjs';

const read = path => readFileSync(join(workspaceRoot, path), 'utf8');
/** One instruction a line, its continuations joined. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, '')
  .split('\n');
const [, image] = instructions.join('\n').split(/^FROM base AS image$/m);

describe('Dockerfile', () => {
  it('starts the file that its build links to the compiled app', () => {
    const command = JSON.parse(/^CMD (.+)$/m.exec(image)[1]);
    const [, target, link] = /ln -s "([^"]+)" \/out\/(\S+)/.exec(instructions.join('\n'));
    assert.deepEqual(command, ['node', link]);
    assert.match(image, /^COPY --from=build \/out \.\/$/m);
    for (const app of SERVICES) {
      const compiled = target.replace('${APP}', app);
      const { rootDir, outDir } = JSON.parse(read(`apps/${app}/tsconfig.lib.json`)).compilerOptions;
      const source = compiled.replace(`/${outDir}/`, `/${rootDir}/`).replace(/\.js$/, '.ts');
      assert.equal(compiled, `apps/${app}/${outDir}/main.js`);
      assert.ok(existsSync(join(workspaceRoot, source)), `${source}, from which ${compiled} is made`);
    }
  });

  it('has a whole version of Node, no older than the one that package.json, README and docs ask for', () => {
    const [version] = instructions.flatMap(
      line => /^ARG NODE_VERSION=(\d+\.\d+\.\d+)$/.exec(line)?.[1] ?? [],
    );
    const range = JSON.parse(read('package.json')).engines.node;
    requireNode(range, version);
    const told = range.slice('>='.length).replace(/\.0$/, '');
    assert.match(read('README.md'), new RegExp(`Node ≥ ${told} `));
    assert.match(read('docs/deploy.md'), new RegExp(`needs Node ${told} or newer`));
    assert.equal(version.split('.')[0], '24', 'images run on the release that is supported longest');
  });

  it('copies files that exist in the repository or are made by its build', () => {
    const sources = instructions
      .flatMap(line => [...line.matchAll(/\bcp --parents(?: -r)? (.+?) \/out/g)])
      .flatMap(([, list]) => list.replaceAll('"', '').split(/\s+/));
    assert.ok(sources.length >= 8, sources.join());
    for (const source of sources.filter(path => !/\*|\/wasm$|\/dist$/.test(path))) {
      assert.ok(existsSync(join(workspaceRoot, source.replace('${APP}', 'prover'))), source);
    }
  });

  it('copies what packages start or load beside their compiled files: workers and WebAssembly', () => {
    const copied = instructions.flatMap(line =>
      [...line.matchAll(/libs\/[\w/-]+\/(?:worker|wasm)\b/g)].map(([path]) => path),
    );
    const packages = ['libs', 'libs/engines'].flatMap(parent =>
      readdirSync(join(workspaceRoot, parent)).map(name => `${parent}/${name}`),
    );
    const own = packages.flatMap(path => ['worker', 'wasm'].map(folder => `${path}/${folder}`));
    const needed = own.filter(path => existsSync(join(workspaceRoot, path)));
    assert.ok(needed.includes('libs/engines/certificates/worker'), needed.join());
    assert.deepEqual(
      needed.filter(path => !copied.includes(path)),
      [],
    );
  });

  it('sets the allocator as `npm start` does', () => {
    const settings = Object.entries(ALLOCATOR)
      .map(pair => pair.join('='))
      .join(' ');
    assert.ok(image.includes(`ENV ${settings}\n`), image);
    assert.equal(JSON.parse(read('package.json')).scripts.start, `${settings} exec node tools/start.mjs`);
  });

  it('leaves out what only a machine with a GPU can use, unless it is asked for', () => {
    const [install] = instructions.filter(line => /^RUN npm ci --omit=dev/.test(line));
    assert.match(install, /if \[ "\$\{WEBGPU\}" != true \]; then rm -rf node_modules\/webgpu; fi$/);
    assert.match(instructions.join('\n'), /^ARG WEBGPU=false$/m);
    const { optionalDependencies, dependencies = {} } = JSON.parse(read('libs/engines/spiking/package.json'));
    assert.deepEqual([Object.keys(optionalDependencies), 'webgpu' in dependencies], [['webgpu'], false]);
  });

  it('has the decoder of images as it is built for the C library of its base, without any script', () => {
    assert.match(instructions.join('\n'), /^FROM node:\S+-bookworm-slim AS base$/m);
    const { dependencies } = JSON.parse(read('libs/engines/speckle/package.json'));
    const { packages } = JSON.parse(read('package-lock.json'));
    const { version, optionalDependencies, dev } = packages['node_modules/sharp'];
    assert.deepEqual([version, dev], [dependencies.sharp, undefined]);
    for (const cpu of ['x64', 'arm64']) {
      const names = [`@img/sharp-linux-${cpu}`, `@img/sharp-libvips-linux-${cpu}`];
      for (const name of names) {
        const { os, cpu: builtFor, libc, dev: isForTests } = packages[`node_modules/${name}`];
        assert.deepEqual([os, builtFor, libc, isForTests], [['linux'], [cpu], ['glibc'], undefined], name);
        assert.ok(name in optionalDependencies, name);
      }
    }
    const { allowScripts } = JSON.parse(read('package.json'));
    assert.equal(allowScripts.sharp, false);
    assert.ok('@svc/speckle' in JSON.parse(read('apps/department/package.json')).dependencies);
  });

  it('runs without root, as production, and says when it is alive on the port that it listens on', () => {
    assert.match(image, /^USER node$/m);
    assert.match(instructions.join('\n'), /AS base\nWORKDIR \/app\nENV NODE_ENV=production$/m);
    assert.match(image, /127\.0\.0\.1:\$\{process\.env\.PORT \?\? process\.env\.HEALTH_PORT\}\/livez/);
  });
});
