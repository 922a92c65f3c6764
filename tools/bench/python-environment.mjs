import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const caches = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/**
 * A Python that has what a peer's `requirements.txt` names; it is made the first time.
 *
 * @param {string} name of the environment
 * @param {string} peer folder of the peer
 * @returns {string | undefined} undefined where there is no Python to be had
 */
export function pythonOf(name, peer) {
  const environment = join(caches, name);
  const python = join(environment, 'bin', 'python');
  const isWhole = join(environment, 'whole');
  if (existsSync(isWhole)) return python;
  try {
    rmSync(environment, { recursive: true, force: true });
    execFileSync('python3', ['-m', 'venv', environment], { stdio: 'ignore' });
    const requirements = join(peer, 'requirements.txt');
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements], { stdio: 'ignore' });
    writeFileSync(isWhole, '');
    return python;
  } catch {
    return undefined;
  }
}
