import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { demodulate, modulate, PACKET_SAMPLE_RATE_HZ } from '@svc/modem';
import { payloadOf, sameBytes, simulateChannel } from '@svc/modem/testing';
import { GGWAVE_MODES, openGgwave } from './ggwave-peer.mjs';

const PAYLOAD_BYTES = 16;
const PADDING_SECONDS = 0.5;

/** Ours, by their options: each sends a payload as sound and hears sound. */
const OURS = {
  'ours, 300 baud': { baud: 300 },
  'ours, 150 baud': { baud: 150 },
  'ours, robust, 300 baud': { baud: 300, profile: 'robust' },
  'ours, robust, 150 baud': { baud: 150, profile: 'robust' },
};

/** All that are compared: ggwave's ultrasonic modes, then ours. */
export async function packetModems() {
  const dsp = instantiateDsp(await loadDspModule());
  const theirs = await Promise.all([
    ...GGWAVE_MODES.map(mode => openGgwave({ mode })),
    openGgwave({ mode: 'FASTEST', payloadBytes: PAYLOAD_BYTES }),
  ]);
  const ours = Object.entries(OURS).map(([name, options]) => ({
    name,
    sampleRateHz: PACKET_SAMPLE_RATE_HZ,
    send: payload => modulate(payload, options),
    hear: samples =>
      demodulate(samples, PACKET_SAMPLE_RATE_HZ, options, dsp).packets.map(({ payload }) => payload),
  }));
  return { ours, theirs };
}

/**
 * Packets of seeds that follow each other, each through a channel of its own seed with half a second of it on either side.
 *
 * @returns {{ heard: number; wrong: number; lost: number[] }} seeds of those that were not heard
 */
export function heardOf(modem, conditions, { count, seed = 1 }) {
  const lost = [];
  let wrong = 0;
  for (let n = seed; n < seed + count; n++) {
    const payload = payloadOf(n, PAYLOAD_BYTES);
    const channel = { paddingSeconds: PADDING_SECONDS, ...conditions };
    const { samples } = simulateChannel(modem.send(payload), modem.sampleRateHz, channel, n);
    const packets = modem.hear(samples);
    if (!packets.some(packet => sameBytes(packet, payload))) lost.push(n);
    wrong += packets.filter(packet => !sameBytes(packet, payload)).length;
  }
  return { heard: count - lost.length, wrong, lost };
}

/** White noise at an energy of all that is sent for each payload bit. */
export const noiseAt = ebN0Db => ({ noise: { ebN0Db, payloadBits: 8 * PAYLOAD_BYTES } });

/**
 * The least Eb/N0 on a grid of half a decibel at which 99 of 100 packets are heard: by halving, so it holds that more energy
 * never hurts.
 */
export function thresholdDb(modem, { count, seed }, [low, high] = [6, 24]) {
  const counted = new Map();
  const enough = db => {
    if (!counted.has(db)) counted.set(db, heardOf(modem, noiseAt(db), { count, seed }));
    return counted.get(db).heard >= 0.99 * count;
  };
  let [below, above] = [2 * low, 2 * high];
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (enough(middle / 2)) above = middle;
    else below = middle;
  }
  return { db: above / 2, at: counted.get(above / 2), below: counted.get(below / 2) };
}
