import { crc32 } from '@svc/kernels';
import fc from 'fast-check';
import { naiveSymbolPowers } from './ideal-demodulate.naive.js';
import { CHIRP_SAMPLES, modulate, modulateBlocks, planPacket, RAMP_SAMPLES } from './modulate.js';
import { encodeFrame } from './packet-frame.js';
import {
  type Baud,
  BAUDS,
  baudOf,
  ModemError,
  type PacketOptions,
  sampleRateHzMin,
  secondTonesOf,
  tonesOf,
} from './tones.js';

const options: fc.Arbitrary<PacketOptions> = fc.record({
  frequencyBand: fc.constantFrom('ultrasonic_19khz' as const, 'audible_fsk' as const),
  carrierHz: fc.integer({ min: 18_600, max: 19_500 }),
  baud: fc.constantFrom(...BAUDS),
  profile: fc.constantFrom('standard' as const, 'robust' as const),
});
const payloads = fc.uint8Array({ minLength: 1, maxLength: 12 });

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);
// Taken once: in the context of a test runner every look at a global is slow.
const { abs, max, PI, round, sin } = Math;

/** Phase of every sample of a packet in turns, by adding up the frequencies that its description names. */
function turnsOf(payload: Uint8Array, chosen: PacketOptions): Float64Array {
  const { samples, baud } = planPacket(payload.length, chosen);
  const turns = new Float64Array(samples + 1);
  let at = 0;
  const goOn = (count: number, hzAt: (n: number) => number) => {
    for (let n = 0; n < count; n++, at++) turns[at + 1] = turns[at] + hzAt(n) / 44_100;
  };
  const first = tonesOf(chosen);
  const copies = chosen.profile === 'robust' ? [first, secondTonesOf(chosen)] : [first];
  goOn(RAMP_SAMPLES, () => first.spaceHz);
  let last = 0;
  for (const [copy, { spaceHz, markHz }] of copies.entries()) {
    const [from, to] = copy === 0 ? [spaceHz, markHz] : [markHz, spaceHz];
    goOn(CHIRP_SAMPLES, n => from + ((to - from) * (n + 0.5)) / CHIRP_SAMPLES);
    for (const bit of encodeFrame(payload)) goOn(44_100 / baud, () => (last = bit === 1 ? markHz : spaceHz));
  }
  goOn(RAMP_SAMPLES, () => last);
  return turns.subarray(0, samples);
}

describe('the tones', () => {
  it('of every carrier are whole symbols apart and keep to the band, of both copies', () => {
    for (let carrierHz = 18_600; carrierHz <= 19_500; carrierHz++) {
      const first = tonesOf({ carrierHz });
      const second = secondTonesOf({ carrierHz });
      for (const { spaceHz, markHz } of [first, second]) {
        expect(spaceHz).toBeGreaterThanOrEqual(18_600);
        expect(markHz).toBeLessThanOrEqual(19_500);
        for (const baud of BAUDS) expect((markHz - spaceHz) % baud).toBe(0);
      }
      expect([first.spaceHz, first.markHz]).toContain(carrierHz);
      expect(abs(second.spaceHz - first.spaceHz)).toBeGreaterThanOrEqual(150);
    }
    expect(tonesOf({ frequencyBand: 'audible_fsk' })).toEqual({ spaceHz: 1_800, markHz: 2_400 });
  });

  it('change their distance at the carriers that are named for it', () => {
    expect(tonesOf({})).toEqual({ spaceHz: 18_600, markHz: 19_200 });
    expect(tonesOf({ carrierHz: 18_900 })).toEqual({ spaceHz: 18_900, markHz: 19_500 });
    expect(tonesOf({ carrierHz: 18_901 })).toEqual({ spaceHz: 18_901, markHz: 19_201 });
    expect(tonesOf({ carrierHz: 19_200 })).toEqual({ spaceHz: 19_200, markHz: 19_500 });
    expect(tonesOf({ carrierHz: 19_201 })).toEqual({ spaceHz: 18_601, markHz: 19_201 });
  });

  it.each([18_599, 19_501, 18_600.5, Number.NaN])('of carrier %s are refused', carrierHz => {
    expect(() => modulate(Uint8Array.of(1), { carrierHz })).toThrow(ModemError);
    expect(() => modulate(Uint8Array.of(1), { carrierHz })).toThrow(
      expect.objectContaining({ code: 'CARRIER' }),
    );
  });

  it('need 2.2 samples of a recording for each period of the higher', () => {
    expect(sampleRateHzMin({})).toBe(42_240);
    expect(sampleRateHzMin({ profile: 'robust' })).toBe(42_900);
    expect(sampleRateHzMin({ frequencyBand: 'audible_fsk' })).toBe(5_280);
    expect(() => baudOf({ baud: 151 as Baud })).toThrow(expect.objectContaining({ code: 'BAUD' }));
  });
});

