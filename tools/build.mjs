import { runCommand } from './setup/setup-error.mjs';
import { prepareWorkspace } from './setup/workspace.mjs';

await runCommand(async () => {
  await prepareWorkspace();
  process.stdout.write('Built.\n');
});
