import * as contracts from '@svc/contracts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gitTree } from '../tidy/tidy.mjs';
import { workspaceRoot } from '../setup/workspace.mjs';
import { TOPOLOGY } from './topology.mjs';

const { pingProcedure, toolCallContract } = contracts;

/** Subjects of the procedures that a text of TypeScript names, by their contracts. */
function subjectsNamed(text) {
  const named = [...text.matchAll(/\b(\w+Contract)\.(\w+)/g)].map(([, contract, name]) => [contract, name]);
  for (const [, names, contract] of text.matchAll(/const \{([^}]+)\} = (\w+Contract);/g))
    named.push(...names.split(',').map(name => [contract, name.split(':')[0].trim()]));
  const ofTools = [...text.matchAll(/toolCallContract\[\w+\]\.(\w+)/g)].map(([, name]) => name);
  for (const [, names] of text.matchAll(/const \{([^}]+)\} = toolCallContract\[\w+\]/g))
    ofTools.push(...names.split(',').map(name => name.trim()));
  return [
    ...named.map(([contract, name]) => contracts[contract]?.[name]?.subject),
    ...ofTools.flatMap(name => Object.values(toolCallContract).map(procedures => procedures[name]?.subject)),
  ].filter(subject => subject !== undefined);
}

/** Subjects that the sources below a folder name. */
function subjectsOf(folder) {
  const sources = gitTree(workspaceRoot).files.filter(
    file => file.startsWith(folder) && file.endsWith('.ts') && !file.endsWith('.spec.ts'),
  );
  return sources.flatMap(file => subjectsNamed(readFileSync(join(workspaceRoot, file), 'utf8')));
}

describe('the subjects that a service may publish to', () => {
  for (const [name, { calls }] of Object.entries(TOPOLOGY).filter(([name]) => name !== 'gateway'))
    it(`are of ${name} those of other services that its sources name`, () => {
      const named = subjectsOf(`apps/${name}/src/`).filter(subject => !subject.startsWith(`${name}.`));
      assert.deepEqual([...new Set(named)].filter(subject => !calls.includes(subject)).toSorted(), []);
    });
});

describe('the subjects that the gateway may publish to', () => {
  const named = new Set([
    ...['apps/gateway/src/', 'libs/edge/src/'].flatMap(subjectsOf),
    ...Object.keys(TOPOLOGY).map(name => pingProcedure(name).subject),
  ]);

  for (const service of ['payments', 'prover'])
    it(`are of ${service} those that its sources name, each of them, and no other`, () => {
      const may = TOPOLOGY.gateway.calls.filter(subject => subject.startsWith(`${service}.`));
      const needed = [...named].filter(subject => subject.startsWith(`${service}.`));
      assert.deepEqual(may.toSorted(), needed.toSorted());
      assert.ok(!TOPOLOGY.gateway.calls.includes(service));
    });
});

describe('docs/security.md', () => {
  it('says of every table how long its rows are kept', () => {
    const migrations = gitTree(workspaceRoot).files.filter(file =>
      /^apps\/[^/]+\/src\/migrations\/.*\.ts$|^libs\/platform\/src\/.*\.ts$/.test(file),
    );
    const tables = migrations.flatMap(file =>
      [
        ...readFileSync(join(workspaceRoot, file), 'utf8').matchAll(
          /CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?([a-z_]{3,}) \(/g,
        ),
      ].map(([, name]) => name),
    );
    assert.ok(new Set(tables).size >= 50, tables.join());
    const text = readFileSync(join(workspaceRoot, 'docs/security.md'), 'utf8');
    const kept = text.slice(text.indexOf('## What is kept how long'), text.indexOf('## What is told'));
    assert.deepEqual(
      [...new Set(tables)].filter(name => !kept.includes(`\`${name}\``)),
      [],
    );
  });
});