describe('the sound of a packet', () => {
  it('is as long as planned, and one sine whose phase goes on through every change of frequency', () => {
    fc.assert(
      fc.property(payloads, options, (payload, chosen) => {
        const sound = modulate(payload, chosen);
        expect(sound.length).toBe(planPacket(payload.length, chosen).samples);
        const turns = turnsOf(payload, chosen);
        expect(turns.length).toBe(sound.length);
        for (let n = RAMP_SAMPLES; n < sound.length - RAMP_SAMPLES; n++) {
          if (abs(sound[n] - 0.5 * sin(2 * PI * turns[n])) > 1e-4)
            throw new Error(`sample ${n} is ${sound[n]}`);
        }
        expect(sound.reduce((largest, x) => max(largest, abs(x)), 0)).toBeLessThanOrEqual(0.5);
      }),
      { numRuns: 8 },
    );
  });

  it('is the same sample by sample every time, in blocks or at once', () => {
    const chosen = { profile: 'robust', baud: 300 } as const;
    const payload = Uint8Array.from({ length: 40 }, (_, at) => at * at);
    const whole = modulate(payload, chosen);
    const parts = [...modulateBlocks(payload, chosen)];
    expect(max(...parts.map(({ length }) => length))).toBeLessThan(44_100);
    let at = 0;
    for (const part of parts) {
      expect(Buffer.compare(bytesOf(part), bytesOf(whole.subarray(at, at + part.length)))).toBe(0);
      at += part.length;
    }
    expect(at).toBe(whole.length);
    const pcm = Int16Array.from(whole, x => round(x * 32_767));
    expect(crc32(new Uint8Array(pcm.buffer)).toString(16)).toMatchInlineSnapshot(`"d33943ce"`);
  });

  it('has the tone of its bit in each symbol, and nothing of the other', () => {
    fc.assert(
      fc.property(payloads, options, (payload, chosen) => {
        const bits = encodeFrame(payload);
        const baud = baudOf(chosen);
        const { space, mark } = naiveSymbolPowers(
          modulate(payload, chosen),
          RAMP_SAMPLES + CHIRP_SAMPLES,
          bits.length,
          tonesOf(chosen),
          baud,
        );
        bits.forEach((bit, at) => {
          const [sent, other] = bit === 1 ? [mark[at], space[at]] : [space[at], mark[at]];
          const whole = (0.25 * (44_100 / baud)) ** 2;
          if (abs(sent / whole - 1) > 0.05 || other > 2e-3 * whole) {
            throw new Error(`symbol ${at}: ${sent / whole} and ${other / whole}`);
          }
        });
      }),
      { numRuns: 5 },
    );
  });

  it('of a later packet begins with a rise from silence and ends with a fall to it', () => {
    const sound = modulate(Uint8Array.of(7));
    for (const edge of [sound.subarray(0, 20), sound.subarray(-20)]) {
      expect(max(...edge.map(abs))).toBeLessThan(1e-3);
    }
  });
});
