/**
 * Entries that do not say what they export: `export *`, and an `index.ts` that is not the entry of a
 * package (a barrel).
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function entryExports(tree) {
  const findings = [];
  for (const file of tree.files.filter(name => /(^|\/)index\.(ts|mjs)$/.test(name))) {
    const text = tree.read(file);
    for (const match of text.matchAll(/^export \*/gm)) {
      const line = text.slice(0, match.index).split('\n').length;
      findings.push({ file, line, message: 'export * hides what the package offers: name each export' });
    }
    if (!isPackageEntry(file, tree)) {
      findings.push({ file, line: 1, message: 'index.ts is a name for the entry of a package alone' });
    }
  }
  return findings;
}

/** `src/index.ts`, the entry of an export with a subpath, or what asconfig.json compiles. */
function isPackageEntry(file, tree) {
  const [, folder, rest] = /^((?:apps|libs|tools)\/(?:engines\/)?[^/]+)\/(.+)$/.exec(file) ?? [];
  if (!folder || !tree.files.includes(`${folder}/package.json`)) return false;
  if (rest === 'assembly/index.ts') return true;
  const { exports = {} } = JSON.parse(tree.read(`${folder}/package.json`));
  return Object.values(exports).some(entry => entry['@svc/source'] === `./${rest}`);
}
