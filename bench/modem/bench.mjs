import { performance } from 'node:perf_hooks';
import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import {
  countUncodedErrors,
  energyOf,
  GaussianNoise,
  hearWithoutPackets,
  noncoherentErrorRate,
  payloadOf,
  SOUNDS_WITHOUT_PACKETS,
} from '@svc/modem/testing';
import { partsOf } from '../../tools/bench/options.mjs';
import { heardOf, noiseAt, packetModems, thresholdDb } from './packet-modems.mjs';

const PARTS = { ber, packets, rooms, scaling, speed, silence };
const ROOMS = [
  { drrDb: 6, rt60Seconds: 0.2 },
  { drrDb: 3, rt60Seconds: 0.3 },
  { drrDb: 0, rt60Seconds: 0.4 },
  { drrDb: -3, rt60Seconds: 0.5 },
];
const SCALES_PPM = [-5_200, -2_600, 0, 2_600, 5_200];
const DRIFTS_PPM = [-200, 200];
/** Energy enough that noise alone loses nothing. */
const ROOM_EBN0_DB = 20;
const MOTION_EBN0_DB = 18;

export const packages = ['ggwave'];

/** `points` are those of each sweep that are measured, all where it is undefined; `errors` what an error rate is taken of. */
export const options = {
  ...{
    only: undefined,
    packets: 200,
    seed: 1,
    hours: 0.1,
    points: undefined,
    errors: 400,
    milliseconds: 300,
  },
};
export const smoke = { packets: 1, hours: 0.0001, points: 1, errors: 1, milliseconds: 1 };

/**
 * Packets of 16 bytes over simulated channels, beside ggwave's ultrasonic modes in the same run, on the same seeds of noise, rooms
 * and motion: errors by energy, rooms, time scaling, speed, and hours without packets.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function modem({ report, options }) {
  const parts = partsOf(PARTS, options.only);
  const modems = await packetModems();
  for (const part of parts) await part(report, modems, { ...options, count: options.packets });
  report.note(
    'Everything is simulated. Eb is the energy of the whole sound that is sent over the payload’s 128 bits, for both; N0 the density of white noise. Each packet lies somewhere in noise and is found by its receiver alone. ggwave runs at its native 48 kHz with its defaults; its fixed-length mode, which tells the length beforehand and sends no markers, stands beside them. Rooms are by images, with RT60 and DRR fitted and measured.',
  );
}

function ber(report, _, { seed, points, errors }) {
  for (const baud of [300, 150]) {
    report.table(`bits before any decoding, ${baud} baud, found by chirp and pilot`);
    for (const ebN0Db of [4, 6, 8, 9, 10, 11, 12].slice(0, points)) {
      const counted = countUncodedErrors({ baud, ebN0Db }, { errorsMin: errors, bitsMax: 4e6, seed });
      const rate = counted.errors / counted.bits;
      const theory = noncoherentErrorRate(ebN0Db);
      report.row(`${ebN0Db} dB`, { overTheory: rate / theory, rate, theory, ...counted });
    }
  }
}

function packets(report, { ours, theirs }, { count, seed, points }) {
  report.table(`least Eb/N0 for 99 of 100, ${count} packets a point`);
  const least = [];
  for (const modem of [...theirs, ...ours]) {
    const found = thresholdDb(modem, { count, seed });
    least.push({ name: modem.name, db: found.db });
    const sound = modem.send(payloadOf(seed, 16));
    report.row(modem.name, {
      ebN0Db: found.db,
      heard: found.at?.heard ?? 'none tried',
      heardHalfADbBelow: found.below?.heard ?? 'none tried',
      wrong: (found.at?.wrong ?? 0) + (found.below?.wrong ?? 0),
      seconds: sound.length / modem.sampleRateHz,
    });
  }
  const best = least.filter(({ name }) => name.startsWith('ours')).reduce((a, b) => (b.db < a.db ? b : a));
  for (const { name, db } of least.filter(({ name: peer }) => !peer.startsWith('ours')))
    report.note(`${best.name} needs ${db - best.db} dB less energy for each payload bit than ${name}.`);
  report.table(`packets heard of ${count} by Eb/N0`);
  for (const modem of [theirs[2], theirs[3], ...ours]) {
    const heard = [10, 11, 12, 13, 14, 15, 16]
      .slice(0, points)
      .map(db => [`${db} dB`, heardOf(modem, noiseAt(db), { count, seed }).heard]);
    report.row(modem.name, Object.fromEntries(heard));
  }
}

function rooms(report, { ours, theirs }, { count, seed, points }) {
  report.table(`packets heard of ${count} in rooms, Eb/N0 ${ROOM_EBN0_DB} dB`);
  for (const modem of [...theirs, ...ours]) {
    const heard = ROOMS.slice(0, points).map(room => [
      `DRR ${room.drrDb} dB, RT60 ${room.rt60Seconds} s`,
      heardOf(modem, { ...noiseAt(ROOM_EBN0_DB), room }, { count, seed }).heard,
    ]);
    report.row(modem.name, Object.fromEntries(heard));
  }
}

function scaling(report, { ours, theirs }, { count, seed, points }) {
  const channels = [
    ...SCALES_PPM.map(dopplerPpm => [`motion ${dopplerPpm} ppm`, { dopplerPpm }]),
    ...DRIFTS_PPM.map(driftPpm => [`clock ${driftPpm} ppm`, { driftPpm }]),
    ['hand ±1,000 ppm, 2 s', { motion: { peakPpm: 1_000, periodSeconds: 2 } }],
    ['hand ±3,000 ppm, 2 s', { motion: { peakPpm: 3_000, periodSeconds: 2 } }],
  ].slice(0, points);
  report.table(`packets heard of ${count} in motion, Eb/N0 ${MOTION_EBN0_DB} dB`);
  for (const modem of [...theirs, ...ours]) {
    const heard = channels.map(([name, conditions]) => [
      name,
      heardOf(modem, { ...noiseAt(MOTION_EBN0_DB), ...conditions }, { count, seed }).heard,
    ]);
    report.row(modem.name, Object.fromEntries(heard));
  }
}

/** Seconds of sound a second of one core. */
function speed(report, { ours, theirs }, { seed, milliseconds }) {
  const payload = payloadOf(seed, 16);
  for (const [direction, workOf] of [
    ['sent', modem => ({ work: () => modem.send(payload), samples: modem.send(payload).length })],
    ['heard, a packet and noise around it', modem => listening(modem, modem.send(payload), seed)],
    ['heard, noise alone', modem => listening(modem, new Float32Array(modem.sampleRateHz), seed)],
  ]) {
    report.table(`times real time on one core, ${direction}`);
    for (const modem of [...theirs, ...ours]) {
      const { work, samples } = workOf(modem);
      report.row(modem.name, { timesRealTime: samples / modem.sampleRateHz / secondsOf(work, milliseconds) });
    }
  }
}

