import { type Dsp, instantiateDsp, resampleByRatio, secded84Encode } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import * as fc from 'fast-check';
import { characterBlocks, codedBytes, planAsync8n1 } from './async8n1.js';
import { demodulate, modulate, modulateBlocks, PacketReceiver, planPacket } from './index.js';
import type { ReceivedEvent } from './received-event.js';
import { GaussianNoise } from './testing/gaussian-noise.js';
import { BAUDS, ModemError, type PacketOptions } from './tones.js';

let dsp: Dsp;
beforeAll(async () => {
  dsp = instantiateDsp(await loadDspModule());
});

const FULL = process.env.SUITE_TIER === 'long';
const RATE_HZ = 44_100;
const LINE = { lineCode: 'async8n1' } as const;
const bytesOf = (count: number, seed = 1) =>
  Uint8Array.from({ length: count }, (_, i) => Math.imul(seed + i, 2_654_435_761) >>> 24);

function joined(parts: Iterable<Float32Array>): Float32Array {
  const all = [...parts];
  const sound = new Float32Array(all.reduce((count, part) => count + part.length, 0));
  let at = 0;
  for (const part of all) {
    sound.set(part, at);
    at += part.length;
  }
  return sound;
}

/** A sound with silence around it, and noise of a level at which a bit has that energy by the noise's density. */
function inNoise(sound: Float32Array, baud: number, esN0Db: number, seed: number): Float32Array {
  const heard = new Float32Array(sound.length + RATE_HZ / 2);
  heard.set(sound, RATE_HZ / 4);
  // A tone of amplitude ½ has a power of ⅛.
  const sigma = Math.sqrt(RATE_HZ / baud / 8 / 10 ** (esN0Db / 10) / 2);
  const noise = new GaussianNoise(seed);
  return heard.map(x => x + sigma * noise.next());
}

const largest = (values: Float32Array) => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);

function packetsOf(samples: Float32Array, options: PacketOptions) {
  return demodulate(samples, RATE_HZ, { ...LINE, ...options }, dsp);
}

function events(samples: Float32Array, chunk: number, options: PacketOptions): ReceivedEvent[] {
  const receiver = new PacketReceiver(dsp, { sampleRateHz: RATE_HZ, ...LINE, ...options });
  const heard: ReceivedEvent[] = [];
  for (let at = 0; at < samples.length; at += chunk)
    heard.push(...receiver.push(samples.subarray(at, at + chunk)));
  return [...heard, ...receiver.end()];
}

describe('sending', () => {
  it('takes as long as planned, within half of full scale, without a jump of phase', () => {
    for (const baud of BAUDS) {
      const options = { ...LINE, baud, frequencyBand: 'audible_fsk' } as const;
      const payload = bytesOf(3, baud);
      const sound = modulate(payload, options);
      expect(sound.length).toBe(planPacket(3, options).samples);
      expect(planAsync8n1(3, options)).toMatchObject({ codewords: 6, frameBits: 60 });
      // As bytes: samples are compared one by one in a hundred times as long.
      const blocks = joined(modulateBlocks(payload, options));
      expect(
        Buffer.from(blocks.buffer).equals(Buffer.from(sound.buffer, sound.byteOffset, sound.byteLength)),
      ).toBe(true);
      // Of a sine of 2,400 Hz neighbours are at most this far apart.
      const step = 2 * 0.5 * Math.sin((Math.PI * 2_400) / RATE_HZ);
      expect(largest(sound)).toBeLessThanOrEqual(0.5);
      expect(largest(sound.subarray(1).map((x, n) => x - sound[n]))).toBeLessThan(step + 1e-6);
    }
  });

  it('sends a nibble as the character of its word, the high nibble first', () => {
    expect([...codedBytes(Uint8Array.of(0x1f, 0x80))]).toEqual([0xd2, 0xff, secded84Encode(8), 0]);
  });

  it('refuses what the line code has no room for', () => {
    for (const [length, options, code] of [
      [0, {}, 'PAYLOAD_EMPTY'],
      [4_097, {}, 'PAYLOAD_TOO_LONG'],
      [1, { profile: 'robust' }, 'LINE_CODE'],
      [1, { baud: 110 as never }, 'BAUD'],
    ] as const) {
      const refusal = expect.objectContaining({ name: 'ModemError', code });
      expect(() => planPacket(length, { ...LINE, ...options })).toThrow(refusal);
      expect(() => modulate(new Uint8Array(length), { ...LINE, ...options })).toThrow(refusal);
    }
    const options = { sampleRateHz: RATE_HZ, ...LINE, profile: 'robust' } as const;
    expect(() => new PacketReceiver(dsp, options)).toThrow(ModemError);
  });
});

