import { posix } from 'node:path';

const LINES_MAX = 600;
const LINES_MIN = 15;
/** Entries, and files whose second suffix says what part they are: `prove.nats.controller.ts`, `jest.config.mjs`. */
const MAY_BE_SHORT = /(^|\/)(index|main)\.ts$|[\w-]+\.[\w.-]+\.(ts|mjs)$/;
const GENERATED = /\.generated\.ts$/;

/**
 * Code files of more than 600 lines (more than one concept) or fewer than 15 (not one). Entries,
 * parts named by a second suffix and the commands of package.json may be short; generated files long.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function fileLength(tree) {
  const commands = commandFiles(tree);
  const findings = [];
  for (const file of tree.files.filter(name => /\.(ts|mjs|sh)$/.test(name))) {
    const lines = tree.read(file).trimEnd().split('\n').length;
    if (lines > LINES_MAX && !GENERATED.test(file)) {
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
 * Files that a script or an nx target of a package.json runs; paths start at the package or at the root.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {Set<string>}
 */
export function commandFiles(tree) {
  const files = new Set(tree.files);
  const manifests = tree.files.filter(file => posix.basename(file) === 'package.json');
  return new Set(
    manifests.flatMap(manifest => {
      const { scripts = {}, nx = {} } = JSON.parse(tree.read(manifest));
      const paths = JSON.stringify([scripts, nx.targets ?? {}]).match(/[\w./-]+\.mjs\b/g) ?? [];
      return [...paths, ...paths.map(path => posix.join(posix.dirname(manifest), path))].filter(f =>
        files.has(f),
      );
    }),
  );
}
