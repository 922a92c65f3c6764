import fc from 'fast-check';
import { readWav as readWithin } from './read-wav.js';
import {
  type RecordingBound,
  type RecordingBounds,
  RecordingError,
  type RecordingFault,
} from './recording.js';
import { wavHeader, type WavSamples, wavSamples, writeWav } from './write-wav.js';

const RATE_HZ = 48_000;

/** Of an analysis that needs sound. */
const STRICT: RecordingBounds = {
  sampleRateHzMin: 32_000,
  sampleRateHzMax: 192_000,
  secondsMin: 0.05,
  secondsMax: 20,
  bitsPerSampleMin: 16,
  silenceAmplitude: 2 ** -13,
  clippedFractionMax: 0.1,
};

/** Of a reader that has an answer to whatever it hears. */
const LENIENT: RecordingBounds = {
  sampleRateHzMin: 8_000,
  sampleRateHzMax: 192_000,
  secondsMin: 0,
  secondsMax: 60,
  bitsPerSampleMin: 8,
  silenceAmplitude: 0,
  clippedFractionMax: 1,
};

const readWav = (bytes: Uint8Array) => readWithin(bytes, STRICT);

function tone(count = 4_800, amplitude = 0.5, hz = 3_000): Float32Array {
  return Float32Array.from(
    { length: count },
    (_, n) => amplitude * Math.sin((2 * Math.PI * hz * n) / RATE_HZ),
  );
}

/** A file of chunks as given, whatever they hold. */
function riff(chunks: readonly [id: string, body: Uint8Array, declared?: number][]): Uint8Array {
  const parts = chunks.map(([id, body, declared = body.length]) => {
    const part = new Uint8Array(8 + body.length + (body.length % 2));
    part.set(Buffer.from(id, 'latin1'));
    new DataView(part.buffer).setUint32(4, declared, true);
    part.set(body, 8);
    return part;
  });
  const head = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
  head.writeUInt32LE(4 + parts.reduce((sum, part) => sum + part.length, 0), 4);
  return Uint8Array.from(Buffer.concat([head, ...parts]));
}

interface FormatFields {
  readonly tag?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly bits?: number;
  readonly align?: number;
}

function fmt(fields: FormatFields = {}): Uint8Array {
  const { tag = 1, channels = 1, rate = RATE_HZ, bits = 16 } = fields;
  const { align = (channels * bits) / 8 } = fields;
  const body = Buffer.alloc(16);
  body.writeUInt16LE(tag, 0);
  body.writeUInt16LE(channels, 2);
  body.writeUInt32LE(rate, 4);
  body.writeUInt32LE((rate * align) >>> 0, 8);
  body.writeUInt16LE(align, 12);
  body.writeUInt16LE(bits, 14);
  return body;
}

function extensible(tag: number, bits: number, guidTail = '000000001000800000aa00389b71'): Uint8Array {
  const body = Buffer.alloc(40);
  Buffer.from(fmt({ tag: 0xfffe, bits })).copy(body);
  body.writeUInt16LE(22, 16);
  body.writeUInt16LE(bits, 18);
  body.writeUInt16LE(tag, 24);
  Buffer.from(guidTail, 'hex').copy(body, 26);
  return body;
}

const pcm16 = (samples: Float32Array) => writeWav([samples], RATE_HZ).subarray(44);

function faultOf(bytes: Uint8Array, bounds = STRICT): RecordingError {
  try {
    readWithin(bytes, bounds);
  } catch (error) {
    if (error instanceof RecordingError) return error;
    throw error;
  }
  throw new Error('the file was read');
}

