import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies, staleDependencies } from './dependencies.mjs';
import { requireNode } from './node-version.mjs';
import { buildTypeScript, buildWasm, staleOutputs } from './outputs.mjs';
import { step } from './progress.mjs';

/** The root folder of this workspace. */
export const workspaceRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Brings a checkout, fresh or half done, to where its commands can run: Node is new enough, the
 * packages of the lock file are installed, and the outputs are built from the present sources.
 * Does nothing, in milliseconds, when all of that holds already.
 *
 * @param {{ root?: string }} [options]
 * @throws {import('./setup-error.mjs').SetupError}
 */
export async function prepareWorkspace({ root = workspaceRoot } = {}) {
  requireNode(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node);
  const reason = staleDependencies(root);
  if (reason) await step(`Installing packages with npm ci: ${reason}`, () => installDependencies(root));
  const stale = staleOutputs(root);
  if (stale.wasm) await step('Compiling the WebAssembly kernels', () => buildWasm(root));
  if (stale.typescript) await step('Compiling TypeScript', () => buildTypeScript(root));
}
