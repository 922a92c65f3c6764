import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { SeededRandom } from '@svc/kernels/testing';
import { compareSurface, extractFingerprint, packPatch, unpackPatch } from '@svc/speckle';
import { decodeImage } from '@svc/speckle/node';
import { simulateSurface, takePicture, TEXTURE_CONTRAST } from '@svc/speckle/testing';
import { parentPort, workerData } from 'node:worker_threads';
import sharp from 'sharp';
import { CONDITIONS } from './conditions.mjs';

/** The newest surfaces are kept enrolled: each picture is compared with one of the others too. */
const KEPT = 16;

const { modality, seeds, rounds, names } = workerData;
const dsp = instantiateDsp(await loadDspModule());
const scale = modality === 'laser_speckle' ? 1 : TEXTURE_CONTRAST;
const kept = [];

for (const seed of seeds) {
  const surface = simulateSurface(dsp, modality, { seed });
  const enrolled = enrol(surface, seed);
  const pairs = [];
  for (let i = 0; i < rounds * names.length; i++) {
    const random = new SeededRandom((seed * 7_919 + i) | 0);
    const { image, options } = await retake(surface, CONDITIONS[names[i % names.length]], random);
    const genuine = compareSurface(dsp, enrolled, image);
    const errorPx = Math.hypot(
      genuine.alignment.shiftXPx - (options.shiftXPx ?? 0),
      genuine.alignment.shiftYPx - (options.shiftYPx ?? 0),
    );
    const other = kept[i % kept.length];
    const impostor = other && compareSurface(dsp, other, image);
    pairs.push({
      condition: i % names.length,
      genuine: { fhd: genuine.fhd, verdict: genuine.verdict, threshold: genuine.threshold, errorPx },
      impostor: impostor && { fhd: impostor.fhd, verdict: impostor.verdict },
    });
  }
  kept.push(enrolled);
  if (kept.length > KEPT) kept.shift();
  parentPort.postMessage({ pairs, bits: enrolled.bits, mask: enrolled.mask });
}

/** As a service keeps it: the patch in a byte a pixel. */
function enrol(surface, seed) {
  const picture = takePicture(surface, { seed, noise: 0.05 * scale });
  const { bits, mask, patch } = extractFingerprint(dsp, picture, { modality });
  return { modality, bits, mask, patch: unpackPatch(packPatch(patch)) };
}

async function retake(surface, { jpeg, noise, ...condition }, random) {
  const drawn = Object.entries(condition).map(([name, value]) => [
    name,
    typeof value === 'function' ? value(random) : value,
  ]);
  const options = {
    ...Object.fromEntries(drawn),
    noise: noise * scale,
    seed: Math.floor(random.uniform(1, 2 ** 31)),
  };
  const image = takePicture(surface, options);
  if (!jpeg) return { image, options };
  const raw = { width: image.width, height: image.height, channels: 1 };
  const file = await sharp(image.pixels, { raw }).jpeg({ quality: jpeg }).toBuffer();
  return { image: await decodeImage(file), options };
}
