import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonOf } from '../../tools/bench/python-environment.mjs';

const peer = fileURLToPath(new URL('../peers/speckle', import.meta.url));

/**
 * Fingerprints of pictures of 256 × 256 as `peers/speckle` reads them.
 *
 * @param {string} modality
 * @param {readonly import('@svc/speckle').GreyImage[]} pictures
 * @param {string} [python] one that has numpy and scipy; an environment is made where none is said
 * @returns {{ bits: string, mask: string }[] | undefined} undefined where there is no Python to be had
 */
export function readByScipy(modality, pictures, python = pythonOf('bench-speckle', peer)) {
  if (!python) return undefined;
  const input = Buffer.concat(pictures.map(({ pixels }) => pixels));
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const output = execFileSync(python, [join(peer, 'read_pictures.py'), modality], { input, env });
  return JSON.parse(output.toString());
}
