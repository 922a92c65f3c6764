import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { seconds } from './setup/progress.mjs';
import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot as root } from './setup/workspace.mjs';

const HELP = `npm test                          all gates, the unit and the service suites
npm test -- lint types            these gates alone: tidy, format, lint, types
npm test -- unit                  a tier alone: unit, service, long, or tools for those that Node runs
npm test -- apps/payments         the unit and service suites of a folder or a file; with a tier's name, of that tier
                                  a word that selects nothing is an error
npm run test:full                 all gates and tiers, everything's format
  --landing MINUTES               then the long suites that the change since the base asks for, as many as will end in that time
  --bin N                         with --landing: that bin of long suites in place of the one whose turn it is
  --record                        keep what the suites cost in tools/test/costs.json
The base is CHECK_BASE, else where the work left origin/main, else HEAD~50. docs/testing.md has the rest.
`;

/** What was asked for; see HELP. */
function readArguments() {
  const options = {
    ...{ full: { type: 'boolean', default: false }, record: { type: 'boolean', default: false } },
    ...{ landing: { type: 'string' }, bin: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    for (const name of ['landing', 'bin']) {
      if (values[name] !== undefined && !/^\d+$/.test(values[name]))
        throw new SetupError(`--${name} takes a whole number, not ${values[name]}.`, 2);
    }
    return { ...values, words: positionals };
  } catch (error) {
    throw error instanceof SetupError ? error : new SetupError(`${error.message} See npm test -- --help.`, 2);
  }
}

await runCommand(async () => {
  const wanted = readArguments();
  if (wanted.help) return void process.stdout.write(HELP);
  await prepareWorkspace({ typescript: false });
  // These import installed packages, so they can be loaded only now.
  const { TestRun } = await import('./test/test-run.mjs');
  const startedMs = performance.now();
  const run = new TestRun(root, wanted);
  const { closing, failed } = await run.all();
  process.stdout.write(`\n${closing.join('\n')}\n`);
  process.stdout.write(`${seconds(performance.now() - startedMs)} in all\n${run.line()}\n`);
  process.exitCode = failed ? 1 : 0;
});
