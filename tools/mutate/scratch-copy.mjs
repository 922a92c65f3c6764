import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { keptFresh, takeForFresh, typescriptIsStale } from '../setup/outputs.mjs';
import { SetupError } from '../setup/setup-error.mjs';

/**
 * @typedef {{ file: string; old: string; new: string }} Change
 *   a text that occurs once in a file, and what stands in its place; `file` is relative to the root
 */

/** Outputs of a package that are no part of the checkout, and that its tests read or start. */
const OUTPUTS = ['dist', 'wasm'];

/**
 * Copies the checkout, its uncommitted files too, with what was built of it. Installed packages are linked, those of this
 * workspace to the copy: a test there runs nothing of the original.
 *
 * @param {string} root
 * @param {string} folder is made
 */
export function copyCheckout(root, folder) {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = list.split('\0').filter(file => file !== '' && existsSync(join(root, file)));
  for (const file of files) copy(root, folder, file);
  const packages = files.filter(file => posix.basename(file) === 'package.json').map(posix.dirname);
  for (const path of packages) {
    for (const output of OUTPUTS) copy(root, folder, posix.join(path, output));
    linkPackages(join(root, path, 'node_modules'), join(folder, path, 'node_modules'));
  }
  // A copy keeps times to the millisecond, and files have them finer: by these alone the copy would count as not built.
  if (existsSync(join(root, 'tsconfig.build.json')) && !typescriptIsStale(root)) takeForFresh(folder);
}

function copy(root, folder, path) {
  if (!existsSync(join(root, path))) return;
  cpSync(join(root, path), join(folder, path), { recursive: true, preserveTimestamps: true });
}

/** Folders of scopes and of caches are made anew: a relative link in one stays within the copy. */
function linkPackages(from, to) {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    if (name === '.cache') {
      cpSync(join(path, 'svc'), join(to, name, 'svc'), { recursive: true, preserveTimestamps: true });
    } else if (name === '@svc') {
      linkPackages(path, join(to, name));
    } else {
      symlinkSync(lstatSync(path).isSymbolicLink() ? readlinkSync(path) : path, join(to, name));
    }
  }
}

/**
 * Puts a fault into a file, and into what was built of it. Outputs count as up to date all the while: a suite that asks whether they
 * are is red for the fault, or not at all.
 *
 * @param {string} folder
 * @param {Change} change
 * @returns {() => void} takes it out again
 * @throws {SetupError} when the old text does not occur exactly once
 */
export function applyChange(folder, change) {
  const text = readFileSync(join(folder, change.file), 'utf8');
  const faulty = changed(text, change);
  const output = outputOf(change.file);
  const restores = keptFresh(folder, () => {
    const source = overwrite(join(folder, change.file), faulty);
    if (!output || !existsSync(join(folder, output))) return [source];
    return [source, overwrite(join(folder, output), compiled(folder, faulty))];
  });
  return () => keptFresh(folder, () => restores.forEach(restore => restore()));
}

/**
 * @param {string} text
 * @param {Change} change
 * @returns {string}
 * @throws {SetupError} when the old text does not occur exactly once, or no compiler takes the new one: no suite would say anything of
 *   such a fault
 */
export function changed(text, { file, old, new: replacement }) {
  const count = text.split(old).length - 1;
  if (count !== 1)
    throw new SetupError(`${file}: the old text occurs ${count} times, and must once: ${old.trim()}`);
  const faulty = text.split(old).join(replacement);
  const [error] = ts.transpileModule(faulty, { reportDiagnostics: true }).diagnostics;
  if (error && file.endsWith('.ts'))
    throw new SetupError(
      `${file} does not compile with the fault: ${ts.flattenDiagnosticMessageText(error.messageText, ' ')}`,
    );
  return faulty;
}

/** Also the time of the change is put back: it tells what has to be built again. */
function overwrite(path, text) {
  const before = readFileSync(path);
  const { atime, mtime } = lstatSync(path);
  const write = content => {
    writeFileSync(path, content);
    utimesSync(path, atime, mtime);
  };
  write(text);
  return () => write(before);
}

/** Where the build puts a source of a package: `libs/x/src/a/b.ts` is `libs/x/dist/a/b.js`. */
export function outputOf(file) {
  const found = /^(.+?)\/src\/(.+)\.ts$/.exec(file);
  return found ? `${found[1]}/dist/${found[2]}.js` : undefined;
}

function compiled(folder, text) {
  const path = join(folder, 'tsconfig.base.json');
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, dirname(path));
  const compilerOptions = { ...options, module: ts.ModuleKind.ESNext, sourceMap: false };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}
