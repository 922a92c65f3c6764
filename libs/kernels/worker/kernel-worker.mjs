// One thread of KernelPool (src/node/kernel-pool.ts): an instance of the kernels on the shared memory.
// Plain JavaScript outside src, so that the built package and the tests start the same file.
import { parentPort, workerData } from 'node:worker_threads';

const { module, memory, scratch, cursor } = workerData;
const kernels = new WebAssembly.Instance(module, { env: { memory } }).exports;
kernels.setScratch(scratch);

/** Takes the next call that no thread has taken, until none is left. */
function work(calls) {
  const results = [];
  for (let i = Atomics.add(cursor, 0, 1); i < calls.length; i = Atomics.add(cursor, 0, 1)) {
    const [name, ...args] = calls[i];
    const result = kernels[name](...args);
    if (result !== undefined) results.push([i, result]);
  }
  return results;
}

parentPort.on('message', calls => {
  try {
    parentPort.postMessage({ results: work(calls) });
  } catch (error) {
    Atomics.store(cursor, 0, calls.length);
    parentPort.postMessage({ error: String(error) });
  }
});
