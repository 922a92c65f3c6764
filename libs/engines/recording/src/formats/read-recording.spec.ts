import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { writeWav } from '../index.js';
import { type RecordingBounds, RecordingError } from '../recording.js';
import { readRecording } from './read-recording.js';

const BOUNDS: RecordingBounds = {
  ...{
    sampleRateHzMin: 32_000,
    sampleRateHzMax: 192_000,
    secondsMin: 0.05,
    secondsMax: 20,
    bitsPerSampleMin: 16,
  },
  ...{ silenceAmplitude: 2 ** -13, clippedFractionMax: 0.1 },
};
/** 1 kHz, half a second, its right channel five times as loud: by opusenc of opus-tools 0.2 (libopus 1.3.1) at 64 kbit/s. */
const TONE = new Uint8Array(readFileSync(new URL('./fixtures/tone.opus', import.meta.url)));
const read = (bytes: Uint8Array, more: Partial<RecordingBounds> = {}) =>
  readRecording(bytes, { ...BOUNDS, ...more });
const faultOf = async (bytes: Uint8Array, more: Partial<RecordingBounds> = {}) => {
  const fault = await read(bytes, more).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(RecordingError);
  return fault as RecordingError;
};
const text = (value: string) => Uint8Array.from(value, char => char.charCodeAt(0));

/** Bit by bit, as RFC 3533 says it. */
function checksumOf(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  }
  return value >>> 0;
}
interface Page {
  readonly packets: readonly Uint8Array[];
  readonly granule?: number;
  readonly serial?: number;
  readonly sequence?: number;
}
function oggFile(pages: readonly Page[]): Uint8Array {
  const whole = pages.map(({ packets, granule = 0, serial = 7, sequence }, index) => {
    const lacing = packets.flatMap(({ length }) => [
      ...Array(Math.floor(length / 255)).fill(255),
      length % 255,
    ]);
    const head = Buffer.alloc(27);
    head.write('OggS');
    head.writeBigInt64LE(BigInt(granule), 6);
    head.writeUInt32LE(serial, 14);
    head.writeUInt32LE(sequence ?? index, 18);
    head[26] = lacing.length;
    const page = Buffer.concat([head, Buffer.from(lacing), ...packets]);
    page.writeUInt32LE(checksumOf(page), 22);
    return page;
  });
  return new Uint8Array(Buffer.concat(whole));
}
const headOf = (
  channels: number,
  more: { family?: number; version?: number; gain?: number; skip?: number } = {},
) => {
  const head = Buffer.alloc(19);
  head.write('OpusHead');
  head[8] = more.version ?? 1;
  head[9] = channels;
  head.writeUInt16LE(more.skip ?? 0, 10);
  head.writeUInt32LE(48_000, 12);
  head.writeInt16LE(more.gain ?? 0, 16);
  head[18] = more.family ?? 0;
  return head;
};
const TAGS = text('OpusTags\0\0\0\0\0\0\0\0');
/** The third page of the tone has its sound, in packets of 20 ms. */
function soundPackets(): Uint8Array[] {
  const pages: { at: number; lacing: Uint8Array }[] = [];
  for (let at = 0; at < TONE.length;) {
    const lacing = TONE.subarray(at + 27, at + 27 + TONE[at + 26]);
    pages.push({ at: at + 27 + lacing.length, lacing });
    at += 27 + lacing.length + lacing.reduce((sum, length) => sum + length, 0);
  }
  let { at } = pages[2];
  const packets: Uint8Array[] = [];
  let start = at;
  for (const length of pages[2].lacing) {
    at += length;
    if (length === 255) continue;
    packets.push(TONE.subarray(start, at));
    start = at;
  }
  return packets;
}
const START: readonly Page[] = [{ packets: [headOf(2)] }, { packets: [TAGS] }];

