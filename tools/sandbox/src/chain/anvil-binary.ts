import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';

/** Names of npm's platform packages of anvil, by Node's names. */
const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-amd64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-amd64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-amd64',
};

/**
 * The path of the anvil that npm installed, or undefined: it is an optional dependency, and has no build for every
 * machine. Its platform package is asked directly, so that no install script has to run.
 *
 * @param from where node_modules is looked for
 */
export function findAnvil(
  from: string = import.meta.url,
  platform = `${process.platform}-${process.arch}`,
): string | undefined {
  const folder = PLATFORMS[platform];
  if (folder === undefined) return undefined;
  const program = platform.startsWith('win32') ? 'anvil.exe' : 'anvil';
  try {
    const wrapper = createRequire(from).resolve('@foundry-rs/anvil/package.json');
    const binary = createRequire(wrapper).resolve(`@foundry-rs/anvil-${folder}/bin/${program}`);
    accessSync(binary, constants.X_OK);
    return binary;
  } catch {
    return undefined;
  }
}
