// commit: ./simulate-sagas.spec.ts
import { sharedTurn, SIGHTINGS, simulateSeeds } from './simulate-seeds.js';

/** After those of simulate-sagas.long.spec.ts: two files, so that two workers share them. */
const SEEDS = 5_000;

it(`whatever fails, ${SEEDS} more worlds end as if nothing had`, async () => {
  const seen = await simulateSeeds(
    1 + SEEDS,
    SEEDS,
    sharedTurn(run => setImmediate(run)),
  );
  expect(Object.keys(seen).sort()).toEqual(SIGHTINGS);
}, 600_000);