describe('a recording as Opus in Ogg', () => {
  test('is the louder channel of what was encoded, as long as that was', async () => {
    const { samples, ...rest } = await read(TONE);
    expect(rest).toMatchObject({
      channels: 2,
      sampleRateHz: 48_000,
      durationSeconds: 0.5,
      clippedFraction: 0,
    });
    expect(samples).toHaveLength(24_000);
    const expected = Float64Array.from(samples, (_, i) => 0.5 * Math.sin((2 * Math.PI * 1_000 * i) / 48_000));
    const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Array.from(a).reduce((sum, x, i) => sum + x * b[i], 0);
    expect(
      dot(samples, expected) / Math.sqrt(dot(samples, samples) * dot(expected, expected)),
    ).toBeGreaterThan(0.999);
    expect(Math.sqrt(dot(samples, samples) / dot(expected, expected))).toBeCloseTo(1, 1);
  });

  test('is louder by its output gain, and its start is left out', async () => {
    const packets = soundPackets();
    const sound = { packets, granule: 960 * packets.length };
    const plain = await read(oggFile([...START, sound]));
    const louder = await read(
      oggFile([{ packets: [headOf(2, { gain: 256 * 6, skip: 960 })] }, START[1], sound]),
    );
    expect(louder.samples).toHaveLength(plain.samples.length - 960);
    expect(louder.samples[5_000] / plain.samples[5_960]).toBeCloseTo(10 ** 0.3, 4);
  });

  test('of another stream in the same file is passed over', async () => {
    const packets = soundPackets();
    const other = { packets: [text('something else')], serial: 8, sequence: 0 };
    const file = oggFile([
      START[0],
      other,
      { ...START[1], sequence: 1 },
      { packets, granule: 9_600, sequence: 2 },
    ]);
    expect((await read(file)).durationSeconds).toBe(0.2);
  });

  test('ends where it is longer than it may be, whatever follows', async () => {
    const packets = Array.from({ length: 12 }, () => soundPackets()).flat();
    const pages = Array.from({ length: 20 }, () => packets.slice(0, 120)).map((some, i) => ({
      packets: some,
      granule: 960 * 120 * (i + 1),
    }));
    const fault = await faultOf(oggFile([...START, ...pages, { packets: [text('no packet')] }]), {
      secondsMax: 2,
    });
    expect(fault).toMatchObject({ code: 'TOO_LONG', field: 'durationSeconds', max: 2 });
    // A page that says that it ends at its beginning is decoded no longer for that.
    const lying = pages.map(page => ({ ...page, granule: 1 }));
    expect((await faultOf(oggFile([...START, ...lying]), { secondsMax: 2 })).code).toMatch(
      /TRUNCATED|TOO_LONG/,
    );
  });

  test.each([
    ['TOO_SHORT', { secondsMin: 0.6 }, TONE],
    ['SILENT', { silenceAmplitude: 0.9 }, TONE],
    ['SAMPLE_RATE', { sampleRateHzMin: 96_000 }, TONE],
    ['CHANNELS', {}, oggFile([{ packets: [headOf(3)] }, ...START.slice(1)])],
    ['FORMAT_UNSUPPORTED', {}, oggFile([{ packets: [headOf(2, { family: 1 })] }, ...START.slice(1)])],
    ['FORMAT_UNSUPPORTED', {}, oggFile([{ packets: [headOf(2, { version: 16 })] }, ...START.slice(1)])],
    ['FORMAT_UNSUPPORTED', {}, oggFile([{ packets: [text('fishead\0')] }])],
    ['TOO_SHORT', {}, oggFile(START)],
    ['TRUNCATED', {}, oggFile([...START, { packets: [text('no packet')], granule: 960 }])],
    ['TRUNCATED', {}, oggFile([...START, { packets: soundPackets(), granule: 960, sequence: 9 }])],
  ])('is refused as %s %j', async (code, more, file) => expect((await faultOf(file, more)).code).toBe(code));

  test('that is cut off or changed anywhere is refused, and never heard as something else', async () => {
    const whole = await read(TONE);
    await fc.assert(
      fc.asyncProperty(fc.nat(TONE.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = TONE.slice();
        changed[at] ^= change;
        for (const bytes of [TONE.subarray(0, at), changed]) {
          const heard = await read(bytes).catch((error: unknown) => error);
          // A change that the checksum of its page does not see would be one of 2³².
          if (!(heard instanceof RecordingError)) expect(heard).toEqual(whole);
        }
      }),
      { numRuns: process.env.SUITE_TIER === 'long' ? 1_000 : 40 },
    );
  });
});

