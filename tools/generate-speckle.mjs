import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

const MODALITIES = ['laser_speckle', 'paper_texture', 'surface_texture'];

/**
 * `node tools/generate-speckle.mjs OUT.png --seed 1 [--modality laser_speckle] [--picture 1] [--noise 0.05] [--correlation 1]
 * [--shift-x 0] [--shift-y 0] [--rotation 0] [--scale 1] [--side 384]`: a PNG of the simulated surface `--seed`, as a camera saw it: another
 * `--picture` has other noise. The same options give the same bytes.
 */
await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      modality: { type: 'string', default: MODALITIES[0] },
      picture: { type: 'string', default: '1' },
      noise: { type: 'string', default: '0.05' },
      correlation: { type: 'string', default: '1' },
      'shift-x': { type: 'string', default: '0' },
      'shift-y': { type: 'string', default: '0' },
      rotation: { type: 'string', default: '0' },
      scale: { type: 'string', default: '1' },
      side: { type: 'string', default: '384' },
    },
  });
  if (positionals.length !== 1) throw new SetupError('name one file to write to');
  if (!MODALITIES.includes(values.modality))
    throw new SetupError(`--modality is one of ${MODALITIES.join(', ')}`);
  const options = {
    surface: wholeOf('seed', values.seed, 0, 2 ** 31),
    modality: values.modality,
    seed: wholeOf('picture', values.picture, 0, 2 ** 31),
    noise: numberOf('noise', values.noise, 0, 10),
    correlation: numberOf('correlation', values.correlation, 0, 1),
    shiftXPx: numberOf('shift-x', values['shift-x'], -256, 256),
    shiftYPx: numberOf('shift-y', values['shift-y'], -256, 256),
    rotationDeg: numberOf('rotation', values.rotation, -180, 180),
    scale: numberOf('scale', values.scale, 0.1, 10),
    sidePx: wholeOf('side', values.side, 1, 4_096),
  };
  await prepareWorkspace();
  const { pictureFile } = await import(
    pathToFileURL(join(workspaceRoot, 'libs/engines/speckle/dist/testing/index.js')).href
  );
  const file = resolve(positionals[0]);
  writeFileSync(file, await pictureFile(options));
  process.stdout.write(`${file}\n`);
});

function numberOf(name, text, min, max) {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < min || value > max) {
    throw new SetupError(`--${name} is a number from ${min} to ${max}`);
  }
  return value;
}

function wholeOf(name, text, min, max) {
  const value = numberOf(name, text, min, max);
  if (!Number.isInteger(value)) throw new SetupError(`--${name} is a whole number`);
  return value;
}
