import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { SeededRandom } from '@svc/kernels/testing';
import {
  compareSurface,
  extractFingerprint,
  inconclusiveReasonOf,
  isMostlyNoise,
  packPatch,
  unpackPatch,
} from '@svc/speckle';
import { decodeImage } from '@svc/speckle/node';
import { parentPort, workerData } from 'node:worker_threads';
import sharp from 'sharp';
import { photograph, tilesOf } from './photographs.mjs';

const { folder, conditions, first, step, count, impostors, seed } = workerData;
const modality = 'surface_texture';
const dsp = instantiateDsp(await loadDspModule());
const tiles = (await tilesOf(folder)).slice(0, count);
const kept = new Map();

for (let i = first; i < tiles.length; i += step) {
  for (const { name, noise, jpeg, ...pose } of conditions) {
    const random = new SeededRandom((seed * 7_919 + 131 * i + name.length) | 0);
    const drawn = Object.entries(pose).map(([option, [low, high]]) => [option, random.uniform(low, high)]);
    const taken = photograph(tiles[i], { ...Object.fromEntries(drawn), noise, sidePx: 512 }, random);
    const image = jpeg ? await packed(taken, jpeg) : taken;
    const others = Array.from({ length: impostors }, (_, k) => (i + 7 * (k + 1)) % tiles.length);
    for (const other of [i, ...others]) {
      const { reason, surface } = enrolled(other, noise);
      const started = process.cpuUsage();
      const { verdict, fhd, threshold, reason: why } = compareSurface(dsp, surface, image);
      const { user, system } = process.cpuUsage(started);
      const names = { tile: tiles[i].name, other: tiles[other].name };
      parentPort.postMessage({
        ...{ condition: name, isGenuine: other === i, ...names, refused: reason },
        ...{ verdict, why, fhd, threshold, ms: (user + system) / 1_000 },
      });
    }
  }
}

/** As a service keeps it, and why it would not. */
function enrolled(at, noise) {
  const known = kept.get(`${at} ${noise}`);
  if (known) return known;
  const picture = photograph(tiles[at], { sidePx: 256, noise }, new SeededRandom(at + 1));
  const { bits, mask, patch, ...print } = extractFingerprint(dsp, picture, { modality });
  const reason = inconclusiveReasonOf({ ...print, modality }) ?? (isMostlyNoise(print) ? 'NOISY' : undefined);
  const made = { reason, surface: { modality, bits, mask, patch: unpackPatch(packPatch(patch)) } };
  kept.set(`${at} ${noise}`, made);
  return made;
}

async function packed({ width, height, pixels }, quality) {
  const raw = { width, height, channels: 1 };
  return decodeImage(await sharp(pixels, { raw }).jpeg({ quality }).toBuffer());
}
