import { counterHash, HASH_DOMAIN, hashKey, mulHigh } from './counter-hash.js';
import { type Sectors, sectorBegin, sectorLength, sectorsOf } from './sectors.js';
import { MEMBRANE } from './model-constants.js';
import type { SpikingNetwork } from './simulation.js';

// Held here, since a look-up of a global is slow inside of the sandbox of a test.
const { floor, fround, imul } = Math;

const RESET_MV = MEMBRANE.resetMv - MEMBRANE.restMv;
const SPAN_MV = MEMBRANE.thresholdMv - MEMBRANE.resetMv;

/** The keys of all streams of a network's connectivity. */
export interface ConnectivityKeys {
  /** `2σ` and `2σ + 1` are the keys of the targets in sector σ. */
  readonly targets: Uint32Array;
  readonly firstExtra: readonly [number, number];
  readonly potential: readonly [number, number];
  readonly rounding: readonly [number, number];
}

/** How a network is wired: who reaches whom, as a function. */
export interface Wiring {
  readonly sectors: Sectors;
  readonly keys: ConnectivityKeys;
  readonly outDegree: number;
  /** Synapses of each neuron in each sector at least. */
  readonly perSector: number;
  /** Sectors in which a neuron has one synapse more: as many from {@link firstExtraSector} on, in a circle. */
  readonly extraSectors: number;
}

/** @example wiringOf(network).perSector // 5 for K = 80 in 16 sectors */
export function wiringOf(network: SpikingNetwork): Wiring {
  const { seed, neuronCount, outDegree } = network;
  const sectors = sectorsOf(neuronCount);
  const pair = (domain: number): readonly [number, number] => [
    hashKey(seed, domain, 0),
    hashKey(seed, domain, 1),
  ];
  return {
    sectors,
    keys: {
      targets: Uint32Array.from({ length: 2 * sectors.count }, (_, b) =>
        hashKey(seed, HASH_DOMAIN.target, b),
      ),
      firstExtra: pair(HASH_DOMAIN.firstExtra),
      potential: pair(HASH_DOMAIN.potential),
      rounding: pair(HASH_DOMAIN.rounding),
    },
    outDegree,
    perSector: floor(outDegree / sectors.count),
    extraSectors: outDegree % sectors.count,
  };
}

/** The sector where the extra synapses of a source begin. */
export function firstExtraSector(wiring: Wiring, source: number): number {
  if (wiring.extraSectors === 0) return 0;
  const [key0, key1] = wiring.keys.firstExtra;
  return mulHigh(counterHash(source, key0, key1), wiring.sectors.count);
}

/** Synapses of a source in a sector; over all sectors they are `outDegree`. */
export function synapsesInSector(wiring: Wiring, source: number, sector: number): number {
  const { count } = wiring.sectors;
  const place = (sector - firstExtraSector(wiring, source) + count) % count;
  return wiring.perSector + (place < wiring.extraSectors ? 1 : 0);
}

/**
 * Neuron that the `m`-th synapse of a source in a sector reaches. Drawn with replacement, as in a random
 * graph with repetitions: a neuron may reach itself, or another one twice.
 */
export function targetOf(wiring: Wiring, source: number, sector: number, m: number): number {
  const { keys, sectors, perSector } = wiring;
  const place = imul(source, perSector + 1) + m;
  const random = counterHash(place, keys.targets[2 * sector], keys.targets[2 * sector + 1]);
  return sectorBegin(sectors, sector) + mulHigh(random, sectorLength(sectors, sector));
}

/** Potential that a neuron begins with: uniform between reset and threshold, mV relative to rest. */
export function initialPotentialMv(wiring: Wiring, neuron: number): number {
  const [key0, key1] = wiring.keys.potential;
  // 24 bits: the share is an f32 without rounding.
  const share = (counterHash(neuron, key0, key1) >>> 8) * 2 ** -24;
  return fround(RESET_MV + fround(SPAN_MV * share));
}
