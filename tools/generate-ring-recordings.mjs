import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

const COUNT_MAX = 100_000;

/**
 * `node tools/generate-ring-recordings.mjs --out FOLDER [--count 300] [--seed 1] [--snr 20] [--kind tungsten-core]`: WAVE files
 * of struck pieces, genuine and fake, and truth.json. The same seed gives the same bytes.
 */
await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      count: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
      snr: { type: 'string' },
      kind: { type: 'string' },
    },
  });
  if (!values.out) throw new SetupError('--out is the folder to write to');
  const count = numberOf('count', values.count, 1, COUNT_MAX);
  const first = numberOf('seed', values.seed, 0, 2 ** 31);
  await prepareWorkspace();
  const { generateRingRecording, PIECE_KINDS } = await import(
    pathToFileURL(join(workspaceRoot, 'libs/engines/metals/dist/testing/index.js')).href
  );
  if (values.kind && !PIECE_KINDS.includes(values.kind)) {
    throw new SetupError(`--kind is one of ${PIECE_KINDS.join(', ')}`);
  }
  const options = {
    ...(values.snr === undefined ? {} : { snrDb: numberOf('snr', values.snr, -20, 100) }),
    ...(values.kind === undefined ? {} : { kind: values.kind }),
  };
  const folder = resolve(values.out);
  mkdirSync(folder, { recursive: true });
  const truths = [];
  for (let seed = first; seed < first + count; seed++) {
    const { wav, truth } = generateRingRecording(seed, options);
    const file = `ring-${String(seed).padStart(6, '0')}.wav`;
    writeFileSync(join(folder, file), wav);
    truths.push({ file, ...truth });
  }
  writeFileSync(
    join(folder, 'truth.json'),
    `${JSON.stringify({ synthetic: true, recordings: truths }, null, 2)}\n`,
  );
  process.stdout.write(`${count} recordings and truth.json in ${folder}\n`);
});

function numberOf(name, text, min, max) {
  const value = Number(text);
  if (!Number.isFinite(value) || value < min || value > max) {
    throw new SetupError(`--${name} is a number from ${min} to ${max}`);
  }
  return value;
}
