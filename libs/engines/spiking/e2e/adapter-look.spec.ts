import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

it('a process that looks for a GPU has a driver loaded only where it found one', async () => {
  const program = `
    import { openWebGpu } from '@svc/spiking/node';
    const { available } = await openWebGpu();
    const drivers = process.report.getReport().sharedObjects.filter(name => /dawn|LLVM/.test(name));
    process.stdout.write(JSON.stringify({ available, isLoaded: drivers.length > 0 }));
    process.exit();`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  const { available, isLoaded } = JSON.parse(stdout) as { available: boolean; isLoaded: boolean };
  expect(isLoaded).toBe(available);
});
