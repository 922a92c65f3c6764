import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommand } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

await runCommand(async () => {
  await prepareWorkspace();
  await import(pathToFileURL(join(workspaceRoot, 'tools/sandbox/dist/main.js')).href);
});
