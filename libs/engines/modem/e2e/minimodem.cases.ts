import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { readWav, writeWav } from '@svc/recording';
import {
  BAUDS,
  demodulate,
  modulate,
  PACKET_RECORDING_BOUNDS,
  PACKET_SAMPLE_RATE_HZ,
  type PacketOptions,
  tonesOf,
} from '../src/index.js';

const hasMinimodem = spawnSync('minimodem', ['--version']).status === 0;
const PAYLOAD = Uint8Array.from({ length: 24 }, (_, i) => (i * 89 + 7) & 0xff);

/**
 * The [8,4,4] code as its parity equations say, decoded by trying all: nothing here is shared with what is tested. Bits in their
 * order of sending are p1 p2 d1 p3 d2 d3 d4 and the parity of all, from the highest down.
 */
function wordOf(nibble: number): number {
  const [d1, d2, d3, d4] = [8, 4, 2, 1].map(bit => (nibble & bit ? 1 : 0));
  const seven = [d1 ^ d2 ^ d4, d1 ^ d3 ^ d4, d1, d2 ^ d3 ^ d4, d2, d3, d4];
  const parity = seven.reduce((sum, bit) => sum ^ bit, 0);
  return Number.parseInt([...seven, parity].join(''), 2);
}

function nibbleOf(character: number): number {
  const wrongBits = (nibble: number) => (wordOf(nibble) ^ character).toString(2).replaceAll('0', '').length;
  const found = Array.from({ length: 16 }, (_, nibble) => nibble).filter(nibble => wrongBits(nibble) <= 1);
  if (found.length !== 1) throw new Error(`character ${character} is near no word`);
  return found[0];
}

function inFolder<T>(use: (file: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'minimodem-'));
  try {
    return use(join(folder, 'packet.wav'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tonesArguments(options: PacketOptions & { baud: number }): string[] {
  const { markHz, spaceHz } = tonesOf(options);
  return ['--mark', String(markHz), '--space', String(spaceHz), String(options.baud)];
}

const bands: PacketOptions[] = [
  {},
  { carrierHz: 19_000 },
  { carrierHz: 19_500 },
  { frequencyBand: 'audible_fsk' },
];
export const LINES = BAUDS.flatMap(baud =>
  bands.map(band => ({ ...band, baud, lineCode: 'async8n1' as const })),
);

const dsp = instantiateDsp(await loadDspModule());

/** @param lines ways to send, each of them both ways */
export function describeMinimodem(lines: readonly (typeof LINES)[number][]): void {
  describe('minimodem, which shares no code with ours,', () => {
    if (!hasMinimodem) {
      it('is needed', () => console.log('SKIPPED: minimodem is not installed'));
      return;
    }

    it.each(lines)('reads the characters that we send: %o', options => {
      const printed = inFolder(file => {
        writeFileSync(file, writeWav([modulate(PAYLOAD, options)], PACKET_SAMPLE_RATE_HZ));
        return execFileSync('minimodem', ['--rx', '-q', '-8', '-f', file, ...tonesArguments(options)]);
      });
      const nibbles = [...printed].map(nibbleOf);
      const payload = PAYLOAD.map((_, i) => (nibbles[2 * i] << 4) | nibbles[2 * i + 1]);
      expect([nibbles.length, ...payload]).toEqual([2 * PAYLOAD.length, ...PAYLOAD]);
    });

    it.each(lines)('sends characters that we read: %o', options => {
      const characters = Uint8Array.from(
        [...PAYLOAD].flatMap(byte => [wordOf(byte >> 4), wordOf(byte & 15)]),
      );
      const sound = inFolder(file => {
        const format = ['--tx', '-q', '-8', '-R', String(PACKET_SAMPLE_RATE_HZ), '-f', file];
        execFileSync('minimodem', [...format, ...tonesArguments(options)], { input: characters });
        return readFileSync(file);
      });
      const { samples, sampleRateHz } = readWav(sound, PACKET_RECORDING_BOUNDS);
      const { packets } = demodulate(samples, sampleRateHz, options, dsp);
      expect(packets.map(packet => [...packet.payload])).toEqual([[...PAYLOAD]]);
      expect(packets[0]).toMatchObject({ correctedWords: 0, doubleErrorWords: 0 });
    });

    it('sends what we read in a file of 48 kHz', () => {
      const sound = inFolder(file => {
        const format = ['--tx', '-q', '-8', '-R', '48000', '--float-samples', '-f', file];
        execFileSync('minimodem', [...format, '--mark', '19200', '--space', '18600', '150'], {
          input: Uint8Array.of(wordOf(0xa), wordOf(0x5)),
        });
        return readFileSync(file);
      });
      const { samples, sampleRateHz } = readWav(sound, PACKET_RECORDING_BOUNDS);
      expect(sampleRateHz).toBe(48_000);
      const { packets } = demodulate(samples, sampleRateHz, { lineCode: 'async8n1' }, dsp);
      expect(packets.map(packet => [...packet.payload])).toEqual([[0xa5]]);
    });
  });
}
