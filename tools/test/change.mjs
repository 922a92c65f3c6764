import { execFileSync } from 'node:child_process';
import { SetupError } from '../setup/setup-error.mjs';

/** How far back a change reaches where nothing else says so: work is committed on main. */
const COMMITS = 50;

/**
 * What a change is held against: `CHECK_BASE`, else where the work left origin/main, else HEAD~50, or as far as a shallow clone
 * reaches. Where HEAD is all that is there, it is the empty tree, and every file counts as changed.
 *
 * @param {string} root
 * @param {string} [wanted] a commit by any name, before all others
 * @returns {string} the hash of a commit or of the empty tree
 * @throws {SetupError} when the commit that was asked for is not there
 */
export function baseOf(root, wanted = process.env.CHECK_BASE) {
  if (wanted) {
    const found = commit(root, wanted);
    if (!found)
      throw new SetupError(`There is no commit ${wanted} in this clone to hold the change against.`, 2);
    return found;
  }
  const head = commit(root, 'HEAD');
  const main = commit(root, 'origin/main');
  const left = main && (git(root, 'merge-base', main, head) ?? main);
  // Work that origin/main has already is held against what it was made on, or nothing would count as changed.
  if (left && left !== head) return left;
  const reached = git(root, 'rev-list', '--first-parent', `--max-count=${COMMITS + 1}`, 'HEAD') ?? '';
  const oldest = reached.split('\n').at(-1);
  return oldest && oldest !== head ? oldest : git(root, 'hash-object', '-t', 'tree', '/dev/null');
}

/** Whether a base is the empty tree, and every file counts as changed. */
export const isWholeTree = (root, base) => commit(root, base) === undefined;

/**
 * Files that differ from the base, uncommitted and untracked ones included; those that are gone are left out of `files`.
 *
 * @param {string} root
 * @param {string} base
 * @returns {{ files: string[]; gone: string[] }} from the root, with `/`
 */
export function changedSince(root, base) {
  const list = (...args) => {
    const names = git(root, ...args);
    if (names === undefined) throw new SetupError(`git ${args[0]} failed: what changed is not known`, 2);
    return names.split('\0').filter(Boolean);
  };
  // A file that was moved is gone from where it was, and new where it is.
  const present = list('diff', '--no-renames', '--name-only', '-z', '--diff-filter=d', base);
  const untracked = list('ls-files', '-z', '--others', '--exclude-standard');
  const gone = list('diff', '--no-renames', '--name-only', '-z', '--diff-filter=D', base);
  return { files: [...new Set([...present, ...untracked])].sort(), gone };
}

/**
 * A number that is another at the next commit: how many there are up to HEAD. A shallow clone always has as many as it was asked
 * for: there it is made of HEAD's hash.
 *
 * @param {string} root
 * @returns {number} a whole number
 */
export function turnOf(root) {
  if (git(root, 'rev-parse', '--is-shallow-repository') === 'true')
    return parseInt(commit(root, 'HEAD').slice(0, 12), 16);
  return Number(git(root, 'rev-list', '--count', 'HEAD'));
}

const commit = (root, name) => git(root, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`);

/** What git prints, without the last line feed; undefined when it fails. */
function git(root, ...args) {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio,
      maxBuffer: 64 * 1024 * 1024,
    }).trimEnd();
  } catch {
    return undefined;
  }
}
