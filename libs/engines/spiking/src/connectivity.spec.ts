import fc from 'fast-check';
import { plainTargets } from '../testing/plain-network.js';
import {
  firstExtraSector,
  initialPotentialMv,
  synapsesInSector,
  targetOf,
  wiringOf,
} from './connectivity.js';
import { sectorBegin, sectorLength, sectorsOf, SECTOR_NEURONS_MAX } from './sectors.js';

const BASE = { dtMs: 0.1, delayMs: 1.5, seed: 7 };

function rowOf(wiring: ReturnType<typeof wiringOf>, source: number): number[] {
  const row: number[] = [];
  for (let sector = 0; sector < wiring.sectors.count; sector++) {
    const count = synapsesInSector(wiring, source, sector);
    for (let m = 0; m < count; m++) row.push(targetOf(wiring, source, sector, m));
  }
  return row;
}

describe('sectors', () => {
  it('part all neurons, none empty and none above 65,536', () => {
    const sizes = fc.integer({ min: 1, max: 4_000_000 });
    fc.assert(
      fc.property(fc.oneof(sizes, fc.constantFrom(8_192, 8_193, 65_536, 65_537, 262_145, 4_000_000)), n => {
        const sectors = sectorsOf(n);
        let next = 0;
        for (let sector = 0; sector < sectors.count; sector++) {
          expect(sectorBegin(sectors, sector)).toBe(next);
          const length = sectorLength(sectors, sector);
          expect(length).toBeGreaterThan(0);
          expect(length).toBeLessThanOrEqual(SECTOR_NEURONS_MAX);
          next += length;
        }
        expect(next).toBe(n);
      }),
      { numRuns: 60, seed: 1 },
    );
    expect(sectorsOf(1_000_000)).toEqual({ count: 16, size: 62_500, neuronCount: 1_000_000 });
  });
});

describe('connectivity', () => {
  it.each([
    [1, 3, 9],
    [700, 0, 1],
    [700, 9, 2 ** 32 - 1],
    [8_193, 7, 5],
    [66_000, 6, 0],
    [66_000, 3, 77],
  ])(
    'is what its description says, synapse by synapse: N = %s, K = %s, seed %s',
    (neuronCount, outDegree, seed) => {
      const network = { ...BASE, neuronCount, outDegree, seed };
      const wiring = wiringOf(network);
      const plain = plainTargets(network);
      const own = plain.map((_, source) => rowOf(wiring, source));
      expect(own).toEqual(plain);
    },
  );

  it('gives each neuron exactly K synapses, whatever remainder K leaves over the sectors', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4_000_000 }),
        fc.integer({ min: 0, max: 500 }),
        fc.nat(),
        (neuronCount, outDegree, any) => {
          const wiring = wiringOf({ ...BASE, neuronCount, outDegree });
          const source = any % neuronCount;
          const row = rowOf(wiring, source);
          expect(row).toHaveLength(outDegree);
          expect(row.every(target => target >= 0 && target < neuronCount)).toBe(true);
        },
      ),
      { numRuns: 60, seed: 4 },
    );
  });

  it('reaches all neurons alike: in-degrees as those of a random graph', () => {
    const network = { ...BASE, neuronCount: 20_000, outDegree: 81 };
    const wiring = wiringOf(network);
    const inDegrees = new Uint32Array(network.neuronCount);
    for (let source = 0; source < network.neuronCount; source++)
      for (const t of rowOf(wiring, source)) inDegrees[t]++;
    const variance = inDegrees.reduce((sum, k) => sum + (k - 81) ** 2, 0) / inDegrees.length;
    // A Poisson variable of mean 81; 20,000 of them have a variance of 81 ± 0.8.
    expect(variance).toBeGreaterThan(78);
    expect(variance).toBeLessThan(84);
  });

  it('spreads what is left over evenly, beginning anywhere', () => {
    const wiring = wiringOf({ ...BASE, neuronCount: 1_000_000, outDegree: 19 });
    const starts = new Uint32Array(16);
    for (let source = 0; source < 16_000; source++) starts[firstExtraSector(wiring, source)]++;
    for (const count of starts) expect(Math.abs(count - 1_000)).toBeLessThan(5 * Math.sqrt(1_000));
  });

  it('draws initial potentials uniformly between reset and threshold', () => {
    const wiring = wiringOf({ ...BASE, neuronCount: 100_000, outDegree: 1 });
    const bins = new Uint32Array(10);
    let rounded = 0;
    for (let neuron = 0; neuron < 100_000; neuron++) {
      const potential = initialPotentialMv(wiring, neuron);
      if (Math.fround(potential) !== potential) rounded++;
      bins[Math.floor(potential + 11)]++;
    }
    expect(rounded).toBe(0);
    for (const count of bins) expect(Math.abs(count - 10_000)).toBeLessThan(5 * 100);
  });
});