test('a WAVE file is read as before', async () => {
  const tone = Float64Array.from({ length: 4_800 }, (_, i) => 0.5 * Math.sin(i / 4));
  expect(await read(writeWav([tone], 48_000))).toMatchObject({
    channels: 1,
    durationSeconds: 0.1,
    bitsPerSample: 16,
  });
});

test.each([
  ['MP3', text('ID3\x04\0\0\0\0\0\0')],
  ['MP3', Uint8Array.of(0xff, 0xfb, 0x90, 0x64, 0, 0, 0, 0)],
  ['AAC (ADTS)', Uint8Array.of(0xff, 0xf1, 0x50, 0x80, 0, 0, 0, 0)],
  ['MPEG-4 (AAC, as phones record)', text('\0\0\0\x20ftypM4A ')],
  ['WebM or Matroska', Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3, 0, 0, 0, 0)],
  ['FLAC', text('fLaC\0\0\0\x22')],
  ['Ogg Vorbis', oggFile([{ packets: [text('\x01vorbis\0\0\0\0')] }])],
  ['AIFF', text('FORM\0\0\0\0AIFF')],
  ['CAF', text('caff\0\x01\0\0')],
  ['AMR', text('#!AMR-WB\n')],
])('%s is refused by its name', async (name, bytes) => {
  const fault = await faultOf(bytes);
  expect([fault.code, fault.field, fault.got]).toEqual(['FORMAT_UNSUPPORTED', 'format', name]);
  expect(fault.message).toContain('send WAV or Ogg Opus');
});

test('a file with fewer bits a second than its reader needs is refused with both numbers, a WAVE file never', async () => {
  const rate = Math.round((8 * TONE.length) / 0.5);
  expect((await read(TONE, { compressedBitsPerSecondMin: rate - 1_000 })).durationSeconds).toBeCloseTo(
    0.5,
    2,
  );
  const fault = await faultOf(TONE, { compressedBitsPerSecondMin: rate + 1_000 });
  expect([fault.code, fault.field, fault.min]).toEqual(['BIT_RATE', 'bitsPerSecond', rate + 1_000]);
  expect(Math.abs(Number(fault.got) - rate)).toBeLessThan(500);
  const tone = Float64Array.from({ length: 4_800 }, (_, i) => 0.5 * Math.sin(i / 4));
  await read(writeWav([tone], 48_000), { compressedBitsPerSecondMin: 1e9 });
});

test('another format is decoded by what its caller gives, which is told its name and where to end', async () => {
  const wav = writeWav([Float64Array.from({ length: 48_000 }, (_, i) => 0.5 * Math.sin(i / 4))], 48_000);
  const asked: unknown[] = [];
  const decode = async (...given: unknown[]) => (asked.push(given), wav);
  const mp3 = text(`ID3\x04${'\0'.repeat(16_000)}`);
  expect(await readRecording(mp3, BOUNDS, decode)).toMatchObject({ durationSeconds: 1, channels: 1 });
  expect(asked).toEqual([[mp3, { name: 'MP3', demuxer: 'mp3' }, 20]]);
  for (const unknown of ['#!AMR-WB\n', 'FORM\0\0\0\0AIFF'])
    await expect(readRecording(text(unknown), BOUNDS, decode)).rejects.toMatchObject({
      code: 'FORMAT_UNSUPPORTED',
    });
  expect(asked).toHaveLength(1);
});
