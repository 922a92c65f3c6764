// One thread of WasmSpiking (src/node/wasm-spiking.ts): an instance of the kernels on the memory of the run.
// Plain JavaScript outside src, so that the built package and the tests start the same file.
import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';

// Words of the control block; the same as CONTROL in src/node/run-control.ts.
const ENDED = 0;
const GENERATION = 1;
const ARRIVED = 2;
const CURSOR = 3;
const STEPS_DONE = 4;
const RASTER_OPEN = 5;

/** Looks at the barrier before the thread sleeps: some tens of microseconds, less than waking it takes. */
const SPINS = 4_000;

const { niceness } = workerData;
// Linux alone has a priority for each thread; elsewhere this would slow the whole process.
if (niceness > 0 && process.platform === 'linux') setPriority(0, niceness);

/** Nanoseconds, by a clock that all threads share. */
function now() {
  return Number(process.hrtime.bigint());
}

/** Waits for all threads; the last one does `atLast` before the others go on. False when the run has ended early. */
function barrier({ control, threads }, atLast) {
  const generation = Atomics.load(control, GENERATION);
  if (Atomics.load(control, ENDED) !== 0) return false;
  if (Atomics.add(control, ARRIVED, 1) === threads - 1) {
    Atomics.store(control, ARRIVED, 0);
    Atomics.store(control, CURSOR, 0);
    atLast();
    Atomics.add(control, GENERATION, 1);
    Atomics.notify(control, GENERATION);
  } else {
    for (let k = 0; k < SPINS && Atomics.load(control, GENERATION) === generation; k++);
    while (Atomics.load(control, GENERATION) === generation) Atomics.wait(control, GENERATION, generation);
  }
  return Atomics.load(control, ENDED) === 0;
}

/** Takes sectors that no thread has taken, until none is left or the run has ended early. */
function forSectors({ control, sectorCount }, work) {
  for (let k = Atomics.add(control, CURSOR, 1); k < sectorCount; k = Atomics.add(control, CURSOR, 1)) {
    if (Atomics.load(control, ENDED) !== 0) return;
    work(k);
  }
}

/** End of the steps that follow a step without a barrier: at the block's end, or where the warm-up or the run ends. */
function segmentEnd(step, { blockSteps, warmupSteps, stepCount }) {
  const blockEnd = step - (step % blockSteps) + blockSteps;
  return Math.min(blockEnd, step < warmupSteps ? warmupSteps : stepCount);
}

const nothing = () => {};

function advance(run, kernels) {
  const { control, times, tally, thread, threads, isPlastic, warmupSteps, stepCount, rasterSpikesMax } = run;
  let isAlive = true;
  let marks = 2;
  for (let step = 0; isAlive && step < stepCount;) {
    const end = segmentEnd(step, run);
    if (isPlastic) {
      kernels.stageRows(step, end, thread, threads);
      if (!barrier(run, nothing)) return false;
    }
    kernels.openRaster(Atomics.load(control, RASTER_OPEN));
    forSectors(run, sector => kernels.advanceSector(sector, step, end));
    if (isPlastic) {
      if (!barrier(run, nothing)) return false;
      kernels.unstageRows(step, end, thread, threads);
    }
    isAlive = barrier(run, () => {
      Atomics.store(control, STEPS_DONE, end);
      Atomics.store(control, RASTER_OPEN, tally[0] < rasterSpikesMax ? 1 : 0);
      if (end === warmupSteps) times[1] = now();
      if (end > warmupSteps) times[marks] = now();
    });
    if (end > warmupSteps) marks++;
    step = end;
  }
  return isAlive;
}

function work(job) {
  const { memory, control, times, tallyAt, parametersAt, scratch, module } = job;
  const kernels = new WebAssembly.Instance(module, { env: { memory } }).exports;
  const run = {
    ...job,
    control: new Int32Array(control),
    times: new Float64Array(times),
    tally: new Uint32Array(memory.buffer, tallyAt, 2),
  };
  kernels.configure(parametersAt, scratch);
  forSectors(run, sector => kernels.buildSector(sector));
  const isBuilt = barrier(run, () => {
    run.times[0] = now();
    if (run.warmupSteps === 0) run.times[1] = run.times[0];
  });
  if (isBuilt && advance(run, kernels)) forSectors(run, sector => kernels.digestSector(sector));
}

let collect;
/** The memory of a run is given back when no thread refers to it any more, and V8 does not count it as a reason to collect. */
function collectGarbage() {
  if (!collect) {
    // Flags belong to the process: another thread may take this one back at any time, then the next run tries again. It is
    // never taken back here, where that could hit another thread.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('globalThis.gc');
  }
  collect?.();
}

parentPort.on('message', job => {
  const reply = {};
  try {
    work(job);
  } catch (error) {
    reply.error = String(error);
    const control = new Int32Array(job.control);
    Atomics.store(control, ENDED, 1);
    Atomics.add(control, GENERATION, 1);
    Atomics.notify(control, GENERATION);
  }
  setImmediate(() => {
    collectGarbage();
    parentPort.postMessage(reply);
  });
});
