import { posix } from 'node:path';

const SOURCE = /\.(ts|mjs)$/;
/** `import { a } from 'x'`, `export { a } from 'x'`, `import 'x'`, `import('x')`, `new URL('x', import.meta.url)`. */
const IMPORTS =
  /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?([^'"`;]*?)\s*from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|new URL\(\s*['"`](\.{1,2}\/[^'"`$]+)['"`]/g;
/** A list of exported or imported names; `type a`, `a as b`. */
const NAME = /(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?/;

/**
 * Which files of the tree a change of others reaches, by imports. A name that is imported from the entry of a package leads to the
 * file that defines it, not to the entry, so that a package's files stay apart for those who use a few of them.
 */
export class ImportGraph {
  /** @type {Map<string, Set<string>>} files by a file that they import */
  #importers = new Map();
  #entries;
  #files;
  #tree;
  /** @type {Map<string, Map<string, string>>} files by the names that an entry gives on */
  #reexports = new Map();
  /** @type {Map<string, Set<string>>} files that import anything from an entry */
  #users = new Map();

  /** @param {import('../tidy/tidy.mjs').Tree} tree */
  constructor(tree) {
    this.#tree = tree;
    this.#files = new Set(tree.files.filter(file => SOURCE.test(file)));
    this.#entries = packageEntries(tree);
    for (const file of this.#files) {
      for (const target of this.#targetsOf(file)) {
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

  *#targetsOf(file) {
    for (const { names, from } of importsIn(this.#tree.read(file))) {
      const entry = this.#entries.get(from);
      if (!entry) {
        const target = from.startsWith('.') ? this.#resolve(file, from) : undefined;
        if (target) yield target;
        continue;
      }
      const definitions = this.#definitionsOf(entry);
      if (!this.#users.has(entry)) this.#users.set(entry, new Set());
      this.#users.get(entry).add(file);
      if (!names) yield entry;
      for (const name of names ?? []) yield definitions.get(name) ?? entry;
    }
  }

  /** Where the names of an entry come from. */
  #definitionsOf(entry) {
    if (!this.#reexports.has(entry)) {
      const found = new Map();
      this.#reexports.set(entry, found);
      for (const { names, given, from } of importsIn(this.#tree.read(entry))) {
        const target = from.startsWith('.') ? this.#resolve(entry, from) : this.#entries.get(from);
        if (target) (names ?? []).forEach((_, i) => found.set(given[i], target));
      }
    }
    return this.#reexports.get(entry);
  }

  #resolve(from, reference) {
    const path = posix.join(posix.dirname(from), reference);
    const candidates = [path, `${path}.ts`, path.replace(/\.js$/, '.ts'), `${path}/index.ts`];
    return candidates.find(candidate => this.#files.has(candidate));
  }
}

/** @returns {Generator<{ names?: string[]; given: string[]; from: string }>} no names: the whole module */
function* importsIn(text) {
  for (const [, clause, from, bare, dynamic, url] of text.matchAll(IMPORTS)) {
    const list = /\{([^}]*)\}/.exec(clause ?? '')?.[1];
    const whole = clause === undefined || /\*|^[\w$]+\s*(,|$)/.test(clause.trim()) || list === undefined;
    const names = whole ? [] : list.split(',').flatMap(part => (part.trim() ? [NAME.exec(part.trim())] : []));
    yield {
      from: from ?? bare ?? dynamic ?? url,
      names: whole ? undefined : names.map(([, name]) => name),
      given: names.map(([, name, alias]) => alias ?? name),
    };
  }
}

/** Source files by what one writes to import them: `@svc/kernels/node`. */
function packageEntries(tree) {
  const entries = new Map();
  for (const manifest of tree.files.filter(file => posix.basename(file) === 'package.json')) {
    const { name, exports = {} } = JSON.parse(tree.read(manifest));
    for (const [entry, { '@svc/source': source }] of Object.entries(exports)) {
      if (source) entries.set(`${name}${entry.slice(1)}`, posix.join(posix.dirname(manifest), source));
    }
  }
  return entries;
}
