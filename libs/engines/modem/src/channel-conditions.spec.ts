import { type Dsp, instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import type { ChannelConditions } from './testing/acoustic-channel.js';
import { sendPackets } from './testing/packet-trials.js';
import type { PacketOptions } from './tones.js';

const FULL = process.env.SUITE_TIER === 'long';
const noiseOf = (ebN0Db: number) => ({ noise: { ebN0Db, payloadBits: 128 } });

const ROBUST = { profile: 'robust' } as const;
/** All ways to send in the long tier; at commit conditions of one kind share them out. */
const ways = (sample: readonly PacketOptions[], whole: readonly PacketOptions[]) => (FULL ? whole : sample);

/** Packets of 16 bytes: so many of a sample, and of the whole set. */
const count = (sample: number, whole = 200) => (FULL ? whole : sample);

let dsp: Dsp;
beforeAll(async () => {
  dsp = instantiateDsp(await loadDspModule());
});

/** Holds that at least such a share is heard, and that nothing is heard that was not sent. */
function expectHeard(options: PacketOptions, conditions: ChannelConditions, packets: number, share: number) {
  const { heard, wrong, lost } = sendPackets(dsp, options, conditions, { count: packets });
  const seeds = lost.map(({ seed, reason }) => `${seed} ${reason}`);
  expect({ wrong, seeds: heard >= share * packets ? [] : seeds }).toEqual({ wrong: 0, seeds: [] });
}

describe('packets in white noise, by the energy of all that is sent over the payload’s bits', () => {
  it.each<[string, PacketOptions, number]>([
    ['standard at 300 baud, 14 dB', { baud: 300 }, 14],
    ['standard at 150 baud, 14 dB', { baud: 150 }, 14],
    ['robust at 300 baud, 15 dB', { baud: 300, profile: 'robust' }, 15],
    ['audible at 300 baud, 14 dB', { baud: 300, frequencyBand: 'audible_fsk' }, 14],
  ])('are heard, 99 of 100: %s', (_, options, ebN0Db) => {
    expectHeard(options, noiseOf(ebN0Db), count(1), 0.99);
  });

  it('are lost, and nothing else is heard, where the noise is 12 dB louder than that', () => {
    const { heard, wrong } = sendPackets(dsp, { baud: 300 }, noiseOf(2), { count: count(1) });
    expect({ heard, wrong }).toEqual({ heard: 0, wrong: 0 });
  });
});

describe('packets in rooms, Eb/N0 20 dB', () => {
  const room = { drrDb: 3, rt60Seconds: 0.3 };

  it('are heard sent robustly where some are lost sent once: the direct sound 3 dB over echoes of 0.3 s', () => {
    // Of the first fourteen rooms those that are hardest on one copy.
    const seeds = FULL ? [1, 10, 13, 14] : [1];
    const [once, twice] = (['standard', 'robust'] as const).map(profile =>
      seeds.filter(
        seed =>
          sendPackets(dsp, { profile, baud: 150 }, { ...noiseOf(20), room }, { count: 1, seed }).heard === 1,
      ),
    );
    expect(twice).toEqual(seeds);
    expect(once.length).toBeLessThan(seeds.length);
  });

  it('are heard 95 of 100 sent robustly there', () => {
    expectHeard(ROBUST, { ...noiseOf(20), room }, count(1), 0.95);
  });
});

describe('packets whose time runs otherwise, Eb/N0 16 dB', () => {
  it.each([
    [-5_200, [{ baud: 300 }, ROBUST]],
    [5_200, [{ baud: 150 }]],
  ] as const)('are heard from a source that moves: %d ppm', (dopplerPpm, sample) => {
    for (const options of ways(sample, [{ baud: 300 }, { baud: 150 }, ROBUST]))
      expectHeard(options, { ...noiseOf(16), dopplerPpm }, count(1, 100), 0.99);
  });

  it.each([
    [-200, [{ baud: 75 }]],
    [200, [{ baud: 300 }, ROBUST]],
  ] as const)('are heard by a clock that drifts: %d ppm', (driftPpm, sample) => {
    for (const options of ways(sample, [{ baud: 300 }, { baud: 75 }, ROBUST]))
      expectHeard(options, { ...noiseOf(16), driftPpm }, count(1, 100), 0.99);
  });

  it('are heard to the end of half a minute by a clock that drifts', () => {
    const { heard } = sendPackets(
      dsp,
      { baud: 300 },
      { driftPpm: 200, noise: { ebN0Db: 16, payloadBits: 8 * 500 } },
      { count: count(1, 20), payloadBytes: 500 },
    );
    expect(heard).toBe(count(1, 20));
  });

  it.each([
    ['in full speed', 0, { baud: 300 }],
    ['where it turns about', 0.25, { baud: 150 }],
    ['between the two', 0.125, ROBUST],
  ] as const)('are heard from a hand that sways: %s', (_, phaseTurns, sample) => {
    const motion = { peakPpm: 3_000, periodSeconds: 2, phaseTurns };
    for (const options of ways([sample], [{ baud: 300 }, { baud: 150 }, ROBUST]))
      expectHeard(options, { ...noiseOf(16), motion }, count(1, 50), 0.96);
  });
});

describe('packets that devices change, Eb/N0 18 dB', () => {
  it.each<[string, ChannelConditions, PacketOptions]>([
    ['two phones', { phones: true }, ROBUST],
    ['a recorder 12 dB over full scale', { overloadDb: 12 }, { baud: 300 }],
    ['a codec that keeps 20 kHz', { codec: 'high' }, ROBUST],
    ['a codec that keeps 19.6 kHz', { codec: 'middle' }, { baud: 300 }],
  ])('are heard through %s', (_, conditions, sample) => {
    for (const options of ways([sample], [{ baud: 300 }, ROBUST]))
      expectHeard(options, { ...noiseOf(18), ...conditions }, count(1), 0.99);
  });

  it('are heard in the audible band where a codec ends at 16 kHz, and not above it', () => {
    const conditions = { ...noiseOf(18), codec: 'low' } as const;
    expectHeard({ frequencyBand: 'audible_fsk' }, conditions, count(1), 0.99);
    expect(sendPackets(dsp, {}, conditions, { count: 2 })).toMatchObject({ heard: 0, wrong: 0 });
  });

  it('are heard below pink noise as loud as they are', () => {
    expectHeard({ baud: 300 }, { noise: { snrDb: 0, color: 'pink' } }, count(1), 0.99);
  });
});
