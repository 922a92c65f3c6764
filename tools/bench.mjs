import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { provenance, Report } from './bench/report.mjs';
import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

/** `npm run bench -- gateway [--append] [--seconds 5 …]`; every other option goes to the benchmark. */
await runCommand(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, strict: false });
  const [name] = positionals;
  const folder = join(workspaceRoot, 'bench');
  const known = readdirSync(folder).filter(entry => existsSync(join(folder, entry, 'bench.mjs')));
  if (!known.includes(name)) {
    throw new SetupError(`Which benchmark? There are ${known.join(', ')}: npm run bench -- ${known[0]}`);
  }
  await prepareWorkspace();
  // So that what a benchmark ends on 'exit' is ended by a signal too.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
  const { append = false, ...options } = { ...values, ...readOptions(process.argv) };
  const benchmark = await import(pathToFileURL(join(folder, name, 'bench.mjs')).href);
  const report = new Report();
  await benchmark.default({ report, options });

  const ran = { bench: name, ...provenance(workspaceRoot, benchmark.packages ?? []) };
  process.stdout.write(`\n${report.markdown()}\n`);
  if (append) appendFileSync(join(folder, 'RESULTS.md'), section(ran, report));
  process.stdout.write(`${JSON.stringify({ ...ran, ...report.result })}\n`);
});

/** `--seconds 5` and `--seconds=5` as numbers where they are numbers. */
function readOptions(argv) {
  const options = {};
  for (const [index, argument] of argv.entries()) {
    const [, name, inline] = /^--([a-z][\w-]*)(?:=(.*))?$/.exec(argument) ?? [];
    if (!name) continue;
    const following = argv[index + 1];
    const value = inline ?? (following === undefined || following.startsWith('--') ? true : following);
    options[name] = value !== true && Number.isFinite(Number(value)) ? Number(value) : value;
  }
  return options;
}

function section({ bench, date, commit, machine, cores, memoryGb, node, packages }, report) {
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const where = [`${machine}, ${cores} cores, ${memoryGb} GB`, `Node ${node}`, ...versions].join('; ');
  return `\n## ${bench}, ${date.slice(0, 10)}, commit ${commit}\n\n${where}\n\n${report.markdown()}`;
}
