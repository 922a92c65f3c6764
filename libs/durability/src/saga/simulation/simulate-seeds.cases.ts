import { sharedTurn, SIGHTINGS, simulateSeeds } from './simulate-seeds.js';

export function describeWorlds(firstSeed: number, count: number): void {
  it(`whatever fails, ${count} worlds from seed ${firstSeed} end as if nothing had`, async () => {
    const turn = sharedTurn(run => setImmediate(run));
    expect(Object.keys(await simulateSeeds(firstSeed, count, turn)).sort()).toEqual(SIGHTINGS);
  });
}
