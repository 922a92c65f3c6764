import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecording } from '../src/formats/read-recording.js';
import { DecoderError, ffmpegDecoder } from '../src/node/ffmpeg-decoder.js';
import { type Recording, type RecordingBounds, RecordingError } from '../src/recording.js';
import { writeWav } from '../src/write-wav.js';

const BOUNDS: RecordingBounds = {
  ...{ sampleRateHzMin: 32_000, sampleRateHzMax: 192_000, secondsMin: 0.1, secondsMax: 20 },
  ...{ bitsPerSampleMin: 16, silenceAmplitude: 1e-4, clippedFractionMax: 0.01 },
};
const FFMPEG = whereIs('ffmpeg');
/** Three tones and a little noise, as loud as a ring is. */
const TONES_HZ = [4_406, 8_652, 10_661];

describe('recordings that ffmpeg decodes', () => {
  if (!FFMPEG) {
    it('needs ffmpeg', () => console.log('SKIPPED: ffmpeg is not installed'));
    return;
  }
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ffmpeg-decoder-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A file that ffmpeg itself has written. */
  function encoded(name: string, options: string[], wav = writeWav([tones(44_100, 2)], 44_100)): Buffer {
    const from = join(folder, 'from.wav');
    const to = join(folder, name);
    writeFileSync(from, wav);
    const quiet = ['-nostdin', '-loglevel', 'error', '-y'];
    execFileSync(FFMPEG!, [...quiet, '-i', from, ...options, to]);
    return readFileSync(to);
  }
  const read = (bytes: Uint8Array): Promise<Recording> => readRecording(bytes, BOUNDS, ffmpegDecoder(FFMPEG));
  const faultOf = (bytes: Uint8Array): Promise<unknown> =>
    read(bytes).then(
      () => 'read',
      error => error as unknown,
    );

  const formats: [string, string, string[]][] = [
    ['MP3', 'a.mp3', ['-b:a', '128k']],
    ['MP3 without a tag', 'b.mp3', ['-b:a', '128k', '-id3v2_version', '0', '-write_xing', '0']],
    ['AAC of a phone, its index at the end', 'a.m4a', ['-b:a', '96k']],
    ['AAC of a phone, its index in front', 'b.m4a', ['-b:a', '96k', '-movflags', '+faststart']],
    ['AAC as a stream', 'a.aac', ['-b:a', '96k']],
    ['Apple Lossless', 'c.m4a', ['-c:a', 'alac']],
    ['FLAC', 'a.flac', []],
    ['Ogg FLAC', 'flac.ogg', ['-c:a', 'flac']],
    ['Ogg Vorbis', 'vorbis.ogg', ['-c:a', 'libvorbis']],
    ['WebM of a browser', 'a.webm', ['-c:a', 'libopus', '-b:a', '96k']],
    ['CAF of a phone', 'a.caf', ['-c:a', 'alac']],
  ];
  it.each(formats)('hears in %s what was recorded', async (_what, name, options) => {
    const { samples, sampleRateHz, channels, durationSeconds } = await read(encoded(name, options));
    expect([sampleRateHz, channels]).toEqual([name.endsWith('webm') ? 48_000 : 44_100, 1]);
    // Encoders begin with some silence, and fill their last frame.
    expect(durationSeconds).toBeGreaterThanOrEqual(2);
    expect(durationSeconds).toBeLessThan(2.2);
    const middle = samples.subarray(sampleRateHz / 2, (sampleRateHz * 3) / 2);
    for (const hz of TONES_HZ) expect(strengthAt(hz, middle, sampleRateHz)).toBeCloseTo(0.2, 1);
    expect(strengthAt(6_000, middle, sampleRateHz)).toBeLessThan(0.01);
  });

  it('takes the louder channel of two', async () => {
    const quiet = new Float64Array(88_200).fill(0.001);
    const stereo = writeWav([quiet, tones(44_100, 2)], 44_100);
    const { samples, channels } = await read(encoded('stereo.mp3', ['-b:a', '192k'], stereo));
    expect(channels).toBe(2);
    expect(strengthAt(TONES_HZ[0], samples.subarray(22_050, 66_150), 44_100)).toBeCloseTo(0.2, 1);
  });

  it('looks at no picture beside the sound', async () => {
    const picture = join(folder, 'cover.png');
    execFileSync(FFMPEG, ['-loglevel', 'error', '-f', 'lavfi', '-i', 'testsrc', '-frames:v', '1', picture]);
    const options = ['-i', picture, '-map', '0:a', '-map', '1:v', '-c:v', 'copy', '-b:a', '128k'];
    expect((await read(encoded('cover.mp3', options))).sampleRateHz).toBe(44_100);
  });

  it.each([
    ['too long', 'TOO_LONG', [48_000, 21] as const, []],
    ['too short', 'TOO_SHORT', [48_000, 0.02] as const, []],
    ['of 16 kHz', 'SAMPLE_RATE', [16_000, 1] as const, []],
    ['of six channels', 'CHANNELS', [48_000, 1] as const, ['-ac', '6']],
  ])('%s is refused as of a WAVE file', async (_what, code, [rateHz, seconds], options) => {
    const wav = writeWav([tones(rateHz, seconds)], rateHz);
    expect(await faultOf(encoded('refused.flac', options, wav))).toMatchObject({ code });
  });

  it('decodes no more of five minutes than is taken, and says that it is too long', async () => {
    const long = join(folder, 'long.flac');
    const silence = ['-f', 'lavfi', '-i', 'sine=frequency=1000:sample_rate=48000', '-t', '300'];
    execFileSync(FFMPEG, ['-loglevel', 'error', ...silence, '-compression_level', '0', long]);
    expect(await faultOf(readFileSync(long))).toMatchObject({ code: 'TOO_LONG', max: 20 });
  });

  it('refuses what is cut off or broken, and leaves no file behind', async () => {
    const whole = encoded('whole.m4a', []);
    const broken = Uint8Array.from(whole, (byte, i) => (i > 40 && i % 7 === 0 ? byte ^ 0x5a : byte));
    const before = leftFolders();
    for (const bytes of [whole.subarray(0, whole.length / 2), broken, Buffer.from('ID3\x04\0\0\0\0\0\0')]) {
      const fault = await faultOf(bytes);
      expect(fault).toBeInstanceOf(RecordingError);
      expect(fault).toMatchObject({ code: 'TRUNCATED', field: 'format' });
      expect(String(fault)).not.toContain(tmpdir());
    }
    expect(leftFolders()).toEqual(before);
  });

  it.each([
    ['a list of other files', 'ffconcat version 1.0\nfile /etc/hostname\n'],
    ['a playlist of addresses', '#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n'],
  ])('opens nothing else: %s behind the start of an MP3 is none', async (_what, text) => {
    expect(await faultOf(Buffer.from(`ID3\x04\0\0\0\0\0\0${text}`))).toMatchObject({ code: 'TRUNCATED' });
    expect(await faultOf(Buffer.from(text))).toMatchObject({ code: 'NOT_WAVE' });
  });

  it('ends a program that computes without end, and takes one that fails for a file that cannot be read', async () => {
    const program = (name: string, text: string) => {
      const path = join(folder, name);
      writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      return path;
    };
    const mp3 = encoded('short.mp3', []);
    for (const path of [
      program('endless', 'while :; do :; done'),
      program('fails', 'exit 1'),
      // Beyond what it may write: the shell ends it by a signal.
      program('writes', 'head -c 40000000 /dev/zero > too-much'),
    ]) {
      const fault = await readRecording(mp3, BOUNDS, ffmpegDecoder(path)).catch((error: unknown) => error);
      expect(fault).toMatchObject({ code: 'TRUNCATED', got: 'MP3' });
    }
    const outOf = (text: string) => `echo "to.wav: ${text}" >&2; exit 1`;
    for (const [path, where] of [
      [join(folder, 'none')],
      [folder],
      [program('full', outOf('No space left on device'))],
      [program('memory', outOf('Cannot allocate memory'))],
      [program('good', 'exit 0'), '/nowhere'],
    ]) {
      const before = process.env.TMPDIR;
      if (where !== undefined) process.env.TMPDIR = where;
      const failure = await readRecording(mp3, BOUNDS, ffmpegDecoder(path))
        .catch((error: unknown) => error)
        .finally(() => (before === undefined ? delete process.env.TMPDIR : (process.env.TMPDIR = before)));
      expect(failure).toBeInstanceOf(DecoderError);
    }
    const limits = join(folder, 'limits');
    const says = program('says', `{ ulimit -t; ulimit -v; ulimit -f; env; } > ${limits}; exit 1`);
    await readRecording(mp3, BOUNDS, ffmpegDecoder(says)).catch(() => undefined);
    const [cpu, memory, blocks, ...env] = readFileSync(limits, 'utf8').trim().split('\n');
    expect([cpu, memory, blocks]).toEqual(['2', '1048576', '65536']);
    // What the shell itself sets.
    expect(env.filter(line => !/^(PWD|OLDPWD|_|SHLVL)=/.test(line))).toEqual([]);
  });
});

function leftFolders(): string[] {
  return readdirSync(tmpdir()).filter(name => name.startsWith('recording-'));
}

function tones(rateHz: number, seconds: number): Float64Array {
  return Float64Array.from({ length: Math.round(rateHz * seconds) }, (_, n) =>
    TONES_HZ.reduce((sum, hz) => sum + 0.2 * Math.sin((2 * Math.PI * hz * n) / rateHz), 0),
  );
}

/** How strong one tone is. */
function strengthAt(hz: number, samples: Float32Array, rateHz: number): number {
  let [re, im] = [0, 0];
  for (let n = 0; n < samples.length; n++) {
    const phase = (2 * Math.PI * hz * n) / rateHz;
    re += samples[n] * Math.cos(phase);
    im += samples[n] * Math.sin(phase);
  }
  return (2 * Math.hypot(re, im)) / samples.length;
}

function whereIs(program: string): string | undefined {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
