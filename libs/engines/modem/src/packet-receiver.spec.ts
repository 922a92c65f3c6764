import { type Dsp, instantiateDsp, Resampler } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import fc from 'fast-check';
import { modulate, planPacket } from './modulate.js';
import { encodeFrame, headerNibbles } from './packet-frame.js';
import { demodulate, PacketReceiver } from './packet-receiver.js';
import { applyRamp, PhaseOscillator } from './phase-oscillator.js';
import type { ReceivedEvent } from './received-event.js';
import { GaussianNoise, scaleTime } from './testing/index.js';
import { BAUDS, type PacketOptions } from './tones.js';

let dsp: Dsp;
beforeAll(async () => {
  dsp = instantiateDsp(await loadDspModule());
});

/** Counts that the long tier has whole. */
const FULL = process.env.SUITE_TIER === 'long';
const PAYLOAD = Uint8Array.from({ length: 16 }, (_, at) => (at * 73 + 5) & 0xff);

/** A packet with silence before and behind, and noise on all of it. */
function recording(
  { payload = PAYLOAD, sigma = 0.02, before = 9_000, behind = 6_000, seed = 1 } = {},
  options: PacketOptions = {},
): Float32Array {
  return among([modulate(payload, options)], { sigma, before, behind, seed });
}

function among(
  sounds: readonly Float32Array[],
  { sigma = 0.02, before = 9_000, behind = 6_000, seed = 1 } = {},
) {
  const samples = new Float32Array(before + sounds.reduce((sum, { length }) => sum + length + behind, 0));
  let at = before;
  for (const sound of sounds) {
    samples.set(sound, at);
    at += sound.length + behind;
  }
  return new GaussianNoise(seed).addTo(samples, sigma);
}

const packetsOf = (events: readonly ReceivedEvent[]) =>
  events.flatMap(event => (event.kind === 'packet' ? [event.packet] : []));

