import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies, staleDependencies } from './dependencies.mjs';
import { requireNode } from './node-version.mjs';
import {
  buildConsole,
  buildTypeScript,
  buildWasm,
  consoleIsStale,
  typescriptIsStale,
  wasmIsStale,
} from './outputs.mjs';
import { step } from './progress.mjs';

/** The root folder of this workspace. */
export const workspaceRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Brings a checkout, fresh or half done, to where its commands can run: Node is new enough, the
 * packages of the lock file are installed, and the outputs are built from the present sources.
 * Does nothing, in milliseconds, when all of that holds already.
 *
 * @param {{ root?: string; typescript?: boolean }} [options] `typescript: false` leaves the packages
 *   uncompiled, for a caller that reports type errors itself
 * @throws {import('./setup-error.mjs').SetupError}
 */
export async function prepareWorkspace({ root = workspaceRoot, typescript = true } = {}) {
  requireNode(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node);
  const reason = staleDependencies(root);
  if (reason) await step(`Installing packages with npm ci: ${reason}`, () => installDependencies(root));
  if (wasmIsStale(root)) await step('Compiling the WebAssembly kernels', () => buildWasm(root));
  if (typescript && typescriptIsStale(root)) {
    await step('Compiling TypeScript', () => buildTypeScript(root));
  }
  if (consoleIsStale(root)) await step('Building the console', () => buildConsole(root));
}
