import type { SeededRandom } from '@svc/kernels/testing';

// Taken once: in the context of a test runner every look at a global is slow.
const { abs, floor, hypot, max, min, PI, round, sqrt } = Math;
const SOUND_METRES_PER_SECOND = 343;
/** Samples on either side of an image's arrival that its band-limited pulse takes. */
const PULSE_HALF = 16;
/** Positions between two samples that a pulse is tabled at. */
const PULSE_STEPS = 64;
/** What arrives within this time of the direct sound counts as direct: one cannot hold them apart at 44,100 Hz. */
export const DIRECT_SECONDS = 0.0025;
/** Images but the direct one are moved by up to so much, or a box of flat walls rings in sweeps that no room has. */
const SCATTER_METRES = 0.08;
/** Of the time of 60 dB: what is 45 dB down is left out. */
const TAIL = 0.75;
/** Of the walls' pressures, all of one sign, which would otherwise build up where a room has no sound (Allen and Berkley). */
const HIGH_PASS_HZ = 300;

export interface Room {
  /** Time in which its sound dies away by 60 dB. */
  readonly rt60Seconds: number;
  /** Energy of the direct sound over all that comes later. */
  readonly drrDb: number;
}

/** How sound comes from a speaker to a microphone, and what of the room can be measured in it. */
export interface RoomResponse {
  /** From the direct sound on, which is 1 at its highest. */
  readonly response: Float64Array;
  readonly sampleRateHz: number;
  readonly metres: readonly [number, number, number];
  readonly distanceMetres: number;
  /** Of pressure at a wall, as fitted to the asked time. */
  readonly reflection: number;
}

interface Images {
  /** Distance of each, metres, without the direct one. */
  readonly distances: Float64Array;
  /** Walls that its sound came from. */
  readonly orders: Uint16Array;
  readonly directMetres: number;
}

/**
 * A room drawn by a seed: a box of 3 × 2.5 to 8 × 6 metres, speaker and microphone 0.5 to 3 m apart, its response by images
 * (Allen and Berkley, Image method for efficiently simulating small-room acoustics, JASA 65(4), 1979) with band-limited
 * arrivals (Peterson, JASA 80(5), 1986) and images scattered a little (De Sena et al., IEEE/ACM TASLP 23(4), 2015). The
 * reflection of its walls is fitted so that Schroeder's decay takes the asked time; what follows the direct sound is then
 * scaled to the asked ratio, as the directions of a speaker and a microphone change it.
 *
 * Walls reflect all frequencies alike, and air takes nothing, so the tail is at 19 kHz as long as anywhere.
 */
export function drawRoomResponse(room: Room, sampleRateHz: number, random: SeededRandom): RoomResponse {
  const metres = [random.uniform(3, 8), random.uniform(2.5, 6), random.uniform(2.3, 3.2)] as const;
  const { speaker, microphone } = drawPlaces(metres, random);
  const images = imagesWithin(metres, speaker, microphone, TAIL * room.rt60Seconds, random);
  const reflection = fitReflection(images, room.rt60Seconds);
  const response = responseOf(images, reflection, TAIL * room.rt60Seconds, sampleRateHz);
  scaleReverberation(response, sampleRateHz, room.drrDb);
  return { response, sampleRateHz, metres, distanceMetres: images.directMetres, reflection };
}

type Point = readonly [number, number, number];

function drawPlaces(metres: Point, random: SeededRandom) {
  for (;;) {
    const [speaker, microphone] = [0, 1].map(
      () => metres.map(side => random.uniform(0.4, side - 0.4)) as unknown as Point,
    );
    const distance = hypot(...speaker.map((x, axis) => x - microphone[axis]));
    if (distance > 0.5 && distance < 3) return { speaker, microphone };
  }
}

/** Every image whose sound arrives within so many seconds of the direct sound. */
function imagesWithin(
  metres: Point,
  speaker: Point,
  microphone: Point,
  seconds: number,
  random: SeededRandom,
): Images {
  const directMetres = hypot(...speaker.map((x, axis) => x - microphone[axis]));
  const reach = directMetres + seconds * SOUND_METRES_PER_SECOND;
  const axes = metres.map((side, axis) => mirrored(side, speaker[axis], microphone[axis], reach));
  const distances: number[] = [];
  const orders: number[] = [];
  for (const x of axes[0]) {
    for (const y of axes[1]) {
      const flat = x.offset ** 2 + y.offset ** 2;
      if (flat > reach ** 2) continue;
      for (const z of axes[2]) {
        const order = x.order + y.order + z.order;
        const squared = flat + z.offset ** 2;
        if (order === 0 || squared > reach ** 2) continue;
        const scattered = sqrt(squared) + random.uniform(-SCATTER_METRES, SCATTER_METRES);
        distances.push(max(scattered, directMetres));
        orders.push(order);
      }
    }
  }
  return { distances: Float64Array.from(distances), orders: Uint16Array.from(orders), directMetres };
}

/** Images along one axis: how far off, and after how many walls. */
function mirrored(side: number, speaker: number, microphone: number, reach: number) {
  const count = Math.ceil(reach / (2 * side)) + 1;
  const images: { offset: number; order: number }[] = [];
  for (let n = -count; n <= count; n++) {
    images.push({ offset: 2 * n * side + speaker - microphone, order: abs(2 * n) });
    images.push({ offset: 2 * n * side - speaker - microphone, order: abs(2 * n - 1) });
  }
  return images;
}