describe('a packet', () => {
  const everyChoice: PacketOptions[] = [
    ...BAUDS.map(baud => ({ baud })),
    { baud: 300, profile: 'robust' },
    { carrierHz: 18_650, profile: 'robust', baud: 300 },
    { carrierHz: 19_000, baud: 150 },
    { carrierHz: 19_000, baud: 300, profile: 'robust' },
    { carrierHz: 19_500, baud: 300 },
    { frequencyBand: 'audible_fsk', baud: 300 },
    { frequencyBand: 'audible_fsk', baud: 150, profile: 'robust' },
  ];
  it.each(everyChoice)('is heard as it was sent, with %j', options => {
    const payload = PAYLOAD.subarray(0, 6);
    const { packets, reason } = demodulate(recording({ payload }, options), 44_100, options, dsp);
    expect(reason).toBeUndefined();
    expect(packets.map(each => each.payload)).toEqual([payload]);
    expect(packets[0]).toMatchObject({ crcValid: true, codewords: 20, correctedWords: 0, secdedSyndrome: 0 });
    expect(Math.abs(packets[0].startSeconds - 9_000 / 44_100)).toBeLessThan(1.5e-3);
    expect(Math.abs(packets[0].quality.frequencyOffsetPpm)).toBeLessThan(20);
  });

  it.each<PacketOptions>([
    { baud: 300 },
    { baud: 300, carrierHz: 19_500, profile: 'robust' },
    { baud: 300, frequencyBand: 'audible_fsk' },
  ])('begins where it was sent, on average, with %j', options => {
    const starts = FULL ? [9_000, 9_001, 9_033, 9_580, 10_007, 11_111] : [9_001, 9_580, 11_111];
    const late = starts.map(before => {
      const samples = recording({ payload: PAYLOAD.subarray(0, 1), sigma: 0.001, before }, options);
      return demodulate(samples, 44_100, options, dsp).packets[0].startSeconds - before / 44_100;
    });
    expect(Math.abs(late.reduce((sum, seconds) => sum + seconds) / late.length)).toBeLessThan(0.1e-3);
  });

  it.each([
    [48_000, {}],
    [96_000, {}],
    [192_000, { baud: 300 }],
    [8_000, { frequencyBand: 'audible_fsk' }],
    [16_000, { frequencyBand: 'audible_fsk', baud: 300 }],
  ] as const)('is heard at %d samples a second', (rate, options: PacketOptions) => {
    const resampler = new Resampler(dsp, 44_100, rate);
    const body = resampler.process(recording({}, options)).slice();
    const rest = resampler.end();
    const samples = new Float32Array(body.length + rest.length);
    samples.set(body);
    samples.set(rest, body.length);
    const { packets } = demodulate(samples, rate, options, dsp);
    expect(packets.map(each => each.payload)).toEqual([PAYLOAD]);
    expect(Math.abs(packets[0].startSeconds - 9_000 / 44_100)).toBeLessThan(2e-3);
  });

  it.each([
    [5_200, { baud: 300 }],
    [-5_200, { baud: 300 }],
    [5_200, { baud: 150 }],
    [-5_200, { baud: 150 }],
    [5_200, { carrierHz: 19_000, baud: 150 }],
    [-5_200, { baud: 300, profile: 'robust' }],
  ] as const)(
    'is heard of a source whose motion scales time by %d ppm, and says so',
    (ppm, options: PacketOptions) => {
      const samples = among([scaleTime(modulate(PAYLOAD, options), ppm)], { sigma: 0.3 });
      const { packets } = demodulate(samples, 44_100, options, dsp);
      expect(packets.map(each => each.payload)).toEqual([PAYLOAD]);
      expect(Math.abs(packets[0].quality.frequencyOffsetPpm - ppm)).toBeLessThan(60);
    },
  );

  it('of ten seconds and more is heard by a clock that is 200 ppm off', () => {
    const payload = Uint8Array.from({ length: 200 }, (_, at) => at * 7);
    for (const ppm of FULL ? [200, -200] : [-200]) {
      const samples = among([scaleTime(modulate(payload), ppm)], { sigma: 0.3 });
      expect(demodulate(samples, 44_100, {}, dsp).packets.map(each => each.payload)).toEqual([payload]);
    }
  });

  it('is heard by the energy that its code asks for: 16 bytes at 11 dB a bit', () => {
    for (const [seed, baud] of [150, 300, 150, 300, 300, 300].slice(0, FULL ? 6 : 2).entries()) {
      const sound = modulate(PAYLOAD, { baud: baud as 150 });
      const energyPerBit = sound.reduce((sum, x) => sum + x * x, 0) / (8 * PAYLOAD.length);
      const sigma = Math.sqrt(energyPerBit / 10 ** 1.1 / 2);
      const { packets } = demodulate(among([sound], { sigma, seed }), 44_100, { baud: baud as 150 }, dsp);
      expect(packets.map(each => each.payload)).toEqual([PAYLOAD]);
      expect(packets[0].correctedWords).toBeGreaterThan(0);
      const { esN0Db, ebN0Db, snrDb, berNoiseFloorDb } = packets[0].quality;
      // γ is measured on 32 symbols: to about 1 dB.
      expect(Math.abs(ebN0Db - 11)).toBeLessThan(2.5);
      expect(esN0Db).toBeLessThan(ebN0Db - 5);
      expect(snrDb).toBeLessThan(esN0Db);
      const gamma = 10 ** (esN0Db / 10);
      expect(berNoiseFloorDb).toBeCloseTo(10 * Math.log10(0.5 * Math.exp(-gamma / 2)), 6);
    }
  });

  it('without any noise has figures all the same, and a floor of −90 dB', () => {
    const { quality } = demodulate(recording({ sigma: 0 }), 44_100, {}, dsp).packets[0];
    expect(quality.berNoiseFloorDb).toBe(-90);
    for (const figure of Object.values(quality)) expect(Number.isFinite(figure)).toBe(true);
  });

  it('is heard through sound 40 dB louder at lower frequencies, an offset, and clipping', () => {
    const samples = recording();
    for (let n = 0; n < samples.length; n++) {
      const loud = 40 * Math.sin(n * 0.02) + 60 * Math.sin(n * 1.6 + 30 * Math.sin(n * 0.004));
      samples[n] += loud + 3;
    }
    expect(demodulate(samples, 44_100, {}, dsp).packets.map(each => each.payload)).toEqual([PAYLOAD]);
    const clipped = recording().map(x => Math.max(-0.1, Math.min(0.1, x)));
    expect(demodulate(clipped, 44_100, {}, dsp).packets.map(each => each.payload)).toEqual([PAYLOAD]);
  });

  it('follows another that was just sent, and each is heard once', () => {
    for (const profile of ['standard', 'robust'] as const) {
      const options = { baud: 300, profile } as const;
      const payloads = [1, 2, 3].map(first => Uint8Array.of(first, 9, 9, first));
      const samples = among(
        payloads.map(payload => modulate(payload, options)),
        { behind: 200 },
      );
      expect(demodulate(samples, 44_100, options, dsp).packets.map(each => each.payload)).toEqual(payloads);
    }
  });
});

