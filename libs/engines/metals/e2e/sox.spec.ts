import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWav } from '@svc/recording';
import { RING_RECORDING_BOUNDS } from '../src/ring/ring-bounds.js';
import { analyseRing } from '../src/ring/analyse-ring.js';

const hasSox = spawnSync('sox', ['--version']).status === 0;

/** What sox makes of an effect chain: a file that our own code had no part in. */
function sox(format: readonly string[], effects: readonly string[]): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'sox-'));
  try {
    const file = join(folder, 'tone.wav');
    execFileSync('sox', ['-R', '-n', ...format, file, ...effects]);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('recordings made by sox', () => {
  if (!hasSox) {
    it('needs sox', () => console.log('SKIPPED: sox is not installed'));
    return;
  }

  it.each([
    ['16 bits, 48 kHz', ['-r', '48000', '-b', '16']],
    ['24 bits, 44.1 kHz', ['-r', '44100', '-b', '24']],
    ['32 bits, 96 kHz', ['-r', '96000', '-b', '32']],
    ['float of 32 bits, 48 kHz', ['-r', '48000', '-b', '32', '-e', 'floating-point']],
    [
      'float of 64 bits, 32 kHz, two channels',
      ['-r', '32000', '-b', '64', '-e', 'floating-point', '-c', '2'],
    ],
  ])('hold their tones where sox put them: %s', (_, format) => {
    const tonesHz = [3_753.4, 6_451.25, 8_653.7];
    const synths = tonesHz.flatMap((hz, i) => [
      'synth',
      '1',
      'sine',
      ...(i === 0 ? [] : ['mix']),
      String(hz),
    ]);
    const wav = sox(format, [...synths, 'gain', '-n', '-6', 'pad', '0.1']);
    const { peaks } = analyseRing(readWav(wav, RING_RECORDING_BOUNDS));
    for (const hz of tonesHz) {
      expect(Math.min(...peaks.map(({ frequencyHz }) => Math.abs(frequencyHz - hz)))).toBeLessThan(0.1);
    }
  });

  it('hold a plucked string’s partials in whole multiples', () => {
    const wav = sox(['-r', '48000', '-b', '16'], ['synth', '1', 'pluck', '1760', 'gain', '-3', 'pad', '0.2']);
    const { peaks, onsetSeconds, strikes } = analyseRing(readWav(wav, RING_RECORDING_BOUNDS));
    expect(strikes).toBe(1);
    expect(onsetSeconds).toBeCloseTo(0.2, 2);
    const fundamental = peaks.reduce((best, peak) => (peak.levelDb > best.levelDb ? peak : best)).frequencyHz;
    expect(Math.abs(fundamental / 1_760 - 1)).toBeLessThan(0.02);
  });
});
