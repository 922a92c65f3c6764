import { posix } from 'node:path';
import { EntryDefinitions, importsIn, packageEntries } from './package-entries.mjs';
import { suiteOf } from './suites.mjs';

const SOURCE = /\.(ts|mjs)$/;
/** A file by its path from the root: what a program starts or reads, `'apps/department/dist/main.js'`, `'k8s/base/nats.conf'`. */
const NAMED_FILE = /['"]((?:apps|libs|tools|bench|docs|k8s)\/[\w./-]+\.\w+)['"]/g;
/** The program of a package, whose folder is named elsewhere in the file or comes from outside. */
const PROGRAM = /['"](?:dist\/main\.js|src\/main\.ts)['"]/;
/** Benchmarks, which are loaded and started by the name of their folder. */
const NAMES_BENCHMARKS = /['"]bench\.mjs['"]/;
const BENCHMARK = /^bench\/[^/]+\/bench\.mjs$/;
const PACKAGE_FOLDER = /((?:apps|libs)\/[\w-]+)['"`]/g;

/**
 * Which files of the tree a change of others reaches, by imports, and by names of files that are started or read. A name that is
 * imported from the entry of a package leads to the file that defines it, not to the entry, so that a package's files stay apart for
 * those who use a few of them. A compiled file in `dist/` stands for its source.
 */
export class ImportGraph {
  /** @type {Map<string, Set<string>>} files by a file that they import */
  #importers = new Map();
  #entries;
  /** All of the tree: a page or a table can be read by a suite. */
  #files;
  #tree;
  #definitions;
  /** @type {Map<string, Set<string>>} files that import anything from an entry */
  #users = new Map();

  /** @param {import('../tidy/tidy.mjs').Tree} tree */
  constructor(tree) {
    this.#tree = tree;
    this.#files = new Set(tree.files);
    this.#entries = packageEntries(tree);
    const resolve = (from, reference) => this.#resolve(from, reference);
    this.#definitions = new EntryDefinitions(this.#entries, tree.read, resolve);
    for (const file of tree.files.filter(each => SOURCE.test(each))) {
      for (const target of [...this.#targetsOf(file), ...this.#namedIn(file)]) {
        if (!this.#importers.has(target)) this.#importers.set(target, new Set());
        this.#importers.get(target).add(file);
      }
    }
  }

  /**
   * Files that a change of `changed` can reach, with the least number of imports between: 0 for the changed ones.
   *
   * @param {string[]} changed
   * @returns {Map<string, number>}
   */
  distancesFrom(changed) {
    const distances = new Map(changed.map(file => [file, 0]));
    // An entry that changed may give any of its names otherwise than before.
    for (const user of changed.flatMap(file => [...(this.#users.get(file) ?? [])])) {
      if (!distances.has(user)) distances.set(user, 1);
    }
    for (const loader of changed.flatMap(file => this.#loadersOf(file)))
      if (!distances.has(loader)) distances.set(loader, 1);
    for (const queue = [...distances.keys()]; queue.length > 0;) {
      const file = queue.shift();
      for (const importer of this.#importers.get(file) ?? []) {
        if (distances.has(importer)) continue;
        distances.set(importer, distances.get(file) + 1);
        queue.push(importer);
      }
    }
    return distances;
  }

  /** Sources that load the WebAssembly which a file of AssemblyScript is compiled into. */
  #loadersOf(file) {
    const [, folder] = /^(.+)\/assembly\//.exec(file) ?? [];
    if (folder === undefined) return [];
    return this.#tree.files.filter(
      each =>
        each.startsWith(`${folder}/src/`) &&
        SOURCE.test(each) &&
        !suiteOf(each) &&
        /\.wasm\b/.test(this.#tree.read(each)),
    );
  }

  *#targetsOf(file) {
    for (const { names, from } of importsIn(this.#tree.read(file))) {
      const entry = this.#entries.get(from);
      if (!entry) {
        if (from.startsWith('#')) yield* this.#ownImports(file, from);
        if (!from.startsWith('.')) continue;
        const target = this.#resolve(file, from);
        if (target) yield target;
        else if (from.endsWith('/') && suiteOf(file))
          yield* this.#pagesBelow(posix.join(posix.dirname(file), from));
        continue;
      }
      const definitions = this.#definitions.of(entry);
      if (!this.#users.has(entry)) this.#users.set(entry, new Set());
      this.#users.get(entry).add(file);
      if (!names) yield entry;
      for (const name of names ?? []) yield definitions.get(name)?.file ?? entry;
    }
  }

  /** What a name in the `imports` of the file's own package stands for, under each of its conditions. */
  *#ownImports(file, name) {
    let folder = posix.dirname(file);
    while (folder !== '.' && !this.#files.has(`${folder}/package.json`)) folder = posix.dirname(folder);
    if (folder === '.') return;
    const { imports = {} } = JSON.parse(this.#tree.read(`${folder}/package.json`));
    const paths = target =>
      typeof target === 'string' ? [target] : Object.values(target ?? {}).flatMap(paths);
    for (const path of paths(imports[name])) {
      const target = this.#find(posix.join(folder, path));
      if (target) yield target;
    }
  }

  /** Files that are started or read by their path. */
  *#namedIn(file) {
    const text = this.#tree.read(file);
    // Suites of the tools try them on names of product files, and read none of those.
    const isExample = path => suiteOf(file)?.runner === 'node' && /^(apps|libs)\//.test(path);
    for (const [, path] of text.matchAll(NAMED_FILE)) {
      const target = isExample(path) ? undefined : this.#find(path);
      if (target && target !== file && !suiteOf(target)) yield target;
    }
    if (NAMES_BENCHMARKS.test(text) && !suiteOf(file))
      yield* this.#tree.files.filter(each => BENCHMARK.test(each));
    if (!PROGRAM.test(text)) return;
    const named = [...text.matchAll(PACKAGE_FOLDER)].map(([, folder]) => `${folder}/src/main.ts`);
    const programs = named.filter(path => this.#files.has(path));
    if (programs.length > 0) yield* programs;
    else yield* this.#tree.files.filter(each => /^apps\/[^/]+\/src\/main\.ts$/.test(each));
  }

  /** What lies in a folder without sources that a suite names, as `docs/`: it reads pages by names that are made when it runs. */
  *#pagesBelow(folder) {
    const below = this.#tree.files.filter(file => file.startsWith(folder));
    if (!below.some(file => SOURCE.test(file))) yield* below;
  }

  #resolve(from, reference) {
    return this.#find(posix.join(posix.dirname(from), reference));
  }

  #find(path) {
    const source = path.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
    const candidates = [path, `${path}.ts`, path.replace(/\.js$/, '.ts'), source, `${path}/index.ts`];
    return candidates.find(candidate => this.#files.has(candidate));
  }
}
