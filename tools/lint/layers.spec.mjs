import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';
import { workspaceRoot } from '../setup/workspace.mjs';

const BOUNDARIES = '@nx/enforce-module-boundaries';

/** Deliberate violations: a file that does not exist, one line that it must never hold, the rule that says so. */
const violations = [
  [
    'the verifier imports the prover',
    'libs/engines/stark-verifier',
    "import '@svc/stark-prover';",
    BOUNDARIES,
  ],
  ['the gateway imports an engine', 'apps/gateway', "import '@svc/stark-verifier';", BOUNDARIES],
  ['the gateway imports another app', 'apps/gateway', "import '@svc/prover';", BOUNDARIES],
  ['an app imports a kernel', 'apps/prover', "import '@svc/kernels';", BOUNDARIES],
  ['contracts import the platform', 'libs/contracts', "import '@svc/platform';", BOUNDARIES],
  ['contracts import protocols', 'libs/contracts', "import '@svc/protocols';", BOUNDARIES],
  ['a kernel imports an engine', 'libs/kernels', "import '@svc/stark-air';", BOUNDARIES],
  ['an engine imports contracts', 'libs/engines/stark-prover', "import '@svc/contracts';", BOUNDARIES],
  ['protocols import the platform', 'libs/protocols', "import '@svc/platform';", BOUNDARIES],
  ['the platform imports an engine', 'libs/platform', "import '@svc/stark-air';", BOUNDARIES],
  ['the client imports the prover', 'libs/client', "import '@svc/stark-prover';", 'no-restricted-imports'],
  ['the client imports the platform', 'libs/client', "import '@svc/platform';", BOUNDARIES],
  ['an import() crosses a layer', 'libs/contracts', "await import('@svc/platform');", BOUNDARIES],
  [
    'a relative path reaches into a package',
    'apps/prover',
    "import '../../../libs/contracts/src/problem.js';",
    BOUNDARIES,
  ],
  ['a kernel imports node:fs', 'libs/kernels', "import 'node:fs';", 'no-restricted-imports'],
  [
    'a kernel imports fs without the prefix',
    'libs/kernels',
    "import 'fs/promises';",
    'no-restricted-imports',
  ],
  ['a kernel loads node:fs late', 'libs/kernels', "await import('node:fs');", 'no-restricted-syntax'],
  [
    'an engine imports node:crypto',
    'libs/engines/stark-air',
    "import 'node:crypto';",
    'no-restricted-imports',
  ],
  [
    'an engine imports NestJS',
    'libs/engines/stark-prover',
    "import '@nestjs/common';",
    'no-restricted-imports',
  ],
  [
    'an engine loads NestJS late',
    'libs/engines/stark-prover',
    "await import('@nestjs/common');",
    'no-restricted-syntax',
  ],
  [
    'an engine reads the environment',
    'libs/engines/stark-air',
    'export const home = process.env.HOME;',
    'no-restricted-globals',
  ],
  ['protocols import a database driver', 'libs/protocols', "import 'pg';", 'no-restricted-imports'],
  [
    'the client imports the NATS driver',
    'libs/client',
    "import '@nats-io/transport-node';",
    'no-restricted-imports',
  ],
  ['the client imports a database driver', 'libs/client', "import 'pg';", 'no-restricted-imports'],
  ['contracts import rxjs', 'libs/contracts', "import 'rxjs/operators';", 'no-restricted-imports'],
];

/** What each layer may do: the rules above would be worthless if they fired here too. */
const controls = [
  ['the verifier imports a kernel', 'libs/engines/stark-verifier', "import '@svc/kernels';"],
  ['the prover imports the arithmetisation', 'libs/engines/stark-prover', "import '@svc/stark-air';"],
  ['an app imports an engine that stands on kernels', 'apps/prover', "import '@svc/stark-prover';"],
  [
    'an app imports contracts and the platform',
    'apps/snn',
    "import '@svc/contracts';\nimport '@svc/platform';",
  ],
  ['all-in-one imports a service', 'apps/allinone', "import '@svc/prover';"],
  ['the gateway imports protocols', 'apps/gateway', "import '@svc/protocols';"],
  ['the platform imports NestJS and node:fs', 'libs/platform', "import '@nestjs/common';\nimport 'node:fs';"],
  ['the client imports the verifier', 'libs/client', "import '@svc/stark-verifier';"],
  ['protocols import node:crypto', 'libs/protocols', "import 'node:crypto';"],
  ['a kernel file named like a builtin is imported', 'libs/kernels', "import './path.js';"],
];

