import { MUTANTS } from './saga-plan.js';
import { simulateSagas } from './simulate-sagas.js';
import { describeWorlds } from './simulate-seeds.cases.js';
import { sharedTurn } from './simulate-seeds.js';

const turn = sharedTurn(run => setImmediate(run));
/** The long suites go on: this one, and after it simulate-seeds.long.spec.ts for a second worker. */
const SEEDS = process.env['SUITE_TIER'] === 'long' ? 5_000 : 100;
const MUTANT_SEEDS_MAX = 500;

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
  describeWorlds(1, SEEDS);

  it('the same seed is the same world, to the last line, also among others', async () => {
    const [once, again] = [[] as string[], [] as string[]];
    const alone = (lines: string[]) => simulateSagas(7, { turn, trace: line => lines.push(line) });
    await alone(once);
    await Promise.all([simulateSagas(8, { turn }), alone(again), simulateSagas(9, { turn })]);
    expect(once.length).toBeGreaterThan(10);
    expect(again).toEqual(once);
  });

  it.each(MUTANTS)('is noticed by some seed: %s', async mutant => {
    expect(await seedThatFinds(mutant)).toBeDefined();
  });
}
