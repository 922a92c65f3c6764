import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../setup/workspace.mjs';
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

/**
 * @typedef {{ files: string[]; read: (file: string) => string }} Tree
 *   files with `/`, relative to the root; binary files are left out
 * @typedef {{ file: string; line: number; message: string }} Finding
 */

const BINARY = /\.(wasm|png|jpg|gif|ico|woff2?|wav|pdf|bin|gz)$/;

/** Each check of style, by its name. */
export const CHECKS = {
  'function-length': functionLength,
  names,
  'file-length': fileLength,
  'dead-files': deadFiles,
  'markdown-links': markdownLinks,
  'named-tests': namedTests,
  'entry-exports': entryExports,
  'forbidden-text': forbiddenText,
  'long-suites': longSuites,
  'fixed-waits': fixedWaits,
  'test-limits': testLimits,
};

/**
 * What git tracks or would track, so that a check never reads outputs or packages.
 *
 * @param {string} root
 * @returns {Tree}
 */
export function gitTree(root) {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = list.split('\0').filter(file => file && !BINARY.test(file) && existsSync(join(root, file)));
  const texts = new Map();
  const read = file => {
    if (!texts.has(file)) texts.set(file, readFileSync(join(root, file), 'utf8'));
    return texts.get(file);
  };
  return { files, read };
}

/**
 * @param {Tree} tree
 * @returns {string[]} one line a finding, sorted: `libs/x/src/y.ts:12  names: …`
 */
export function tidy(tree) {
  return Object.entries(CHECKS)
    .flatMap(([check, run]) =>
      run(tree).map(({ file, line, message }) => `${file}:${line}  ${check}: ${message}`),
    )
    .sort();
}

if (process.argv[1] === import.meta.filename) {
  const findings = tidy(gitTree(workspaceRoot));
  for (const finding of findings) process.stdout.write(`${finding}\n`);
  process.stdout.write(`${findings.length} findings\n`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
