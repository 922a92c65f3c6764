/** Neurons that a network has without being cut. */
const SINGLE_SECTOR_MAX = 8_192;

/** Neurons that a sector may have: an id within it fits in 16 bits. */
export const SECTOR_NEURONS_MAX = 65_536;

/**
 * Runs of neighbouring neurons. What happens to a sector in a block of steps needs nothing but spikes from
 * before the block, so that a thread carries one sector through a whole block while its potentials and
 * currents stay in the cache of the core.
 */
export interface Sectors {
  readonly count: number;
  /** Neurons of each sector but the last. */
  readonly size: number;
  readonly neuronCount: number;
}

/**
 * The cut depends on the number of neurons alone: it is a part of the network, since targets are drawn by
 * sector, and no choice of the machine.
 *
 * @example sectorsOf(1_000_000) // { count: 16, size: 62_500, neuronCount: 1_000_000 }
 */
export function sectorsOf(neuronCount: number): Sectors {
  let count = 4 * Math.ceil(neuronCount / (4 * SECTOR_NEURONS_MAX));
  if (neuronCount <= SINGLE_SECTOR_MAX) count = 1;
  else if (neuronCount <= SECTOR_NEURONS_MAX) count = 2;
  return { count, size: Math.ceil(neuronCount / count), neuronCount };
}

/** First neuron of a sector. */
export function sectorBegin(sectors: Sectors, sector: number): number {
  return sector * sectors.size;
}

/** Neurons of a sector. */
export function sectorLength(sectors: Sectors, sector: number): number {
  return Math.min(sectors.neuronCount, (sector + 1) * sectors.size) - sector * sectors.size;
}