describe('a robust packet', () => {
  const options: PacketOptions = { profile: 'robust', baud: 300 };
  const copySamples = planPacket(PAYLOAD.length, options).samples / 2;

  it.each([
    ['first', 0],
    ['second', 1],
  ] as const)('is heard once where its %s copy is drowned out', (_which, copy) => {
    const samples = recording({}, options);
    new GaussianNoise(5).addTo(
      samples.subarray(9_000 + copy * copySamples, 9_000 + (copy + 1) * copySamples),
      3,
    );
    const { packets } = demodulate(samples, 44_100, options, dsp);
    expect(packets.map(each => each.payload)).toEqual([PAYLOAD]);
    expect(Math.abs(packets[0].startSeconds - 9_000 / 44_100)).toBeLessThan(2e-3);
  });

  it('is heard where neither copy can be read by itself, by what both say', () => {
    const sound = modulate(PAYLOAD, options);
    const energyPerBit = sound.reduce((sum, x) => sum + x * x, 0) / (8 * PAYLOAD.length);
    const sigma = Math.sqrt(energyPerBit / 10 ** 1.06 / 2);
    let firstAlone = 0;
    const packetCount = FULL ? 5 : 2;
    for (let seed = 0; seed < packetCount; seed++) {
      const samples = among([sound], { sigma, seed });
      expect(demodulate(samples, 44_100, options, dsp).packets.map(each => each.payload)).toEqual([PAYLOAD]);
      firstAlone += demodulate(samples, 44_100, { baud: 300 }, dsp).packets.length;
    }
    // Half of the energy: a copy alone is seldom enough.
    expect(firstAlone).toBeLessThan(0.8 * packetCount);
  });
});

