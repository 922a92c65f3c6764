// `node our-run.mjs '{"network":{…},"run":{…},"options":{…}}'`: one run of the WASM backend, as JSON, on the Node that runs it.
import { WasmSpiking } from '@svc/spiking/node';

const { network, run, options } = JSON.parse(process.argv[2]);
const spiking = await WasmSpiking.open();
const result = await spiking.simulate(network, run, options);
await spiking.close();
const steps = result.stepMs.toSorted();
process.stdout.write(
  JSON.stringify({
    fps: (1_000 * run.iterations) / result.loopMs,
    medianFps: 1_000 / steps[Math.floor(steps.length / 2)],
    rateHz: result.meanRateHz,
    eventsPerS: (1_000 * result.synapticEvents) / result.loopMs,
    spikeCount: result.spikeCount,
    bytes: result.bytesAllocated,
    buildMs: result.buildMs,
    stateHash: result.stateHash,
    threads: result.threads,
  }),
);
