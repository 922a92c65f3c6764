import { posix } from 'node:path';
import { EntryDefinitions, importsIn, packageEntries } from './package-entries.mjs';

const SOURCE = /\.(ts|mjs)$/;

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
  #definitions;
  /** @type {Map<string, Set<string>>} files that import anything from an entry */
  #users = new Map();

  /** @param {import('../tidy/tidy.mjs').Tree} tree */
  constructor(tree) {
    this.#tree = tree;
    this.#files = new Set(tree.files.filter(file => SOURCE.test(file)));
    this.#entries = packageEntries(tree);
    const resolve = (from, reference) => this.#resolve(from, reference);
    this.#definitions = new EntryDefinitions(this.#entries, tree.read, resolve);
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
      const definitions = this.#definitions.of(entry);
      if (!this.#users.has(entry)) this.#users.set(entry, new Set());
      this.#users.get(entry).add(file);
      if (!names) yield entry;
      for (const name of names ?? []) yield definitions.get(name)?.file ?? entry;
    }
  }

  #resolve(from, reference) {
    const path = posix.join(posix.dirname(from), reference);
    const candidates = [path, `${path}.ts`, path.replace(/\.js$/, '.ts'), `${path}/index.ts`];
    return candidates.find(candidate => this.#files.has(candidate));
  }
}
