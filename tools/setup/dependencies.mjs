import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { SetupError } from './setup-error.mjs';

/**
 * Why `node_modules` is not what the lock file says, or undefined when it is. npm writes
 * `node_modules/.package-lock.json` last, after the install scripts, so a broken-off install lacks it.
 *
 * @param {string} root
 * @returns {string | undefined}
 */
export function staleDependencies(root) {
  const lockPath = join(root, 'package-lock.json');
  if (!existsSync(lockPath)) throw new SetupError(`package-lock.json is missing in ${root}.`);
  const wanted = readPackages(lockPath);
  if (!wanted) throw new SetupError('package-lock.json is not a lock file that npm can read.');
  const installed = readPackages(join(root, 'node_modules/.package-lock.json'));
  if (!installed) return 'nothing is installed yet, or an install was broken off';
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes('node_modules/')) continue;
    const found = installed[path];
    if (!found) {
      if (entry.optional || entry.devOptional) continue;
      return `${path} is not installed`;
    }
    if (!entry.link && found.version !== entry.version) {
      return `${path} is ${found.version}, and the lock file says ${entry.version}`;
    }
    if (!existsSync(join(root, path, 'package.json'))) return `${path} is incomplete`;
  }
  return undefined;
}

/**
 * Installs exactly what the lock file says.
 *
 * @param {string} root
 * @throws {SetupError} when npm fails; its own output stands above the sentence
 */
export async function installDependencies(root) {
  const args = ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  // npm sets npm_execpath for the scripts it runs: the same npm, and no shell to find it.
  const npm = process.env.npm_execpath;
  const [command, prefix] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const exitCode = await runChild(command, [...prefix, ...args], { cwd: root });
  if (exitCode !== 0) {
    throw new SetupError(`npm ci failed with exit code ${exitCode}; its message is above.`, exitCode);
  }
}

/** @returns {Record<string, { version?: string; link?: boolean; optional?: boolean; devOptional?: boolean }> | undefined} */
function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
