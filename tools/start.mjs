import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommand } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

await runCommand(async () => {
  await prepareWorkspace();
  const main = join(workspaceRoot, 'apps/allinone/dist/main.js');
  // In this very process: signals reach the product and its exit code reaches the shell unchanged.
  process.argv = [process.execPath, main, ...process.argv.slice(2)];
  await import(pathToFileURL(main).href);
});
