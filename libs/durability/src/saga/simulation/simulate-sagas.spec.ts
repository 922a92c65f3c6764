import { MUTANTS } from './saga-world.js';
import { simulateSagas } from './simulate-sagas.js';
import type { Turn } from './virtual-time.js';

const turn: Turn = () => new Promise(resolve => setImmediate(resolve));
const SEEDS = process.env['FULL_TESTS'] ? 100_000 : 10_000;
/** Worlds that share the turns of one event loop; what happens in one does not depend on the others. */
const WORLDS_AT_A_TIME = 10;
const MUTANT_SEEDS_MAX = 500;

/** What a simulation must have seen to be worth anything. */
const SEEN = [
  'commits in flight',
  'compensations that failed',
  'late effects refused',
  'late writes refused',
  'processes killed',
  'processes stopped',
  'requests delivered twice',
  'sagas compensated',
  'sagas completed',
  'sagas completed by another owner',
  'sagas resumed',
  'sagas stuck',
  'sagas taken over',
  'store away',
  'tombstones before their effect',
];

async function simulateSeed(seed: number, seen: Record<string, number>): Promise<void> {
  try {
    for (const [what, times] of Object.entries(await simulateSagas(seed, { turn })))
      seen[what] = (seen[what] ?? 0) + times;
  } catch (error) {
    throw new Error(`SAGA_SEED=${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** The first seed that finds a mutant. */
async function seedThatFinds(mutant: (typeof MUTANTS)[number]): Promise<number | undefined> {
  for (let seed = 1; seed <= MUTANT_SEEDS_MAX; seed += 1) {
    const found = await simulateSagas(seed, { turn, mutant }).then(
      () => false,
      () => true,
    );
    if (found) return seed;
  }
  return undefined;
}

const only = process.env['SAGA_SEED'];

if (only !== undefined) {
  it(`seed ${only} ends as every seed must`, async () => {
    const lines: string[] = [];
    try {
      await simulateSagas(Number(only), { turn, trace: line => lines.push(line) });
    } finally {
      process.stdout.write(`${lines.join('\n')}\n`);
    }
  });
} else {
  it(`whatever fails, ${SEEDS} worlds end as if nothing had`, async () => {
    const seen: Record<string, number> = {};
    for (let first = 1; first <= SEEDS; first += WORLDS_AT_A_TIME) {
      const seeds = Array.from({ length: WORLDS_AT_A_TIME }, (_, index) => first + index);
      await Promise.all(seeds.map(seed => simulateSeed(seed, seen)));
    }
    expect(Object.keys(seen).sort()).toEqual(SEEN);
  }, 600_000);

  it('the same seed is the same world, to the last line', async () => {
    const [once, again] = [[] as string[], [] as string[]];
    for (const lines of [once, again]) await simulateSagas(7, { turn, trace: line => lines.push(line) });
    expect(once.length).toBeGreaterThan(10);
    expect(again).toEqual(once);
  });

  it.each(MUTANTS)(
    'is noticed by some seed: %s',
    async mutant => {
      expect(await seedThatFinds(mutant)).toBeDefined();
    },
    120_000,
  );
}
