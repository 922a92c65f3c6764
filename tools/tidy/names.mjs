const NAMES_NOTHING = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'shared', 'misc']);
const BY_KIND = new Set(['dto', 'dtos', 'interfaces', 'types', 'constants', 'enums', 'models']);

/**
 * Files and folders that are named for nothing (`utils.ts`), folders that sort by kind (`dtos/`), and
 * second versions beside the first (`fri-v2.ts`).
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function names(tree) {
  const findings = [];
  for (const file of tree.files) {
    const parts = file.split('/');
    for (const [i, part] of parts.entries()) {
      const isFolder = i < parts.length - 1;
      const stem = isFolder ? part : part.split('.')[0];
      if (NAMES_NOTHING.has(stem)) findings.push({ file, line: 1, message: `"${stem}" names nothing` });
      if (isFolder && BY_KIND.has(stem)) {
        findings.push({ file, line: 1, message: `the folder "${stem}" sorts by kind, not by concept` });
      }
      if (/[-_.]v\d+$/.test(stem)) {
        findings.push({ file, line: 1, message: `"${stem}" is a second version beside a first` });
      }
    }
  }
  return findings;
}