/** The reflection with which the energies of the images die away in the asked time. */
function fitReflection(images: Images, rt60Seconds: number): number {
  const energies = energiesByOrder(images);
  const envelope = new Float64Array(energies.length);
  let low = 0.05;
  let high = 0.999;
  for (let step = 0; step < 24; step++) {
    const middle = (low + high) / 2;
    const perWall = middle * middle;
    // Horner's rule over the number of walls.
    energies.forEach((byOrder, at) => (envelope[at] = byOrder.reduceRight((sum, e) => sum * perWall + e, 0)));
    if (decaySeconds(envelope, 1_000) < rt60Seconds) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Of every millisecond: the energies of its images by the walls that they came from, were those perfect mirrors. */
function energiesByOrder({ distances, orders, directMetres }: Images): Float64Array[] {
  const farthest = distances.reduce((a, b) => max(a, b), directMetres);
  const most = orders.reduce((a, b) => max(a, b), 0);
  const delayOf = (metres: number) => floor(((metres - directMetres) / SOUND_METRES_PER_SECOND) * 1_000);
  const energies = Array.from({ length: 1 + delayOf(farthest) }, () => new Float64Array(1 + most));
  for (let i = 0; i < distances.length; i++) energies[delayOf(distances[i])][orders[i]] += distances[i] ** -2;
  return energies;
}

/**
 * Time of 60 dB by the line through Schroeder's backward integral from −5 to −25 dB of the reverberation (T20 of ISO 3382).
 *
 * @param energies squared response, or sums of it over equal spans
 */
function decaySeconds(energies: Float64Array, perSecond: number): number {
  const first = round(DIRECT_SECONDS * perSecond);
  let left = 0;
  for (let n = first; n < energies.length; n++) left += energies[n];
  const whole = left;
  let [count, sumT, sumL, sumTT, sumTL] = [0, 0, 0, 0, 0];
  for (let n = first; n < energies.length && left > 0; n++) {
    const level = 10 * Math.log10(left / whole);
    if (level < -25) break;
    if (level < -5) {
      const t = n / perSecond;
      [count, sumT, sumL, sumTT, sumTL] = [
        count + 1,
        sumT + t,
        sumL + level,
        sumTT + t * t,
        sumTL + t * level,
      ];
    }
    left -= energies[n];
  }
  const slope = (count * sumTL - sumT * sumL) / (count * sumTT - sumT ** 2);
  return -60 / slope;
}

function responseOf(images: Images, reflection: number, seconds: number, sampleRateHz: number): Float64Array {
  const { distances, orders, directMetres } = images;
  const pulses = pulseTable();
  const gains = Float64Array.from(
    { length: 1 + orders.reduce((a, b) => max(a, b), 0) },
    (_, k) => reflection ** k,
  );
  const response = new Float64Array(Math.ceil(seconds * sampleRateHz));
  for (let i = 0; i < distances.length; i++) {
    const at = ((distances[i] - directMetres) / SOUND_METRES_PER_SECOND) * sampleRateHz;
    const gain = (gains[orders[i]] * directMetres) / distances[i];
    const steps = round(at * PULSE_STEPS);
    const start = floor(steps / PULSE_STEPS) - PULSE_HALF;
    const pulse = pulses[steps % PULSE_STEPS];
    const end = min(pulse.length, response.length - start);
    for (let n = max(0, -start); n < end; n++) response[start + n] += gain * pulse[n];
  }
  highPass(response, sampleRateHz);
  response[0] += 1;
  return response;
}

/** First order, over the reflections alone. */
function highPass(response: Float64Array, sampleRateHz: number): void {
  const keep = Math.exp((-2 * PI * HIGH_PASS_HZ) / sampleRateHz);
  for (let n = 0, before = 0, slow = 0; n < response.length; n++) {
    slow = keep * slow + (1 - keep) * before;
    before = response[n];
    response[n] -= slow;
  }
}

/** Band-limited arrivals between two samples: a sinc under a Hann window. */
function pulseTable(): Float64Array[] {
  return Array.from({ length: PULSE_STEPS }, (_, step) =>
    Float64Array.from({ length: 2 * PULSE_HALF + 1 }, (__, n) => {
      const t = n - PULSE_HALF - step / PULSE_STEPS;
      const window = abs(t) < PULSE_HALF ? 0.5 + 0.5 * Math.cos((PI * t) / PULSE_HALF) : 0;
      return t === 0 ? 1 : (window * Math.sin(PI * t)) / (PI * t);
    }),
  );
}

function scaleReverberation(response: Float64Array, sampleRateHz: number, drrDb: number): void {
  const gain = 10 ** ((directToReverberantDb(response, sampleRateHz) - drrDb) / 20);
  for (let n = round(DIRECT_SECONDS * sampleRateHz); n < response.length; n++) response[n] *= gain;
}

/** Energy until 2.5 ms after the direct sound over all that follows, in decibels. */
export function directToReverberantDb(response: Float64Array, sampleRateHz: number): number {
  const split = round(DIRECT_SECONDS * sampleRateHz);
  const energy = (part: Float64Array) => part.reduce((sum, x) => sum + x * x, 0);
  return 10 * Math.log10(energy(response.subarray(0, split)) / energy(response.subarray(split)));
}

/** Time in which the sound of a response dies away by 60 dB, from Schroeder's integral. */
export function reverberationSeconds(response: Float64Array, sampleRateHz: number): number {
  return decaySeconds(
    response.map(x => x * x),
    sampleRateHz,
  );
}
