// One thread of KernelPool (src/node/kernel-pool.ts): an instance of the kernels on the shared memory.
// Plain JavaScript outside src, so that the built package and the tests start the same file.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';

const { module, memory, scratch, cursor, niceness } = workerData;
// Linux alone has a priority for each thread; elsewhere this would slow the whole process.
if (niceness > 0 && process.platform === 'linux') setPriority(0, niceness);
const kernels = new WebAssembly.Instance(module, { env: { memory } }).exports;
kernels.setScratch(scratch);

function call([name, ...args]) {
  return kernels[name](...args);
}

/** Takes the next task that no thread has taken, until none is left; a task is a call or several in order. */
function work(tasks) {
  const results = [];
  for (let i = Atomics.add(cursor, 0, 1); i < tasks.length; i = Atomics.add(cursor, 0, 1)) {
    const task = tasks[i];
    const result = typeof task[0] === 'string' ? call(task) : task.map(call).at(-1);
    if (result !== undefined) results.push([i, result]);
  }
  return results;
}

parentPort.on('message', tasks => {
  try {
    parentPort.postMessage({ results: work(tasks) });
  } catch (error) {
    Atomics.store(cursor, 0, tasks.length);
    parentPort.postMessage({ error: String(error) });
  }
});
