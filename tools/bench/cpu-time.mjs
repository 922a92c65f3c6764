import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before a program that is measured: it says what processor time the program has used, of all its threads, whenever the
 * benchmark asks. Processes that the program starts itself load it too, and answer nobody.
 */
if (isMainThread && process.send && process.ppid === Number(process.env.BENCH_PROCESS)) {
  process.on('message', message => {
    if (message?.ask !== 'cpu time') return;
    const { user, system } = process.cpuUsage();
    process.send({ cpuMs: (user + system) / 1_000 });
  });
  // It does not keep the program running.
  process.channel.unref();
}

/** Milliseconds of processor time that this process has used since an earlier reading, or since its start. */
export function cpuMsOfThisProcess(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
