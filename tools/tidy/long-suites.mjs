import { posix } from 'node:path';
import { longHeader, suiteOf } from '../test/suites.mjs';

const IMPORT =
  /^(?:import|export)\s+(?:(?:type\s+)?\{([^}]*)\}\s*from\s*|[^'"{}]*?from\s*)?['"](\.{1,2}\/[^'"]+)['"]/gm;
const CASES = /\.cases\.m?ts$|\.cases\.mjs$/;
const OWN_TEST = /^\s*(?:it|test)(?:\.\w+)*[(<]/m;

/**
 * Long suites that say of no quick suite that it stands for them at every landing, or of one that is not there, or of one that is
 * another test; and paths of theirs that nothing lies at.
 *
 * A quick suite stands for a long one that imports it, or of which every `describeX` of a `X.cases` module is called by both.
 * Where that holds for a part alone the first line says what is left, `// commit: ./X.spec.ts, but for REASON`; where it holds for
 * nothing, `// commit: none, REASON`, which may name suites to lean on: `; see ./X.spec.ts`.
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
      const { sample: said, reason, watches } = longHeader(read(file));
      const [, sample, exception] = /^(\S+?)(?:, but for (.+))?$/.exec(said ?? '') ?? [];
      const finding = (line, message) => ({ file, line, message });
      const at = path => posix.join(posix.dirname(file), path);
      const named = sample ? [sample] : ((reason ?? '').match(/\.{1,2}\/\S+\.spec\.m?[jt]s/g) ?? []);
      const faults = named.flatMap(path => {
        if (!present.has(at(path))) return [`there is no ${at(path)}`];
        return suiteOf(at(path))?.tier === 'long' ? [`${path} is long itself`] : [];
      });
      const lost = watches.filter(path => !files.some(each => each === path || each.startsWith(`${path}/`)));
      return [
        ...(sample || reason
          ? []
          : ['its first line names no quick suite: // commit: ./X.spec.ts, or // commit: none, REASON']),
        ...faults,
        ...(sample && faults.length === 0 ? unlike({ file, sample: at(sample), exception, read }) : []),
      ]
        .map(message => finding(1, message))
        .concat(lost.map(path => finding(2, `watches ${path}, where nothing lies`)));
    });
}

/** What keeps a suite from standing for a long one. @returns {string[]} */
function unlike({ file, sample, exception, read }) {
  const text = read(file);
  const [ours, theirs] = [importsOf(file, text), importsOf(sample, read(sample))];
  const shared = [...ours.keys()].filter(path => CASES.test(path) && theirs.has(path));
  if (!ours.has(sample) && shared.length === 0)
    return [
      `neither imports ${sample} nor shares a .cases module with it: share one, or // commit: none, REASON`,
    ];
  if (exception) return [];
  const alone = [...ours]
    .filter(([path]) => CASES.test(path))
    .flatMap(([path, names]) => names.filter(name => !theirs.get(path)?.includes(name)))
    .filter(name => name.startsWith('describe'));
  const left = [
    ...alone.map(name => `calls ${name}`),
    ...(OWN_TEST.test(text) ? ['has tests of its own'] : []),
  ];
  return left.map(
    what =>
      `${what}, which ${sample} does not run: move it, or // commit: ${posix.relative(posix.dirname(file), sample)}, but for REASON`,
  );
}

/** Names that a file imports, by the file that they are from. @returns {Map<string, string[]>} */
function importsOf(file, text) {
  const imported = new Map();
  for (const [, names = '', path] of text.matchAll(IMPORT)) {
    const source = posix.join(posix.dirname(file), path.replace(/\.js$/, '.ts'));
    const here = names.split(',').map(name => name.trim().split(/\s+as\s+/)[0]);
    imported.set(source, [...(imported.get(source) ?? []), ...here.filter(Boolean)]);
  }
  return imported;
}
