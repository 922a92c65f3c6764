import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { workspaceRoot } from '../setup/workspace.mjs';

/** The sources of the product, and which of them each one imports, types included. */
function importsOfSources() {
  const folders = ['apps/*/src/**', 'libs/*/src/**', 'libs/*/*/src/**'];
  const asked = { cwd: workspaceRoot, encoding: 'utf8' };
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...folders], asked);
  const isSource = file => file.endsWith('.ts') && !/\.(spec|cases)\.ts$|\/testing\//.test(file);
  const files = listed.split('\n').filter(isSource);
  const known = new Set(files);
  const importsOf = file => {
    const text = readFileSync(join(workspaceRoot, file), 'utf8');
    return ts
      .preProcessFile(text, true, true)
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => normalize(join(dirname(file), fileName)).replace(/\.js$/, '.ts'))
      .filter(other => known.has(other) && other !== file);
  };
  return new Map(files.map(file => [file, importsOf(file)]));
}

/**
 * Sets of files each of which leads to every other one (Tarjan 1972).
 * @param {Map<string, string[]>} imports
 */
function ringsOf(imports) {
  const [index, low, stack, rings] = [new Map(), new Map(), [], []];
  const visit = file => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const other of imports.get(file)) {
      if (!index.has(other)) visit(other);
      if (stack.includes(other)) low.set(file, Math.min(low.get(file), low.get(other)));
    }
    if (low.get(file) < index.get(file)) return;
    const ring = stack.splice(stack.indexOf(file));
    if (ring.length > 1) rings.push(ring.sort());
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return rings;
}

describe('imports', () => {
  it('go one way: no ring of files, types included', () => {
    const imports = importsOfSources();
    assert.ok(imports.has('apps/gateway/src/start-gateway.ts') && imports.has('libs/kernels/src/index.ts'));
    assert.deepEqual(ringsOf(imports), []);
  });

  it('that lead back are found, also by way of others', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', []],
      ['e', ['f', 'a']],
      ['f', ['e']],
    ]);
    assert.deepEqual(ringsOf(imports), [
      ['a', 'b', 'c'],
      ['e', 'f'],
    ]);
  });
});
