import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { seconds } from '../setup/progress.mjs';
import { runCommand, SetupError } from '../setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from '../setup/workspace.mjs';

const LIST = join(import.meta.dirname, 'mutations.json');
/** What is drawn, where nothing else is said. */
const [RANDOM_COUNT, RANDOM_SEED, WORKERS] = ['10', '20261124', '2'];

/**
 * `npm run test:mutations -- [ID…] [--random 10] [--seed 20261124] [--workers 2] [--record]`: puts faults into a copy of the
 * checkout, one at a time, and tells which suite catches each: the one that is recorded, or else the nearest that imports
 * the file. Without an id all that are listed, and ten that are drawn. `--record` writes down what was found. Ends with 1
 * when a fault survives, or too few fall in the unit and service tiers.
 */
await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      random: { type: 'string', default: RANDOM_COUNT },
      seed: { type: 'string', default: RANDOM_SEED },
      workers: { type: 'string', default: WORKERS },
      record: { type: 'boolean', default: false },
    },
  });
  await prepareWorkspace();
  // These import installed packages, so they can be loaded only now.
  const { summary } = await import('./verdicts.mjs');
  const list = JSON.parse(readFileSync(LIST, 'utf8'));
  const { gitTree } = await import('../tidy/tidy.mjs');
  const tree = gitTree(workspaceRoot);
  const queue = await wanted(list, tree, positionals, values);
  process.stdout.write(`${queue.length} faults; those that are drawn have the seed ${values.seed}\n`);

  const startedMs = performance.now();
  const outcomes = await inCopies(queue, tree, list.equivalent, Number(values.workers));
  const { lines, isEnough } = summary(outcomes);
  process.stdout.write(`\n${lines.join('\n')}\n${seconds(performance.now() - startedMs)}\n`);
  if (values.record) record(list, outcomes);
  process.exitCode = isEnough ? 0 : 1;
});

async function wanted(list, tree, ids, { random, seed }) {
  const { drawMutations } = await import('./random-mutations.mjs');
  const listed = list.mutations.map(mutation => ({ ...mutation, isRandom: false }));
  const drawn = drawMutations(tree, Number(random), Number(seed)).map(mutation => ({
    ...mutation,
    isRandom: true,
  }));
  const all = [...listed, ...drawn];
  const unknown = ids.find(id => !all.some(mutation => mutation.id === id));
  if (unknown)
    throw new SetupError(`There is no fault ${unknown}; there are ${all.map(({ id }) => id).join(', ')}.`);
  return ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id));
}

/** Each worker has a copy of its own and takes what comes next. */
async function inCopies(queue, tree, equivalent, workers) {
  const { copyCheckout, changed } = await import('./scratch-copy.mjs');
  const { SuiteRunner, suiteSearch } = await import('./catching-suite.mjs');
  const { recordedCosts } = await import('../test/suites.mjs');
  const { lineOf } = await import('./verdicts.mjs');
  // Before anything is run: a text that has gone is an error at once.
  for (const mutation of queue) changed(tree.read(mutation.file), mutation);
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'svc-mutate-')));
  const search = suiteSearch(tree, recordedCosts(workspaceRoot));
  const soundness = new Map();
  const runners = [];
  const leave = () => {
    for (const runner of runners) runner.stop();
    rmSync(base, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
  process.once('exit', leave);
  const next = queue.values();
  const outcomes = [];
  const work = async index => {
    const [folder, scratch] = ['copy', 'scratch'].map(name => join(base, `${name}-${index}`));
    mkdirSync(scratch);
    copyCheckout(workspaceRoot, folder);
    const runner = new SuiteRunner(folder, scratch, search, soundness);
    runners.push(runner);
    for (const mutation of next) {
      const startedMs = performance.now();
      const finding = await runner.find(mutation, mutation.caughtBy);
      const outcome = {
        mutation,
        finding,
        seconds: (performance.now() - startedMs) / 1_000,
        equivalent: equivalent.find(({ file, new: text }) => file === mutation.file && text === mutation.new)
          ?.reason,
      };
      outcomes.push(outcome);
      process.stdout.write(`${lineOf(outcome)}\n`);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, index) => work(index)));
  return outcomes;
}

/** Writes which suite catches each of the listed faults. */
function record(list, outcomes) {
  for (const { mutation, finding } of outcomes) {
    const entry = list.mutations.find(({ id }) => id === mutation.id);
    if (!entry || !finding.caughtBy) continue;
    entry.caughtBy = finding.caughtBy;
    entry.tier = finding.tier;
  }
  writeFileSync(LIST, `${JSON.stringify(list, null, 2)}\n`);
}