describe('a receiver', () => {
  it('hears the same, to the last figure, in chunks of any size', () => {
    const samples = among([modulate(PAYLOAD, { baud: 300 }), modulate(PAYLOAD.subarray(3), { baud: 300 })], {
      sigma: 0.25,
    });
    const hear = (sizes: readonly number[], sampleRateHz = 44_100) => {
      const receiver = new PacketReceiver(dsp, { sampleRateHz, baud: 300 });
      const events: ReceivedEvent[] = [];
      for (let at = 0, turn = 0; at < samples.length; turn++) {
        const size = sizes[turn % sizes.length];
        events.push(...receiver.push(samples.subarray(at, at + size)));
        at += size;
      }
      return [...events, ...receiver.end()];
    };
    const whole = hear([samples.length]);
    expect(packetsOf(whole).length).toBe(2);
    expect(hear([128])).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 5 }), sizes => {
        expect(hear(sizes)).toEqual(whole);
      }),
      { numRuns: FULL ? 6 : 2 },
    );
  });

  it('says how far it came where there is no packet', () => {
    const reasonOf = (samples: Float32Array, options: PacketOptions = { baud: 300 }) => {
      const { packets, reason } = demodulate(samples, 44_100, options, dsp);
      expect(packets).toEqual([]);
      return reason;
    };
    const packet = recording({}, { baud: 300 });
    expect(reasonOf(new Float32Array(0))).toBe('NO_SYNC');
    expect(reasonOf(new Float32Array(44_100))).toBe('NO_SYNC');
    expect(reasonOf(packet, { frequencyBand: 'audible_fsk' })).toBe('NO_SYNC');
    expect(reasonOf(packet.subarray(0, packet.length - 30_000))).toBe('CUT_OFF');
    const bodyHurt = packet.slice();
    new GaussianNoise(3).addTo(bodyHurt.subarray(9_000 + 882 + 2_646 + 130 * 147), 3);
    expect(reasonOf(bodyHurt)).toBe('CRC_MISMATCH');
    const headerHurt = packet.slice();
    new GaussianNoise(4).addTo(
      headerHurt.subarray(9_000 + 882 + 2_646 + 33 * 147, 9_000 + 882 + 2_646 + 127 * 147),
      9,
    );
    expect(reasonOf(headerHurt)).toBe('HEADER_UNREADABLE');
  });

  it('goes on hearing packets while a header that promises minutes leads it on', () => {
    // Ten times the beginning of a frame of 4,096 bytes at other amplitudes, then a real packet.
    const long = modulate(new Uint8Array(4_096), { baud: 300 }).subarray(0, 882 + 2_646 + 140 * 147);
    const samples = among([...Array.from({ length: 10 }, () => long), modulate(PAYLOAD, { baud: 300 })], {
      behind: 3_000,
    });
    const receiver = new PacketReceiver(dsp, { sampleRateHz: 44_100, baud: 300 });
    const events = receiver.push(samples);
    expect(packetsOf(events).map(each => each.payload)).toEqual([PAYLOAD]);
  });

  it.each([
    ['no numbers', () => Number.NaN],
    ['infinite values', (n: number) => (n % 2 ? Infinity : -Infinity)],
    ['a full-scale square wave', (n: number) => (n % 3 === 0 ? 1 : -1)],
    ['an offset', () => 1],
    ['enormous values', (n: number) => (n % 2 ? 3e38 : -3e38)],
    ['a space that goes on', (n: number) => Math.sin((2 * Math.PI * 18_600 * n) / 44_100)],
  ] as const)('hears nothing in %s, and the packet behind', (_what, valueAt: (n: number) => number) => {
    const odd = Float32Array.from({ length: 30_000 }, (_, n) => valueAt(n));
    const receiver = new PacketReceiver(dsp, { sampleRateHz: 44_100, baud: 300 });
    expect(packetsOf(receiver.push(odd))).toEqual([]);
    const events = [...receiver.push(recording({}, { baud: 300 })), ...receiver.end()];
    expect(packetsOf(events).map(each => each.payload)).toEqual([PAYLOAD]);
  });

  it('takes no frame whose CRC-32 is wrong for a packet, however clear', () => {
    const bits = encodeFrame(PAYLOAD);
    // Word 5 of the body becomes another word: its eight bits, one in each row, are turned.
    for (let row = 0; row < 8; row++) bits[128 + row * 40 + 5] ^= 1;
    const oscillator = new PhaseOscillator();
    const sound = new Float32Array(882 + 2_646 + bits.length * 147);
    oscillator.tone(sound.subarray(0, 882), 18_600);
    applyRamp(sound.subarray(0, 882), 'rise');
    oscillator.chirp(sound.subarray(882, 3_528), 18_600, 19_200);
    bits.forEach((bit, at) =>
      oscillator.tone(sound.subarray(3_528 + at * 147, 3_528 + (at + 1) * 147), bit === 1 ? 19_200 : 18_600),
    );
    expect(headerNibbles(16).length).toBe(6);
    expect(demodulate(among([sound]), 44_100, { baud: 300 }, dsp)).toEqual({
      packets: [],
      reason: 'CRC_MISMATCH',
    });
  });

  it('refuses a sample rate below 2.2 times its mark', () => {
    expect(() => demodulate(new Float32Array(9), 32_000, {}, dsp)).toThrow(
      expect.objectContaining({ code: 'SAMPLE_RATE_TOO_LOW', limits: { min: 42_240, got: 32_000 } }),
    );
  });
});
