import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

const HELP = `npm run check            what your change reaches, in about two minutes: layout, lint, types, suites, the nearest first
npm run check -- REF     the change since that commit; else since CHECK_BASE, origin/main or HEAD~50
Uncommitted and untracked files are part of the change. What did not fit is named or counted; npm test runs it.
`;

await runCommand(async () => {
  const startedMs = Date.now();
  const [word, ...more] = process.argv.slice(2);
  if (word === '--help' || word === '-h') return void process.stdout.write(HELP);
  if (more.length > 0 || word?.startsWith('-'))
    throw new SetupError('npm run check takes one commit. See npm run check -- --help.', 2);
  await prepareWorkspace({ typescript: false });
  // It imports installed packages, so it can be loaded only now.
  const { ChangeCheck } = await import('./test/change-check.mjs');
  const failed = await new ChangeCheck(workspaceRoot, startedMs, word).run();
  process.exitCode = failed > 0 ? 1 : 0;
});
