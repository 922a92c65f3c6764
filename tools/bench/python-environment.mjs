import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const caches = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/**
 * A Python that has what a peer's `requirements.txt` names; it is made the first time, and anew when that has changed.
 *
 * @param {string} name of the environment
 * @param {string} peer folder of the peer
 * @returns {string | undefined} undefined where there is no Python to be had
 */
export function pythonOf(name, peer) {
  const environment = join(caches, name);
  const python = join(environment, 'bin', 'python');
  const installed = join(environment, 'installed.txt');
  const requirements = join(peer, 'requirements.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return python;
  try {
    rmSync(environment, { recursive: true, force: true });
    execFileSync('python3', ['-m', 'venv', environment], { stdio: 'ignore' });
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements], { stdio: 'ignore' });
    writeFileSync(installed, wanted);
    return python;
  } catch {
    return undefined;
  }
}