describe('readWav', () => {
  it.each<[WavSamples, number]>([
    ['pcm16', 2 ** -15],
    ['pcm24', 2 ** -23],
    ['pcm32', 2 ** -23],
    ['float32', 0],
  ])('reads %s to its last bit', (as, step) => {
    const samples = tone();
    const recording = readWav(writeWav([samples], RATE_HZ, as));
    expect(recording.samples.length).toBe(samples.length);
    const worst = recording.samples.reduce((most, x, i) => Math.max(most, Math.abs(x - samples[i])), 0);
    expect(worst).toBeLessThanOrEqual(step / 2 + 2 ** -25);
    expect(recording).toMatchObject({ sampleRateHz: RATE_HZ, channels: 1, durationSeconds: 0.1 });
  });

  it('reads 64-bit floats and formats that are declared extensible', () => {
    const samples = tone();
    const doubles = new Uint8Array(Float64Array.from(samples).buffer);
    expect(
      readWav(
        riff([
          ['fmt ', fmt({ tag: 3, bits: 64 })],
          ['data', doubles],
        ]),
      ).samples,
    ).toEqual(samples);
    const file = riff([
      ['fmt ', extensible(1, 16)],
      ['data', pcm16(samples)],
    ]);
    expect(readWav(file).samples).toEqual(readWav(writeWav([samples], RATE_HZ)).samples);
  });

  it('takes the louder of two channels', () => {
    const [quiet, loud] = [tone(4_800, 0.1), tone(4_800, 0.4)];
    for (const channels of [
      [quiet, loud],
      [loud, quiet],
    ]) {
      const recording = readWav(writeWav(channels, RATE_HZ, 'float32'));
      expect(recording.samples).toEqual(loud);
      expect(recording.channels).toBe(2);
    }
  });

  it('steps over chunks before and after the sound, odd ones with their filling byte', () => {
    const samples = tone();
    const file = riff([
      ['LIST', new Uint8Array(7).fill(65)],
      ['fmt ', fmt()],
      ['fact', new Uint8Array(5)],
      ['data', pcm16(samples)],
      ['id3 ', new Uint8Array(3)],
    ]);
    expect(readWav(file).samples).toEqual(readWav(writeWav([samples], RATE_HZ)).samples);
  });

  it('hears a constant as silence and not as sound', () => {
    expect(faultOf(writeWav([new Float32Array(4_800).fill(0.7)], RATE_HZ)).code).toBe('SILENT');
    expect(faultOf(writeWav([new Float32Array(4_800)], RATE_HZ)).code).toBe('SILENT');
    expect(faultOf(writeWav([tone(4_800, 3e-5)], RATE_HZ)).code).toBe('SILENT');
  });

  it('says how much is clipped, and refuses what holds little else', () => {
    const clip = (gain: number) => tone(9_600, 1, 701).map(x => Math.max(-1, Math.min(1, x * gain)));
    expect(readWav(writeWav([tone(9_600, 0.9, 701)], RATE_HZ)).clippedFraction).toBeLessThan(0.03);
    // sin θ is beyond 1/g for a share 1 − 2·asin(1/g)/π of the time.
    const gain = 1.01;
    const share = 1 - (2 * Math.asin(1 / gain)) / Math.PI;
    expect(readWav(writeWav([clip(gain)], RATE_HZ)).clippedFraction).toBeCloseTo(share, 1);
    const error = faultOf(writeWav([clip(3)], RATE_HZ));
    expect(error).toMatchObject({ code: 'CLIPPED', field: 'clippedFraction', max: 0.1 });
    expect(error.got).toBeGreaterThan(0.7);
  });

  const sound = pcm16(tone());
  it.each<[string, Uint8Array, RecordingFault, RecordingBound]>([
    ['is empty', new Uint8Array(), 'NOT_WAVE', { field: 'RIFF', min: 12, got: 0 }],
    [
      'is a PDF',
      Uint8Array.from(Buffer.from('%PDF-1.7 and so on')),
      'NOT_WAVE',
      { field: 'RIFF', got: '%PDF' },
    ],
    [
      'is RF64',
      Uint8Array.from(Buffer.from('RF64\xff\xff\xff\xffWAVE', 'latin1')),
      'FORMAT_UNSUPPORTED',
      { field: 'RIFF', got: 'RF64' },
    ],
    [
      'is another RIFF',
      Uint8Array.from(Buffer.from('RIFF\0\0\0\0AVI ', 'latin1')),
      'NOT_WAVE',
      { field: 'WAVE', got: 'AVI ' },
    ],
    [
      'claims 2 GB of sound',
      riff([
        ['fmt ', fmt()],
        ['data', sound, 2 ** 31 - 1],
      ]),
      'TRUNCATED',
      { field: 'data.cksize', max: sound.length, got: 2 ** 31 - 1 },
    ],
    [
      'is cut off in its sound',
      riff([
        ['fmt ', fmt()],
        ['data', sound, sound.length + 2],
      ]),
      'TRUNCATED',
      { field: 'data.cksize' },
    ],
    ['has no sound', riff([['fmt ', fmt()]]), 'TRUNCATED', { field: 'data' }],
    [
      'has a short format',
      riff([
        ['fmt ', fmt().subarray(0, 14)],
        ['data', sound],
      ]),
      'TRUNCATED',
      { field: 'fmt.cksize', min: 16 },
    ],
    [
      'has its format after its sound',
      riff([
        ['data', sound],
        ['fmt ', fmt()],
      ]),
      'NOT_WAVE',
      { field: 'fmt' },
    ],
    [
      'is of 8 kHz',
      riff([
        ['fmt ', fmt({ rate: 8_000 })],
        ['data', sound],
      ]),
      'SAMPLE_RATE',
      { field: 'nSamplesPerSec', min: 32_000, got: 8_000 },
    ],
    [
      'is of 4 GHz',
      riff([
        ['fmt ', fmt({ rate: 2 ** 32 - 1 })],
        ['data', sound],
      ]),
      'SAMPLE_RATE',
      { field: 'nSamplesPerSec', max: 192_000 },
    ],
    [
      'has no channel',
      riff([
        ['fmt ', fmt({ channels: 0, align: 2 })],
        ['data', sound],
      ]),
      'CHANNELS',
      { field: 'nChannels', min: 1, got: 0 },
    ],
    [
      'has six channels',
      riff([
        ['fmt ', fmt({ channels: 6 })],
        ['data', sound],
      ]),
      'CHANNELS',
      { field: 'nChannels', max: 2, got: 6 },
    ],
    [
      'is of 8 bits',
      riff([
        ['fmt ', fmt({ bits: 8 })],
        ['data', sound],
      ]),
      'FORMAT_UNSUPPORTED',
      { field: 'wBitsPerSample', min: 16, got: 8 },
    ],
    [
      'is MP3 in a WAVE',
      riff([
        ['fmt ', fmt({ tag: 0x55 })],
        ['data', sound],
      ]),
      'FORMAT_UNSUPPORTED',
      { field: 'wFormatTag', got: 0x55 },
    ],
    [
      'has an unknown sub-format',
      riff([
        ['fmt ', extensible(1, 16, '00'.repeat(14))],
        ['data', sound],
      ]),
      'FORMAT_UNSUPPORTED',
      { field: 'SubFormat' },
    ],
    [
      'contradicts itself in its frames',
      riff([
        ['fmt ', fmt({ align: 3 })],
        ['data', sound],
      ]),
      'FORMAT_UNSUPPORTED',
      { field: 'nBlockAlign', min: 2, max: 2, got: 3 },
    ],
    [
      'is of one millisecond',
      riff([
        ['fmt ', fmt()],
        ['data', sound.subarray(0, 96)],
      ]),
      'TOO_SHORT',
      { field: 'durationSeconds', min: 0.05, got: 0.001 },
    ],
    [
      'is longer than 20 s',
      riff([
        ['fmt ', fmt()],
        ['data', new Uint8Array(2 * RATE_HZ * 20 + 2)],
      ]),
      'TOO_LONG',
      { field: 'durationSeconds', max: 20 },
    ],
    [
      'holds NaN',
      writeWav([tone().fill(NaN, 100, 101)], RATE_HZ, 'float32'),
      'NOT_FINITE',
      { field: 'samples[100]', got: 'NaN' },
    ],
    [
      'holds infinity',
      writeWav([tone().fill(-Infinity, 7, 8)], RATE_HZ, 'float32'),
      'NOT_FINITE',
      { field: 'samples[7]', got: '-Infinity' },
    ],
  ])('refuses a file that %s, and names the field and its bound', (_, bytes, code, bound) => {
    expect(faultOf(bytes)).toMatchObject({ code, ...bound });
  });

  describe('within wider bounds', () => {
    it('takes silence, a constant, what is clipped throughout and what has no length', () => {
      const silence = readWithin(writeWav([new Float32Array(80)], 8_000), LENIENT);
      expect(silence).toMatchObject({ sampleRateHz: 8_000, durationSeconds: 0.01, clippedFraction: 0 });
      expect(silence.samples).toEqual(new Float32Array(80));
      const constant = writeWav([new Float32Array(80).fill(0.5)], 8_000);
      expect(readWithin(constant, LENIENT).samples).toEqual(new Float32Array(80).fill(0.5));
      const square = Float32Array.from({ length: 480 }, (_, n) => (n % 48 < 24 ? 1 : -1));
      expect(readWithin(writeWav([square], RATE_HZ, 'float32'), LENIENT).clippedFraction).toBe(1);
      const empty = readWithin(writeWav([new Float32Array()], RATE_HZ), LENIENT);
      expect(empty).toMatchObject({ durationSeconds: 0, clippedFraction: 0 });
    });

    it('reads PCM of 8 bits, whose silence is 128', () => {
      const file = riff([
        ['fmt ', fmt({ bits: 8, rate: 8_000 })],
        ['data', Uint8Array.of(128, 255, 0, 64, 192)],
      ]);
      const { samples, bitsPerSample } = readWithin(file, LENIENT);
      expect([...samples]).toEqual([0, 127 / 128, -1, -0.5, 0.5]);
      expect(bitsPerSample).toBe(8);
    });

    it('still takes the louder of two channels, and the second of which the first is silent', () => {
      const channels = [new Float32Array(4_800), tone()];
      expect(readWithin(writeWav(channels, RATE_HZ, 'float32'), LENIENT).samples).toEqual(channels[1]);
    });

    it.each<[string, Uint8Array, RecordingFault, RecordingBound]>([
      [
        'of 7,999 Hz',
        writeWav([tone()], 7_999),
        'SAMPLE_RATE',
        { field: 'nSamplesPerSec', min: 8_000, max: 192_000, got: 7_999 },
      ],
      [
        'of 61 s',
        writeWav([new Float32Array(61 * 8_000)], 8_000),
        'TOO_LONG',
        { field: 'durationSeconds', max: 60, got: 61 },
      ],
      [
        'of 12 bits',
        riff([
          ['fmt ', fmt({ bits: 12, align: 2 })],
          ['data', new Uint8Array(8)],
        ]),
        'FORMAT_UNSUPPORTED',
        { field: 'wBitsPerSample', min: 8, got: 12 },
      ],
      [
        'of NaN',
        writeWav([new Float32Array(9).fill(NaN)], 8_000, 'float32'),
        'NOT_FINITE',
        { field: 'samples[0]' },
      ],
    ])('refuses a file %s all the same', (_, bytes, code, bound) => {
      expect(faultOf(bytes, LENIENT)).toMatchObject({ code, ...bound });
    });
  });

  it('reads or refuses whatever bytes it is given', () => {
    const good = writeWav([tone(3_000), tone(3_000)], RATE_HZ, 'float32');
    const changes = fc.array(fc.tuple(fc.nat(120), fc.nat(255)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(changes, fc.integer({ min: 0, max: good.length }), (edits, length) => {
        const bytes = good.slice(0, length);
        for (const [at, value] of edits) if (at < bytes.length) bytes[at] = value;
        try {
          const { samples } = readWithin(bytes, length % 2 ? STRICT : LENIENT);
          expect(samples.length).toBeLessThanOrEqual(bytes.length);
          expect(samples.every(Number.isFinite)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(RecordingError);
        }
      }),
      { numRuns: process.env.SUITE_TIER === 'long' ? 20_000 : 500 },
    );
  });
});

describe('writeWav', () => {
  it.each<WavSamples>(['pcm16', 'pcm24', 'pcm32', 'float32'])(
    'gives the file of %s that its header and its pieces add up to',
    as => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 3 }), fc.nat(40), fc.nat(40), (channels, cut, frames) => {
          const sounds = Array.from({ length: channels }, (_, c) => tone(frames, 1.2, 1_000 + 500 * c));
          const whole = writeWav(sounds, RATE_HZ, as);
          const parts = [
            wavHeader({ channels, frames, sampleRateHz: RATE_HZ, as }),
            wavSamples(
              sounds.map(sound => sound.subarray(0, cut)),
              as,
            ),
            wavSamples(
              sounds.map(sound => sound.subarray(cut)),
              as,
            ),
          ];
          const joined = Uint8Array.from(Buffer.concat(parts));
          expect(whole.subarray(0, joined.length)).toEqual(joined);
          expect(whole.length).toBe(joined.length + (joined.length % 2));
          expect(new DataView(whole.buffer).getUint32(4, true)).toBe(whole.length - 8);
        }),
        { numRuns: 50 },
      );
    },
  );

  it('cuts PCM off at full scale', () => {
    const samples = readWithin(writeWav([[2, 1, -1, -7]], RATE_HZ, 'pcm24'), LENIENT).samples;
    expect([...samples]).toEqual([1 - 2 ** -23, 1 - 2 ** -23, -1, -1]);
  });
});
