import { performance } from 'node:perf_hooks';
import { seconds } from './setup/progress.mjs';
import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

/** `npm test` runs every gate; `npm test -- lint types` runs those two. */
await runCommand(async () => {
  await prepareWorkspace({ typescript: false });
  // These import installed packages, so they can be loaded only now.
  const { GATES } = await import('./test/gates.mjs');
  const { closingLine, sum } = await import('./test/tally.mjs');
  const wanted = process.argv.slice(2);
  const unknown = wanted.find(name => !(name in GATES));
  if (unknown)
    throw new SetupError(`There is no gate ${unknown}; there are ${Object.keys(GATES).join(', ')}.`);

  const results = [];
  for (const name of wanted.length > 0 ? wanted : Object.keys(GATES)) {
    process.stdout.write(`\n› ${name}\n`);
    const startedMs = performance.now();
    const tally = await GATES[name](workspaceRoot);
    results.push({ name, tally, durationMs: performance.now() - startedMs });
  }

  process.stdout.write('\n');
  for (const { name, tally, durationMs } of results) {
    process.stdout.write(`${name.padEnd(8)} ${closingLine(tally).padEnd(32)} ${seconds(durationMs)}\n`);
  }
  const total = sum(results.map(({ tally }) => tally));
  process.stdout.write(`${closingLine(total)}\n`);
  const skipIsFailure = process.env.CI === 'true' && total.skipped > 0;
  if (skipIsFailure)
    process.stderr.write('A skipped test is a failure here: its tool has to be installed.\n');
  process.exitCode = total.failed > 0 || skipIsFailure ? 1 : 0;
});
