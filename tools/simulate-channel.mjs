import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { CHANNEL_ARGUMENTS, channelOptions } from './channel/channel-options.mjs';
import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

/** Any WAVE file that has sound. */
const BOUNDS = {
  ...{ sampleRateHzMin: 8_000, sampleRateHzMax: 192_000, secondsMin: 0, secondsMax: 600 },
  ...{ bitsPerSampleMin: 8, silenceAmplitude: 0, clippedFractionMax: 1 },
};

/**
 * `node tools/simulate-channel.mjs in.wav out.wav [--snr 10 --noise pink] [--rt60 0.3 --drr 3] [--doppler-ppm 5200]
 * [--swing-ppm 2000 --swing-seconds 1] [--drift-ppm 200] [--clip 6] [--speaker phone] [--codec middle] [--padding 0.5] [--seed 1]`:
 * what a microphone across a room would have recorded, and as JSON what was done to it. The same seed gives the same bytes.
 */
await runCommand(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: CHANNEL_ARGUMENTS });
  const [from, to] = positionals;
  if (positionals.length !== 2)
    throw new SetupError('Two files are needed: what is played, and where to record');
  await prepareWorkspace();
  const engines = name => import(pathToFileURL(join(workspaceRoot, 'libs/engines', name)).href);
  const { CODEC_OPTIONS, simulateChannel } = await engines('modem/dist/testing/index.js');
  const { readWav, RecordingError, writeWav } = await engines('recording/dist/index.js');
  const { conditions, seed } = channelOptions(values, Object.keys(CODEC_OPTIONS));
  const played = recordingOf(resolve(from), readWav, RecordingError);
  const { samples, truth } = simulateChannel(played.samples, played.sampleRateHz, conditions, seed);
  writeFileSync(resolve(to), writeWav([samples], played.sampleRateHz));
  process.stdout.write(`${JSON.stringify({ synthetic: true, seed, ...conditions, truth })}\n`);
});

function recordingOf(path, readWav, RecordingError) {
  try {
    return readWav(readFileSync(path), BOUNDS);
  } catch (error) {
    if (!(error instanceof RecordingError) && error.code !== 'ENOENT') throw error;
    throw new SetupError(`${path}: ${error.message}`);
  }
}
