import { SetupError } from './setup-error.mjs';

/**
 * Refuses a Node that is older than `engines.node` of the root package.json asks for.
 *
 * @param {string} range `>=20.19.0`, the only form that this workspace uses
 * @param {string} [version] the running version, without the `v`
 * @throws {SetupError} naming both versions
 */
export function requireNode(range, version = process.versions.node) {
  const minimum = /^>=(\d+)\.(\d+)\.(\d+)$/.exec(range);
  if (!minimum)
    throw new SetupError(`engines.node is "${range}"; the form >=MAJOR.MINOR.PATCH was expected.`);
  const wanted = minimum.slice(1).map(Number);
  const running = version.split('.').map(part => Number.parseInt(part, 10));
  const difference = wanted.map((part, i) => running[i] - part).find(part => part !== 0) ?? 0;
  if (difference < 0) {
    throw new SetupError(
      `This needs Node ${wanted.join('.')} or newer, and this is Node ${version}: install a current LTS release and try again.`,
    );
  }
}
