import { type Dsp, instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { modulate } from './modulate.js';
import { PacketReceiver } from './packet-receiver.js';
import type { HeardPacket } from './received-event.js';
import { hearWithoutPackets, SOUNDS_WITHOUT_PACKETS } from './testing/false-packets.js';
import { GaussianNoise } from './testing/gaussian-noise.js';
import { payloadOf } from './testing/packet-trials.js';
import { countUncodedErrors, noncoherentErrorRate } from './testing/uncoded-errors.js';
import type { Baud, PacketOptions } from './tones.js';

const FULL = process.env.SUITE_TIER === 'long';
const RATE_HZ = 44_100;
/** Of each of five sounds: fifty minutes in all, or forty seconds. */
const SECONDS = FULL ? 600 : 8;
const OPTIONS: readonly PacketOptions[] = [
  { profile: 'robust' },
  { frequencyBand: 'audible_fsk', baud: 300 },
];

/** Signal to noise in dB, and baud. */
const UNCODED: readonly (readonly [ebN0Db: number, baud: Baud])[] = [
  [4, 300],
  [6, 300],
  [8, 300],
  [8, 150],
  [10, 300],
  ...(FULL
    ? ([
        [11, 300],
        [12, 300],
        [10, 150],
        [12, 150],
      ] as const)
    : []),
];

let dsp: Dsp;
beforeAll(async () => {
  dsp = instantiateDsp(await loadDspModule());
});

function hear(samples: Float32Array, options: PacketOptions): HeardPacket[] {
  const receiver = new PacketReceiver(dsp, { sampleRateHz: RATE_HZ, ...options });
  return [...receiver.push(samples), ...receiver.end()].flatMap(event =>
    event.kind === 'packet' ? [event.packet] : [],
  );
}

export function describeFalsePackets(): void {
  describe('a receiver hears no packet where none was sent', () => {
    it.each(Object.entries(SOUNDS_WITHOUT_PACKETS))('in %s', (_, soundOf) => {
      for (const [at, options] of OPTIONS.entries()) {
        const { packets } = hearWithoutPackets(dsp, options, soundOf(11 + at), SECONDS / OPTIONS.length);
        expect(packets).toEqual([]);
      }
    });

    it('in the silence and the square waves of a broken recorder', () => {
      const square = Float32Array.from({ length: 5 * RATE_HZ }, (_, n) => (n % 48 < 24 ? 1 : -1));
      const direct = new Float32Array(5 * RATE_HZ).fill(1);
      for (const sound of [new Float32Array(5 * RATE_HZ), square, direct]) {
        for (const options of OPTIONS) expect(hear(sound, options)).toEqual([]);
      }
    });

    it('in packets of other tones, of the other band, or played backwards', () => {
      const sent = modulate(payloadOf(1, 16), { baud: 300 });
      const quiet = (samples: Float32Array) => {
        const padded = new Float32Array(samples.length + RATE_HZ);
        padded.set(samples, RATE_HZ / 2);
        return new GaussianNoise(1).addTo(padded, 0.01);
      };
      expect(hear(quiet(sent), { baud: 300 })).toHaveLength(1);
      expect(hear(quiet(sent), { baud: 300, carrierHz: 19_000 })).toEqual([]);
      expect(hear(quiet(sent), { baud: 150 })).toEqual([]);
      expect(hear(quiet(sent), { baud: 300, frequencyBand: 'audible_fsk' })).toEqual([]);
      expect(hear(quiet(sent.slice().reverse()), { baud: 300 })).toEqual([]);
    });

    it('in packets whose body goes on as another’s: one of both, or none', () => {
      const payloads = [1, 2].map(seed => payloadOf(seed, 16));
      const [one, other] = payloads.map(payload => modulate(payload, { baud: 300 }));
      for (let at = 20_000; at < one.length; at += FULL ? 6_000 : 18_000) {
        const spliced = one.slice();
        spliced.set(other.subarray(at), at);
        for (const { payload } of hear(spliced, { baud: 300 })) expect(payloads).toContainEqual(payload);
      }
    });
  });

  describe('a receiver hears the packet that was sent', () => {
    it('while the beginning of a longest one, which never comes, keeps it waiting', () => {
      const long = modulate(payloadOf(1, 4_096), { baud: 300 }).subarray(0, 0.75 * RATE_HZ);
      const payload = payloadOf(2, 16);
      const sent = modulate(payload, { baud: 300 });
      const sound = new Float32Array(long.length + sent.length + 2 * RATE_HZ);
      sound.set(long, RATE_HZ / 2);
      sound.set(sent, RATE_HZ + long.length);
      const heard = hear(new GaussianNoise(3).addTo(sound, 0.02), { baud: 300 });
      expect(heard.map(packet => packet.payload)).toEqual([payload]);
    });
  });
}

/** Errors are few where there is little noise: at 12 dB it takes minutes to count enough. */
export function describeUncodedBits(bauds: readonly Baud[]): void {
  const cases = UNCODED.filter(([, baud]) => bauds.includes(baud));
  describe('bits before any decoding', () => {
    it.each(cases)('are wrong as often as theory has it, within 15%%: %d dB, %d baud', (ebN0Db, baud) => {
      const errorsMin = FULL ? 2_000 : 150;
      const { bits, errors, missed } = countUncodedErrors(
        { ebN0Db, baud },
        { errorsMin, bitsMax: 2e7, seed: 1 },
      );
      expect(missed).toBe(0);
      expect(errors).toBeGreaterThanOrEqual(100);
      const ratio = errors / bits / noncoherentErrorRate(ebN0Db);
      expect(ratio).toBeGreaterThan(0.85);
      expect(ratio).toBeLessThan(1.15);
    });
  });
}
