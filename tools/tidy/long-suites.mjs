import { posix } from 'node:path';
import { longHeader, suiteOf } from '../test/suites.mjs';

/**
 * Long suites that say of no quick suite that it stands for them at every landing, or of one that is not there; paths of theirs
 * that nothing lies at; and files of cases that no suite runs at commit.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function longSuites({ files, read }) {
  const present = new Set(files);
  const suites = files.map(suiteOf).filter(Boolean);
  return suites
    .filter(({ tier }) => tier === 'long')
    .flatMap(({ file }) => {
      const { sample, reason, watches } = longHeader(read(file));
      const sampleFile = sample && posix.join(posix.dirname(file), sample);
      const finding = (line, message) => ({ file, line, message });
      const lost = watches.filter(path => !files.some(each => each === path || each.startsWith(`${path}/`)));
      return [
        ...(sample || reason
          ? []
          : [finding(1, 'its first line names no quick suite: // commit: ./X.spec.ts')]),
        ...(sampleFile && !present.has(sampleFile) ? [finding(1, `there is no ${sampleFile}`)] : []),
        ...(sampleFile && suiteOf(sampleFile)?.tier === 'long'
          ? [finding(1, `${sample} is long itself`)]
          : []),
        ...lost.map(path => finding(2, `watches ${path}, where nothing lies`)),
      ];
    });
}