/** A second of noise on either side: what a receiver searches most of its time. */
function listening(modem, sound, seed) {
  const samples = new Float32Array(sound.length + 2 * modem.sampleRateHz);
  samples.set(sound, modem.sampleRateHz);
  const rms = Math.sqrt(energyOf(sound) / sound.length) || 0.3;
  new GaussianNoise(seed).addTo(samples, rms);
  return { work: () => modem.hear(samples), samples: samples.length };
}

/** The processor's time, which other programs on the machine do not lengthen as much as the clock's; the best of five. */
function secondsOf(work, milliseconds) {
  work();
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    const start = performance.now();
    let runs = 0;
    while (performance.now() - start < milliseconds) {
      work();
      runs++;
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6 / runs;
  });
  return Math.min(...times);
}

/** Hours of sound that holds no packet, all kinds alike. */
async function silence(report, { theirs }, { seed, hours }) {
  const dsp = instantiateDsp(await loadDspModule());
  const kinds = Object.entries(SOUNDS_WITHOUT_PACKETS);
  const seconds = Math.ceil((hours * 3_600) / kinds.length);
  report.table(`packets heard where none was sent, ${((seconds * kinds.length) / 3_600).toFixed(2)} h`);
  for (const [name, soundOf] of kinds) {
    const { packets, begun } = hearWithoutPackets(dsp, { profile: 'robust' }, soundOf(seed), seconds);
    report.row(`ours, robust, ${name}`, { packets: packets.length, begun, seconds });
  }
  for (const modem of theirs.slice(-2)) {
    // A minute at a time, since it takes a whole recording; noise alone, since the other sounds are made at 44.1 kHz.
    const noise = new GaussianNoise(seed);
    const minutes = Math.ceil(seconds / 60);
    let heard = 0;
    for (let minute = 0; minute < minutes; minute++) {
      heard += modem.hear(noise.fill(new Float32Array(60 * modem.sampleRateHz), 0.1)).length;
    }
    report.row(`${modem.name}, white noise`, { packets: heard, seconds: 60 * minutes });
  }
}
