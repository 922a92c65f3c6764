import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { runChild } from './child.mjs';
import { SetupError } from './setup-error.mjs';

const TYPESCRIPT_RECORD = 'node_modules/.cache/svc/typescript.json';
const WASM_RECORD = 'node_modules/.cache/svc/wasm.json';
const CONSOLE_RECORD = 'node_modules/.cache/svc/console.json';
const CONSOLE = 'apps/console';
/** Packages with AssemblyScript, each of whose `asconfig*.json` makes one module in its `wasm/`. */
const WASM_PACKAGES = ['libs/kernels', 'libs/engines/spiking'];

/**
 * Whether the kernels have to be compiled: their sources are not those of the last build.
 *
 * @param {string} root
 * @returns {boolean}
 */
export function wasmIsStale(root) {
  if (wasmPackages(root).length === 0) return false;
  const built = wasmTargets(root).every(file => existsSync(file));
  return !built || readRecord(root, WASM_RECORD) !== wasmFingerprint(root);
}

/**
 * Whether the packages have to be compiled: a source changed since the last build, or an output is gone.
 *
 * @param {string} root
 * @returns {boolean}
 */
export function typescriptIsStale(root) {
  return (
    missingOutputs(root).length > 0 || readRecord(root, TYPESCRIPT_RECORD) !== typescriptFingerprint(root)
  );
}

/**
 * Compiles the AssemblyScript kernels to the `wasm/` of their packages.
 *
 * @param {string} root
 * @throws {SetupError} when the compiler fails; its output stands above the sentence
 */
export async function buildWasm(root) {
  const fingerprint = wasmFingerprint(root);
  for (const folder of wasmPackages(root)) {
    for (const config of asconfigsOf(root, folder)) {
      const args = ['--config', config, '--target', 'release'];
      await runTool(root, 'assemblyscript/bin/asc.js', args, folder);
    }
  }
  writeRecord(root, WASM_RECORD, fingerprint);
}

/**
 * Compiles every package to its `dist/`, in the order of their references.
 *
 * @param {string} root
 * @param {{ onOutput?: (text: string) => void; signal?: AbortSignal }} [options] as those of `runChild`
 * @throws {SetupError} when the compiler reports an error; its output stands above the sentence
 */
export async function buildTypeScript(root, options) {
  // tsc -b trusts its .tsbuildinfo and would leave a deleted output deleted.
  const force = missingOutputs(root).length > 0 && existsSync(join(root, TYPESCRIPT_RECORD));
  const fingerprint = typescriptFingerprint(root);
  const args = ['-b', 'tsconfig.build.json', ...(force ? ['--force'] : [])];
  await runTool(root, 'typescript/bin/tsc', args, '.', {}, options);
  writeRecord(root, TYPESCRIPT_RECORD, fingerprint);
}

/**
 * Makes a change in outputs and in their sources alike, after which the outputs are as fresh or as stale as they were: its times and
 * sizes alone would make them stale.
 *
 * @template T
 * @param {string} root
 * @param {() => T} change
 * @returns {T}
 */
export function keptFresh(root, change) {
  const wasFresh = existsSync(join(root, TYPESCRIPT_RECORD)) && !typescriptIsStale(root);
  const result = change();
  if (wasFresh) takeForFresh(root);
  return result;
}

/** Writes down that the outputs are those of the present sources, as who copied both knows. */
export const takeForFresh = root => writeRecord(root, TYPESCRIPT_RECORD, typescriptFingerprint(root));

/**
 * Whether the pages of the console have to be built: a source of theirs, or of a package that may go into them, changed
 * since the last build, or the pages are gone.
 *
 * @param {string} root
 * @returns {boolean}
 */
export function consoleIsStale(root) {
  const pages = pagesOfConsole(root);
  if (pages.length === 0) return false;
  const built = pages.every(page => existsSync(join(root, CONSOLE, 'dist', page)));
  return !built || readRecord(root, CONSOLE_RECORD) !== consoleFingerprint(root);
}

/**
 * Builds the pages of the console to `apps/console/dist/`.
 *
 * @param {string} root
 * @throws {SetupError} when the bundler fails; its output stands above the sentence
 */
export async function buildConsole(root) {
  const fingerprint = consoleFingerprint(root);
  // Without the environment of whoever calls: the pages are the same however they come to be built.
  await runTool(root, 'vite/bin/vite.js', ['build', '--configLoader', 'native'], CONSOLE, {
    NODE_ENV: 'production',
  });
  writeRecord(root, CONSOLE_RECORD, fingerprint);
}

