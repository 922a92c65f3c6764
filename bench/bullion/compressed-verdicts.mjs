import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RING_RECORDING_BOUNDS } from '@svc/metals';
import { FAKE_KINDS, GENUINE_KINDS, generateRingRecording, scoreRecording, tally } from '@svc/metals/testing';
import { findProgram } from '@svc/platform';
import { readRecording } from '@svc/recording/formats';
import { ffmpegDecoder } from '@svc/recording/node';

const SNR_DB = 22;
/** What phones and messengers write, and what ffmpeg has to be told to write it. */
const FORMATS = [
  ['WAV', 'wav', []],
  ['Opus, 64 kbit/s', 'opus', ['-b:a', '64k']],
  ['Opus, 24 kbit/s', 'opus', ['-b:a', '24k']],
  ['MP3, 128 kbit/s', 'mp3', ['-b:a', '128k']],
  ['MP3, 64 kbit/s', 'mp3', ['-b:a', '64k']],
  ['AAC, 128 kbit/s', 'm4a', ['-b:a', '128k']],
  ['AAC, 64 kbit/s', 'm4a', ['-b:a', '64k']],
  ['AAC, 32 kbit/s', 'm4a', ['-b:a', '32k']],
];

/** The service refuses fewer bits a second than it says; here it is seen why. */
const BOUNDS = { ...RING_RECORDING_BOUNDS, compressedBitsPerSecondMin: 0 };

/**
 * Verdicts on recordings that ffmpeg compressed: the same rings in each format.
 *
 * @param {import('../../tools/bench/report.mjs').Report} report
 * @param {{ recordings: number; seed: number }} options
 */
export async function compressedVerdicts(report, { recordings, seed }) {
  const ffmpeg = findProgram('ffmpeg');
  if (!ffmpeg) return report.leftOut('compressed recordings', 'ffmpeg is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'compressed-'));
  const [from, to] = ['from.wav', 'to'].map(name => join(folder, name));
  const decode = ffmpegDecoder(ffmpeg);
  try {
    const rings = Array.from({ length: Math.ceil(recordings / 10) }, (_, i) =>
      generateRingRecording(seed + i, { snrDb: SNR_DB }),
    );
    report.table(`verdicts by format, ring at ${SNR_DB} dB, the same ${rings.length} recordings in each`);
    for (const [name, ending, options] of FORMATS) {
      const scores = [];
      for (const { wav, truth } of rings) {
        writeFileSync(from, wav);
        const file = `${to}.${ending}`;
        execFileSync(ffmpeg, ['-nostdin', '-loglevel', 'error', '-y', '-i', from, ...options, file]);
        scores.push(scoreRecording(truth, await readRecording(readFileSync(file), BOUNDS, decode)));
      }
      const [genuine, fakes] = [GENUINE_KINDS, FAKE_KINDS].map(kinds => tally(scores, kinds));
      report.row(name, {
        ...{ genuine: genuine.count, genuinePassPercent: 100 * genuine.pass },
        ...{ genuineFailPercent: 100 * genuine.fail, fakes: fakes.count, fakesPassPercent: 100 * fakes.pass },
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