describe('layer rules', () => {
  const eslint = new ESLint({ cwd: workspaceRoot });

  // Without a project graph the boundary rule prints a warning and lets everything through.
  let graph;
  before(async () => {
    process.env.NX_DAEMON = 'false';
    graph = await createProjectGraphAsync({ exitOnError: false });
  });

  const rulesBrokenBy = async (filePath, code) => {
    const [{ messages }] = await eslint.lintText(`${code}\n`, { filePath: join(workspaceRoot, filePath) });
    return messages.map(message => message.ruleId ?? message.message);
  };

  for (const [name, project, code, rule] of violations) {
    it(`reports when ${name}`, async () => {
      assert.deepEqual(await rulesBrokenBy(`${project}/src/violation.ts`, code), [rule]);
    });
  }

  for (const [name, project, code] of controls) {
    it(`allows that ${name}`, async () => {
      assert.deepEqual(await rulesBrokenBy(`${project}/src/control.ts`, code), []);
    });
  }

  it('refuses a framework and a Node module to plain JavaScript too', async () => {
    const framework = "import '@nestjs/common';";
    for (const file of ['libs/kernels/worker/violation.mjs', 'libs/client/bin/violation.mjs']) {
      assert.deepEqual(await rulesBrokenBy(file, framework), ['no-restricted-imports'], file);
    }
    assert.deepEqual(await rulesBrokenBy('libs/engines/stark-air/src/violation.mjs', "import 'node:fs';"), [
      'no-restricted-imports',
    ]);
  });

  it('refuses the checker of histories whatever lies outside of its folder, and allows it Node', async () => {
    const file = 'tools/history/violation.mjs';
    for (const outside of ['@svc/protocols', '../test/suites.mjs', '../../apps/payments/dist/index.js'])
      assert.ok(
        (await rulesBrokenBy(file, `import '${outside}';`)).includes('no-restricted-imports'),
        outside,
      );
    assert.deepEqual(await rulesBrokenBy(file, "await import('viem');"), ['no-restricted-syntax']);
    assert.deepEqual(await rulesBrokenBy(file, "import 'node:fs';\nimport './history.mjs';"), []);
  });

  it('knows the layer of every package, exactly one', () => {
    const layersOf = ({ data }) => data.tags.filter(tag => tag.startsWith('layer:'));
    const odd = Object.values(graph.nodes).filter(node => layersOf(node).length !== 1);
    assert.ok(Object.keys(graph.nodes).length >= 16, 'the graph holds the packages');
    assert.deepEqual(
      odd.map(node => node.name),
      [],
    );
  });

  it('allows a kernel to import node:fs in a folder named node', async () => {
    assert.deepEqual(await rulesBrokenBy('libs/kernels/src/node/control.ts', "import 'node:fs';"), []);
  });

  it('allows the prover to the one folder of the client that proves, and no framework', async () => {
    const file = 'libs/client/src/prover/control.ts';
    assert.deepEqual(await rulesBrokenBy(file, "import '@svc/stark-prover/node';"), []);
    assert.deepEqual(await rulesBrokenBy(file, "import 'typeorm';"), ['no-restricted-imports']);
  });

  it('allows the database driver to the one file of the client that reads logs, and no other framework', async () => {
    const file = 'libs/client/src/node/wal-database.ts';
    assert.deepEqual(await rulesBrokenBy(file, "import 'pg';"), []);
    assert.deepEqual(await rulesBrokenBy(file, "import 'typeorm';"), ['no-restricted-imports']);
  });

  it('allows a test of an engine to import node:fs, and refuses it NestJS', async () => {
    const test = 'libs/engines/stark-air/src/control.spec.ts';
    assert.deepEqual(await rulesBrokenBy(test, "import 'node:fs';"), []);
    assert.deepEqual(await rulesBrokenBy(test, "import '@nestjs/common';"), ['no-restricted-imports']);
  });
});
