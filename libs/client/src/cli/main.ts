import { run } from './run.js';

// A reader such as `head` that closes the pipe early ends the program, without a stack.
process.stdout.on('error', () => process.exit(0));

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.abort(new Error('interrupted')));

process.exitCode = await run({
  arguments: process.argv.slice(2),
  environment: process.env,
  streams: process,
  signal: interruption.signal,
});
// stdin may still be open, and would keep the process alive.
process.stdin.unref?.();