/** The pages by the names of their files; none where there is no console. */
function pagesOfConsole(root) {
  const folder = join(root, CONSOLE);
  return existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.html')) : [];
}

function consoleFingerprint(root) {
  const hash = createHash('sha256').update(typescriptFingerprint(root));
  const folder = join(root, CONSOLE);
  const own = ['package.json', 'vite.config.mjs', ...pagesOfConsole(root)].map(name => join(folder, name));
  return hashOfTimes(hash, root, [...own, ...filesBelow(join(folder, 'src'))]).digest('hex');
}

/** Those of the packages with AssemblyScript that are there. */
function wasmPackages(root) {
  return WASM_PACKAGES.filter(folder => existsSync(join(root, folder, 'asconfig.json')));
}

/** Files that the compiled kernels are read from, absolute. */
function wasmTargets(root) {
  return wasmPackages(root).flatMap(folder =>
    asconfigsOf(root, folder).flatMap(config => {
      const { targets } = JSON.parse(readFileSync(join(root, folder, config), 'utf8'));
      return Object.values(targets).map(target => join(root, folder, target.outFile));
    }),
  );
}

/** Names of a package's configurations of the compiler. */
function asconfigsOf(root, folder) {
  return readdirSync(join(root, folder)).filter(name => /^asconfig[\w.-]*\.json$/.test(name));
}

/** By content: a few small files, and a fresh clone's times say nothing. */
function wasmFingerprint(root) {
  const hash = createHash('sha256');
  hash.update(readFileSync(join(root, 'node_modules/assemblyscript/package.json')));
  const files = wasmPackages(root).flatMap(folder => [
    ...asconfigsOf(root, folder).map(name => join(root, folder, name)),
    ...filesBelow(join(root, folder, 'assembly')),
  ]);
  for (const file of files.sort()) hash.update(`${relative(root, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

/** What packages are compiled from, by size and time of change: hundreds of files, looked at on every start. */
function typescriptFingerprint(root) {
  const hash = createHash('sha256');
  hash.update(readFileSync(join(root, 'node_modules/typescript/package.json')));
  const files = ['package-lock.json', 'tsconfig.base.json', 'tsconfig.build.json'].map(name =>
    join(root, name),
  );
  for (const project of projects(root)) {
    files.push(join(project, 'package.json'), join(project, 'tsconfig.lib.json'), ...sources(project));
  }
  return hashOfTimes(hash, root, files).digest('hex');
}

/** Adds names, sizes and times of change of files. */
function hashOfTimes(hash, root, files) {
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)}\0${size}\0${mtimeMs}\n`);
  }
  return hash;
}

/** Compiled files that the last build made, by its own record, and that are not there. */
function missingOutputs(root) {
  return projects(root).flatMap(project => {
    const record = join(project, 'dist/tsconfig.lib.tsbuildinfo');
    if (!existsSync(record)) return [record];
    const { fileNames } = JSON.parse(readFileSync(record, 'utf8'));
    return fileNames
      .filter(file => file.startsWith('../src/') && /(?<!\.d)\.ts$/.test(file))
      .map(file => join(project, 'dist', file.slice('../src/'.length).replace(/\.ts$/, '.js')))
      .filter(file => !existsSync(file));
  });
}

/** Folders of the packages that tsconfig.build.json lists, absolute. */
function projects(root) {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
  return references.map(reference => join(root, dirname(reference.path)));
}

/** TypeScript sources of a package that are compiled to JavaScript. */
function sources(project) {
  return filesBelow(join(project, 'src')).filter(
    file => /\.ts$/.test(file) && !/\.(spec|cases|bench|d)\.ts$/.test(file),
  );
}

/** Every file below a folder, absolute; none when the folder is not there. */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));
}

async function runTool(root, tool, args, folder, variables = {}, options = {}) {
  const command = [join(root, 'node_modules', tool), ...args];
  const env = { ...process.env, ...variables };
  const exitCode = await runChild(process.execPath, command, { ...options, cwd: join(root, folder), env });
  if (exitCode !== 0)
    throw new SetupError(`${tool} failed with exit code ${exitCode}; its message is above.`);
}

function readRecord(root, path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8')).fingerprint;
  } catch {
    return undefined;
  }
}

function writeRecord(root, path, fingerprint) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${JSON.stringify({ fingerprint })}\n`);
}
