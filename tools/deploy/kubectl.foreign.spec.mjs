import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { workspaceRoot } from '../setup/workspace.mjs';
import { kustomize } from './kustomize.mjs';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
/** kubectl adds a hash to the name of a generated ConfigMap. */
const HASHED = /\b(nats-config|postgres-roles)-[a-z0-9]{10}\b/g;
const sortedKeys = (_key, value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** The manifests that the other suites check are made without kubectl, which is what an operator uses. */
describe('k8s/overlays', { skip: hasKubectl ? false : 'kubectl is not installed' }, () => {
  const overlays = join(workspaceRoot, 'k8s/overlays');
  const comparable = manifests =>
    manifests.map(manifest => JSON.stringify(manifest, sortedKeys).replaceAll(HASHED, '$1')).sort();

  for (const overlay of readdirSync(overlays)) {
    it(`${overlay} is rendered as kubectl renders it`, () => {
      const path = join(overlays, overlay);
      const text = execFileSync('kubectl', ['kustomize', path], { encoding: 'utf8' });
      const official = parseAllDocuments(text).map(document => document.toJS());
      assert.ok(official.length > 0);
      assert.deepEqual(comparable(kustomize(path)), comparable(official));
    });
  }
});
