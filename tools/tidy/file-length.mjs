const LINES_MAX = 600;
const LINES_MIN = 15;
const MAY_BE_SHORT = /(^|\/)(index|main)\.ts$|\.config\.mjs$|\.d\.ts$|\.module\.ts$/;

/**
 * Code files of more than 600 lines (more than one concept) or fewer than 15 (not one). Entries,
 * configuration, declarations, Nest modules and the commands of the root package.json may be short.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function fileLength(tree) {
  const commands = commandFiles(tree);
  const findings = [];
  for (const file of tree.files.filter(name => /\.(ts|mjs|sh)$/.test(name))) {
    const lines = tree.read(file).trimEnd().split('\n').length;
    if (lines > LINES_MAX) {
      findings.push({
        file,
        line: LINES_MAX,
        message: `${lines} lines: is it one concept? (${LINES_MAX} at most)`,
      });
    }
    if (lines < LINES_MIN && !MAY_BE_SHORT.test(file) && !commands.has(file)) {
      findings.push({ file, line: 1, message: `${lines} lines: merge it into the file that uses it` });
    }
  }
  return findings;
}

/**
 * Files that a script of the root package.json runs.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {Set<string>}
 */
export function commandFiles(tree) {
  if (!tree.files.includes('package.json')) return new Set();
  const scripts = Object.values(JSON.parse(tree.read('package.json')).scripts ?? {});
  return new Set(scripts.flatMap(script => script.match(/[\w./-]+\.mjs\b/g) ?? []));
}