describe('hearing', () => {
  const bands: PacketOptions[] = [
    {},
    { carrierHz: 19_000 },
    { carrierHz: 19_500 },
    { frequencyBand: 'audible_fsk' },
  ];
  // At commit every baud and every band, in the long tier each with each.
  const choices = BAUDS.flatMap((baud, i) =>
    bands.filter((_, j) => FULL || j === (i + 1) % bands.length).map(band => ({ ...band, baud })),
  );
  it.each(choices)('%o', options => {
    const payload = bytesOf(9, options.baud);
    const { packets } = packetsOf(
      inNoise(modulate(payload, { ...LINE, ...options }), options.baud, 25, 1),
      options,
    );
    expect(packets.map(packet => [...packet.payload])).toEqual([[...payload]]);
    const [packet] = packets;
    expect(packet).toMatchObject({
      codewords: 18,
      correctedWords: 0,
      doubleErrorWords: 0,
      secdedSyndrome: 0,
    });
    expect(packet).not.toHaveProperty('crcValid');
    expect(packet.startSeconds).toBeGreaterThan(0.24);
    expect(packet.startSeconds).toBeLessThan(0.29);
    expect(Math.abs(packet.quality.esN0Db - 25)).toBeLessThan(2.5);
  });

  it('gives any payload back, in chunks of any size', () => {
    const cases = fc.record({
      payload: fc.uint8Array({ minLength: 1, maxLength: 12 }),
      chunk: fc.integer({ min: 1, max: 5_000 }),
    });
    fc.assert(
      fc.property(cases, ({ payload, chunk }) => {
        const sound = inNoise(modulate(payload, { ...LINE, baud: 300 }), 300, 20, chunk);
        const whole = events(sound, sound.length, { baud: 300 });
        expect(whole).toMatchObject([{ kind: 'packet', packet: { payload } }]);
        expect(events(sound, chunk, { baud: 300 })).toEqual(whole);
      }),
      {
        numRuns: FULL ? 6 : 3,
        examples: [[{ payload: Uint8Array.of(0xff), chunk: 128 }], [{ payload: Uint8Array.of(0), chunk: 1 }]],
      },
    );
  });

  it('finds each of the packets that follow on each other', () => {
    const payloads = [bytesOf(4, 1), bytesOf(1, 2), bytesOf(7, 3)];
    const sound = joined(payloads.map(payload => modulate(payload, { ...LINE, baud: 300 })));
    expect(packetsOf(sound, { baud: 300 }).packets.map(packet => packet.payload)).toEqual(payloads);
  });

  it('follows 1.5 m/s of motion, and a clock 200 ppm off', () => {
    // Half a minute in full, where drift comes to more than a bit.
    const payload = bytesOf(FULL ? 450 : 8);
    const sound = modulate(payload, { ...LINE, baud: 300 });
    for (const ppm of [-5_200, -200, 200, 5_200]) {
      const moved = inNoise(resampleByRatio(dsp, sound, 1 + ppm / 1e6), 300, 16, 2);
      const { packets } = packetsOf(moved, { baud: 300 });
      expect(packets.map(packet => packet.payload)).toEqual([payload]);
      expect(Math.abs(packets[0].quality.frequencyOffsetPpm - ppm)).toBeLessThan(300);
    }
  });

  it.each(BAUDS)('bears tones 100 Hz beside their place, at %i baud', baud => {
    const payload = bytesOf(4, 9);
    const sound = inNoise(modulate(payload, { ...LINE, baud, carrierHz: 18_700 }), baud, 18, 3);
    for (const carrierHz of [18_600, 18_800]) {
      expect(packetsOf(sound, { baud, carrierHz }).packets.map(packet => packet.payload)).toEqual([payload]);
    }
  });

  it('waits at rest between characters, and takes twelve bits of it for the end', () => {
    const options = { baud: 300 } as const;
    const samplesPerBit = 147;
    // 19,200 Hz has 64 periods in a bit: a line at rest may be let in at any stop bit.
    const blocks = [...characterBlocks(codedBytes(Uint8Array.of(0x5a, 0xc3)), options)];
    const rest = (bits: number) => blocks[1].subarray(0, Math.round(bits * samplesPerBit));
    const withRest = (bits: number) => [...blocks.slice(0, 4), rest(bits), ...blocks.slice(4)];
    const rests = FULL ? [0.25, 0.5, 0.8, 1, 2, 3.3, 7, 10] : [0.25, 0.8, 3.3, 10];
    for (const bits of rests) {
      const { packets } = packetsOf(inNoise(joined(withRest(bits)), 300, 20, 5), options);
      expect(packets.map(packet => [...packet.payload])).toEqual([[0x5a, 0xc3]]);
    }
    const { packets } = packetsOf(inNoise(joined(withRest(20)), 300, 20, 5), options);
    expect(packets.map(packet => [...packet.payload])).toEqual([[0x5a], [0xc3]]);
  });

  it('puts one wrong bit of a word right, and counts and names it', () => {
    const characters = codedBytes(Uint8Array.of(0x12, 0x34, 0x56));
    characters[3] ^= 0x80 >> 5;
    const { packets } = packetsOf(joined(characterBlocks(characters, { baud: 150 })), { baud: 150 });
    expect(packets).toMatchObject([
      {
        payload: Uint8Array.of(0x12, 0x34, 0x56),
        correctedWords: 1,
        doubleErrorWords: 0,
        secdedSyndrome: 13,
      },
    ]);
  });

  it('names two wrong bits of a word, and takes many such words for no packet', () => {
    const good = codedBytes(bytesOf(4));
    const one = good.with(5, good[5] ^ 0x81);
    const heard = packetsOf(joined(characterBlocks(one, { baud: 300 })), { baud: 300 });
    expect(heard.packets).toMatchObject([{ doubleErrorWords: 1, codewords: 8 }]);
    expect(heard.packets[0].secdedSyndrome).toBeGreaterThanOrEqual(1);
    expect(heard.packets[0].secdedSyndrome).toBeLessThanOrEqual(7);
    const many = good.map((word, i) => (i < 3 ? word : word ^ 0x81));
    expect(packetsOf(joined(characterBlocks(many, { baud: 300 })), { baud: 300 })).toEqual({
      packets: [],
      reason: 'WORDS_UNREADABLE',
    });
  });

  it('hears nearly every packet where a bit has 12 dB', () => {
    let heard = 0;
    const packetCount = FULL ? 20 : 5;
    for (let seed = 1; seed <= packetCount; seed++) {
      const payload = bytesOf(4, seed);
      const { packets } = packetsOf(inNoise(modulate(payload, { ...LINE, baud: 300 }), 300, 12, seed), {
        baud: 300,
      });
      if (packets.length === 1 && packets[0].payload.every((byte, i) => byte === payload[i])) heard++;
    }
    expect(heard).toBeGreaterThanOrEqual(0.95 * packetCount);
  });
});

