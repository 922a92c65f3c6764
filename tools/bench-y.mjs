import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchmarkNames, loadBenchmark, resultsFile } from './bench/benchmarks.mjs';
import { optionsOf, readOptions } from './bench/options.mjs';
import { provenance, Report } from './bench/report.mjs';
import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';
import { cpuSecondsOfTree } from './test/cpu-seconds.mjs';

/**
 * `npm run bench -- gateway [--append] [--seconds 5 …]` prints what was measured; `npm run bench -- gateway --smoke` runs it at its
 * smallest size, prints no figure but its own CPU seconds, and fails where one is missing.
 */
await runCommand(async () => {
  const { positionals } = parseArgs({ allowPositionals: true, strict: false });
  const [name] = positionals;
  const known = benchmarkNames();
  if (!known.includes(name)) {
    throw new SetupError(`Which benchmark? There are ${known.join(', ')}: npm run bench -- ${known[0]}`);
  }
  // So that what a benchmark ends on 'exit' is ended by a signal too.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
  const given = readOptions(process.argv);
  const benchmark = await loadBenchmark(name);
  const options = optionsOf(name, benchmark, given);
  const smoke = given.smoke === true;
  const report = new Report();
  const before = cpuSecondsOfTree();
  await benchmark.default({ report, options, smoke });
  if (smoke) return sayWhatRan(name, report, cpuSecondsOfTree() - before);

  const ran = { bench: name, ...provenance(workspaceRoot, benchmark.packages ?? []) };
  process.stdout.write(`\n${report.markdown()}\n`);
  if (given.append) appendFileSync(resultsFile, section(ran, report));
  process.stdout.write(`${JSON.stringify({ ...ran, ...report.result })}\n`);
});

/** @throws {SetupError} where a result is missing */
function sayWhatRan(name, report, cpuSeconds) {
  const { tables } = report.result;
  const rows = tables.reduce((sum, table) => sum + table.rows.length, 0);
  for (const leftOut of report.leftOutOnes) process.stdout.write(`left out: ${leftOut}\n`);
  const { missing } = report;
  if (missing.length > 0) throw new SetupError(`${name} has no result for ${missing.join('; ')}`);
  process.stdout.write(
    `${name} runs: ${rows} rows in ${tables.length} tables, no result missing; ${cpuSeconds.toFixed(1)} CPU seconds\n`,
  );
}

function section({ bench, date, commit, machine, cores, memoryGb, node, packages }, report) {
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const where = [`${machine}, ${cores} cores, ${memoryGb} GB`, `Node ${node}`, ...versions].join('; ');
  return `\n## ${bench}, ${date.slice(0, 10)}, commit ${commit}\n\n${where}\n\n${report.markdown()}`;
}
