import { posix } from 'node:path';
import ts from 'typescript';
import { commandFiles } from './file-length.mjs';

/** Files that something other than an import starts: apps, tests, benchmarks, tools' configuration, ambient types. */
const STARTED =
  /(^|\/)main\.ts$|\.(spec|bench)\.(ts|mjs)$|\.config\.mjs$|\.d\.ts$|^bench\/[^/]+\/bench\.mjs$|^tools\/test\/(suite-runner|suite-reporter|longest-first|source-transform)\.mjs$/;

/**
 * Code that no entry reaches: not through a package's exports, an app, a command, a test or a
 * benchmark, by imports or by `new URL('./file', import.meta.url)`.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function deadFiles(tree) {
  const code = new Set(tree.files.filter(file => /\.(ts|mjs)$/.test(file)));
  const reached = new Set();
  const queue = entries(tree, code);
  while (queue.length > 0) {
    const file = queue.pop();
    if (reached.has(file)) continue;
    reached.add(file);
    for (const reference of references(file, tree.read(file))) {
      const target = resolve(file, reference, code);
      if (target && !reached.has(target)) queue.push(target);
    }
  }
  return [...code]
    .filter(file => !reached.has(file))
    .map(file => ({ file, line: 1, message: 'no entry, test or benchmark reaches this file' }));
}

function entries(tree, code) {
  const found = [...commandFiles(tree)].filter(file => code.has(file));
  found.push(...[...code].filter(file => STARTED.test(file)));
  for (const manifest of tree.files.filter(file => posix.basename(file) === 'package.json')) {
    const { exports = {}, imports = {}, bin = {} } = JSON.parse(tree.read(manifest));
    const targets = [...Object.values({ ...exports, ...imports }).flatMap(sourcesOf), ...Object.values(bin)];
    for (const target of targets) {
      const source = posix.join(posix.dirname(manifest), target);
      found.push(
        ...[source, source.replace('/dist/', '/src/').replace(/\.js$/, '.ts')].filter(f => code.has(f)),
      );
    }
  }
  for (const config of tree.files.filter(file => /^asconfig[\w.-]*\.json$/.test(posix.basename(file)))) {
    const { entries: sources = [] } = JSON.parse(tree.read(config));
    found.push(...sources.map(source => posix.join(posix.dirname(config), source)));
  }
  return found.filter(file => code.has(file));
}

/** The files of an entry of `exports` or `imports`: its source where it names one, and those of the platforms that it tells apart. */
function sourcesOf(entry) {
  if (typeof entry === 'string') return [entry];
  const { '@svc/source': source, ...built } = entry;
  if (source === undefined) return Object.values(built).flatMap(sourcesOf);
  const { types: _types, default: _everywhere, ...platforms } = built;
  return [source, ...Object.values(platforms).flatMap(sourcesOf)];
}

/** Relative paths that a file names in an import, an export, an import() or a URL. */
function references(file, text) {
  const found = ts.preProcessFile(text, true, true).importedFiles.map(reference => reference.fileName);
  for (const [, path] of text.matchAll(/new URL\(\s*['"`](\.{1,2}\/[^'"`]+)['"`]/g)) found.push(path);
  return found.filter(path => path.startsWith('.'));
}

function resolve(from, reference, code) {
  const path = posix.join(posix.dirname(from), reference);
  const source = path.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  const candidates = [path, `${path}.ts`, source, `${path}/index.ts`];
  return candidates.find(candidate => code.has(candidate));
}
