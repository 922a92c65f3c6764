import { parentPort } from 'node:worker_threads';
import { withDescendants } from './cpu-seconds.mjs';

/**
 * The thread that ends a process of Jest in which a suite hangs. A loop that never ends holds up every timer of its own thread, that
 * of Jest's limit too. The thread is told `{ silenceMs }` when a suite begins and when one of its tests begins or ends, and nothing
 * when the suite is over. It ends what the suite started, then the process: Jest starts another one for the suites that are left.
 */
let timer;
parentPort.on('message', suite => {
  clearTimeout(timer);
  if (suite) timer = setTimeout(end, suite.silenceMs);
});

function end() {
  for (const pid of withDescendants(process.pid).slice(1)) {
    try {
      process.kill(pid);
    } catch {
      // It has ended meanwhile.
    }
  }
  // The reporter knows a suite that hung by this signal, which nothing else sends.
  process.kill(process.pid, 'SIGALRM');
}
