import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** `import { a } from 'x'`, `export { a } from 'x'`, `import 'x'`, `import('x')`, `new URL('x', import.meta.url)`. */
const IMPORTS =
  /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?([^'"`;]*?)\s*from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|new URL\(\s*['"`](\.{1,2}\/[^'"`$]+)['"`]/g;
/** An imported or exported name: `type a`, `a as b`. */
const NAME = /(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?/;

/**
 * Folders of our packages, from the root.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function packageFolders(root) {
  const inside = folder => readdirSync(join(root, folder)).map(name => `${folder}/${name}`);
  return [...inside('apps'), ...inside('libs'), ...inside('libs/engines'), 'tools/sandbox'].filter(folder =>
    existsSync(join(root, folder, 'package.json')),
  );
}

/**
 * Source files by what one writes to import them, `@svc/kernels/node`: what the condition `@svc/source` of the `exports` names.
 *
 * @param {{ files: string[]; read: (file: string) => string }} tree paths from the root, with `/`
 * @returns {Map<string, string>}
 */
export function packageEntries({ files, read }) {
  const entries = new Map();
  for (const manifest of files.filter(file => posix.basename(file) === 'package.json')) {
    const { name, exports = {} } = JSON.parse(read(manifest));
    for (const [entry, { '@svc/source': source }] of Object.entries(exports)) {
      if (source) entries.set(`${name}${entry.slice(1)}`, posix.join(posix.dirname(manifest), source));
    }
  }
  return entries;
}

/** The manifests of our packages alone, for who needs nothing but {@link packageEntries}. */
export function manifestTree(root) {
  const files = packageFolders(root).map(folder => `${folder}/package.json`);
  return { files, read: file => readFileSync(join(root, file), 'utf8') };
}

/**
 * What a file imports and gives on, one piece a statement.
 *
 * @param {string} text
 * @returns {Generator<{ names?: string[]; given: string[]; from: string }>} `names` as the other file calls them and `given` as this
 *   one does; no `names`: the whole module
 */
export function* importsIn(text) {
  for (const [, clause, from, bare, dynamic, url] of text.matchAll(IMPORTS)) {
    const list = /\{([^}]*)\}/.exec(clause ?? '')?.[1];
    const isWhole = list === undefined || /\*|^[\w$]+\s*(,|$)/.test(clause.trim());
    const names = isWhole
      ? []
      : list.split(',').flatMap(part => (part.trim() ? [NAME.exec(part.trim())] : []));
    yield {
      from: from ?? bare ?? dynamic ?? url,
      names: isWhole ? undefined : names.map(([, name]) => name),
      given: names.map(([, name, alias]) => alias ?? name),
    };
  }
}

/** Finds the files that define what the entries of our packages give on. */
export class EntryDefinitions {
  /** @type {Map<string, Map<string, { file: string; name: string }>>} */
  #known = new Map();

  /**
   * @param {Map<string, string>} entries
   * @param {(file: string) => string} read
   * @param {(from: string, reference: string) => string | undefined} resolve a relative import to its file
   */
  constructor(entries, read, resolve) {
    Object.assign(this, { entries, read, resolve });
  }

  /**
   * @param {string} entry the file of an entry
   * @returns {Map<string, { file: string; name: string }>} by the name that the entry gives: the file behind it, and its name there;
   *   what the entry defines itself is not in it
   */
  of(entry) {
    const known = this.#known.get(entry);
    if (known) return known;
    const found = new Map();
    this.#known.set(entry, found);
    for (const { names = [], given, from } of importsIn(this.read(entry))) {
      const other = this.entries.get(from);
      const file = other ?? (from.startsWith('.') ? this.resolve(entry, from) : undefined);
      if (!file) continue;
      names.forEach((name, i) => found.set(given[i], (other && this.of(other).get(name)) ?? { file, name }));
    }
    return found;
  }
}
