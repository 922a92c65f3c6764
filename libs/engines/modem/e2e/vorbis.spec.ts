import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dsp, instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { readWav, writeWav } from '@svc/recording';
import { modulate } from '../src/modulate.js';
import { demodulate } from '../src/packet-receiver.js';
import { PACKET_RECORDING_BOUNDS } from '../src/packet-recording.js';
import { payloadOf, sameBytes } from '../src/testing/packet-trials.js';

const RATE_HZ = 44_100;

let dsp: Dsp;
beforeAll(async () => {
  dsp = instantiateDsp(await loadDspModule());
});

const hasVorbis = / vorbis/.test(spawnSync('sox', ['--help'], { encoding: 'utf8' }).stdout ?? '');

describe('packets coded as Vorbis by sox', () => {
  if (!hasVorbis) {
    it('needs sox', () => console.log('SKIPPED: sox with Vorbis is not installed'));
    return;
  }

  it.each([
    ['ultrasonic, quality 8', { baud: 300 }, '8'],
    ['audible, quality 1', { baud: 300, frequencyBand: 'audible_fsk' }, '1'],
  ] as const)('are heard: %s', (_, options, quality) => {
    const payload = payloadOf(9, 16);
    const { samples } = throughVorbis(modulate(payload, options), quality);
    const { packets } = demodulate(samples, RATE_HZ, options, dsp);
    expect(packets.filter(packet => sameBytes(packet.payload, payload))).toHaveLength(1);
  });
});

function throughVorbis(samples: Float32Array, quality: string) {
  const folder = mkdtempSync(join(tmpdir(), 'vorbis-'));
  try {
    const [sent, coded, heard] = ['sent.wav', 'coded.ogg', 'heard.wav'].map(name => join(folder, name));
    writeFileSync(sent, writeWav([samples], RATE_HZ));
    for (const files of [
      ['-R', sent, '-C', quality, coded],
      ['-R', coded, '-b', '16', heard],
    ]) {
      const { status, stderr } = spawnSync('sox', files, { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
    }
    return readWav(readFileSync(heard), PACKET_RECORDING_BOUNDS);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