describe('hearing nothing', () => {
  const seconds = FULL ? 300 : 5;
  const others = FULL ? 3 : 1.5;
  const noise = new GaussianNoise(11);
  const tone = (hz: number) => (n: number) => Math.sin((2 * Math.PI * hz * n) / RATE_HZ);
  const sounds: [string, (n: number) => number, number][] = [
    ['noise', () => noise.next(), seconds],
    ['silence', () => 0, others],
    ['the mark alone', tone(2_400), others],
    ['the space alone', tone(1_800), others],
    ['both tones at once', n => tone(1_800)(n) + tone(2_400)(n), others],
    ['a square wave at full scale', n => Math.sign(tone(300)(n)), others],
    [
      'tones that change as the characters of no code do',
      n => tone(Math.floor(n / 294) % 2 ? 1_800 : 2_400)(n),
      others,
    ],
    ['what is no number', n => (n % 5_000 === 0 ? NaN : n % 7_001 === 0 ? Infinity : noise.next()), others],
  ];
  it.each(sounds)('in %s', (name, sound, length) => {
    const samples = new Float32Array(length * RATE_HZ).map((_, n) => sound(n));
    for (const baud of [50, 300] as const) {
      const heard = packetsOf(samples, { baud, frequencyBand: 'audible_fsk' });
      expect(heard.packets).toEqual([]);
      expect(heard.reason).toBe(name.startsWith('tones') && baud === 50 ? 'WORDS_UNREADABLE' : 'NO_CARRIER');
    }
  });

  it('hears a packet that comes after numbers that are none', () => {
    const payload = bytesOf(3);
    const sound = joined([
      new Float32Array(3_000).fill(NaN),
      new Float32Array(9_000),
      modulate(payload, LINE),
    ]);
    expect(packetsOf(sound, {}).packets.map(packet => packet.payload)).toEqual([payload]);
  });
});
