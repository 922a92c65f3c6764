import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

const WORLDS_AT_A_TIME = 10;
const REPORT_EVERY_MS = 10_000;

/** Everything that is ready runs before the next turn of the event loop. */
const turn = () => new Promise(resolve => setImmediate(resolve));

/**
 * `npm run simulate [-- --seed 42 --seeds 100000]`: worlds of sagas, one after the other, until one breaks a promise, or
 * for ever. One seed alone (`--seeds 1`) tells what happens in its world.
 */
await runCommand(async () => {
  const { values } = parseArgs({ options: { seed: { type: 'string' }, seeds: { type: 'string' } } });
  const first = wholeNumber('seed', values.seed) ?? 1 + Math.floor(Date.now() / 1000) * 1000;
  const count = wholeNumber('seeds', values.seeds) ?? Infinity;
  await prepareWorkspace();
  const path = 'libs/durability/dist/saga/simulation/simulate-sagas.js';
  const { simulateSagas } = await import(pathToFileURL(join(workspaceRoot, path)).href);
  const trace = count === 1 ? line => process.stdout.write(`${line}\n`) : undefined;
  const seen = {};
  const startedMs = Date.now();
  let reportedMs = startedMs;
  for (let done = 0; done < count;) {
    const worlds = Math.min(WORLDS_AT_A_TIME, count - done);
    const seeds = Array.from({ length: worlds }, (_, index) => first + done + index);
    await Promise.all(seeds.map(seed => simulateSeed(simulateSagas, seed, { turn, trace }, seen)));
    done += worlds;
    if (Date.now() - reportedMs < REPORT_EVERY_MS && done < count) continue;
    reportedMs = Date.now();
    const perSecond = (done / ((reportedMs - startedMs) / 1000)).toFixed(0);
    process.stdout.write(
      `seeds ${first}..${first + done - 1} hold, ${perSecond}/s ${JSON.stringify(seen)}\n`,
    );
  }
});

async function simulateSeed(simulateSagas, seed, options, seen) {
  try {
    for (const [what, times] of Object.entries(await simulateSagas(seed, options)))
      seen[what] = (seen[what] ?? 0) + times;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new SetupError(`seed ${seed}: ${message}\nnpm run simulate -- --seed ${seed} --seeds 1`);
  }
}

function wholeNumber(name, text) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new SetupError(`--${name} is a whole number from 1`);
  return value;
}
